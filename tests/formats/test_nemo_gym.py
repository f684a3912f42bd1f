from __future__ import annotations

import json
from pathlib import Path

from tests.fixtures import fixture_path, write_jsonl
from tests.formats.expected import assert_as_expected
from tests.formats.rows_and_samples import only_run, opened, records


def test_every_sample_is_there_and_no_input() -> None:
    assert_as_expected("nemo_gym")


def test_a_failure_is_discarded_with_its_class_and_stays_in_its_group() -> None:
    path = fixture_path("nemo_gym")
    run = only_run(path)
    (failed,) = [sample for _, sample in opened(run) if sample.discard_reason]
    (record,) = records(path, "*_failures.jsonl")
    assert (failed.discard_reason, failed.status) == (record["_ng_failure_class"], "failed")
    assert failed.group in {sample.group for _, sample in opened(run) if not sample.discard_reason}


def test_thinking_calls_and_results_are_turns() -> None:
    _, sample = opened(only_run(fixture_path("nemo_gym")))[0]
    answered = [message for message in sample.messages if message.turn is not None]
    assert [message.role for message in answered] == ["assistant", "tool", "assistant"]
    assert [part.type for part in answered[0].parts] == ["thinking", "tool_call"]
    assert answered[1].tool_call_id == answered[0].parts[1].id
    assert (sample.prompt_tokens, sample.completion_tokens) == (120, 40)


def test_training_capture_gives_tokens_and_a_cut_response_is_truncated(tmp_path: Path) -> None:
    output = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hit"}],
              "generation_token_ids": [5, 6], "generation_log_probs": [-0.5, -0.25]}  # fmt: skip
    record = {
        "responses_create_params": {"input": "Deal me in.", "instructions": "Play."},
        "response": {"output": [output], "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
        "reward": -1.0, "_ng_task_index": 0, "_ng_rollout_index": 0, "dealer": 17, "note": "12",
        "reference_solution": "stand",
    }  # fmt: skip
    write_jsonl(tmp_path / "out.jsonl", [record])
    ((row, sample),) = opened(only_run(tmp_path))
    assert sample.tokens is not None
    assert (sample.tokens.ids, sample.tokens.logprobs) == ([5, 6], [-0.5, -0.25])
    assert (row.status, row.stop_reason, row.metrics) == ("truncated", "max_output_tokens", {"dealer": 17.0})
    assert [message.role for message in sample.messages] == ["system", "user", "assistant"]
    assert sample.golden_answers == {"reference_solution": "stand"}
    assert json.loads(json.dumps(sample.record)) == record


def test_other_lines_beside_the_rollouts_are_not_read(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "example.jsonl", [{"question": "2 + 2?", "answer": "4"}])
    rollout = {"responses_create_params": {"input": "2 + 2?"}, "response": {"output": []}, "reward": 1.0}
    write_jsonl(tmp_path / "rollouts.jsonl", [{**rollout, "_ng_task_index": 0}])
    run = only_run(tmp_path)
    assert (run.format, run.splits, len(opened(run))) == ("nemo_gym", ["eval/rollouts"], 1)


def test_shards_beside_the_file_they_were_merged_into_count_once(tmp_path: Path) -> None:
    def rollout(task: int) -> dict[str, object]:
        asked = {"responses_create_params": {"input": f"{task} + 1?"}, "response": {"output": []}, "reward": 1.0}
        return {**asked, "_ng_task_index": task, "_ng_rollout_index": 0}

    write_jsonl(tmp_path / "out-rs0-chunk0.jsonl", [rollout(1)])
    write_jsonl(tmp_path / "out-rs0-chunk1.jsonl", [rollout(0), rollout(2)])
    write_jsonl(tmp_path / "out-rs0-chunk1_failures.jsonl", [rollout(3) | {"_ng_failure_class": "timeout"}])
    apart = only_run(tmp_path)
    assert (len(apart.splits), len(opened(apart))) == (2, 4)

    # A line that was written after the merge is in its shard alone.
    write_jsonl(tmp_path / "out.jsonl", [rollout(0), rollout(1)])
    (tmp_path / "out_aggregate_metrics.json").write_text("[]")
    run = only_run(tmp_path)
    assert run.splits == ["eval/out"]
    assert [row.group for row, _ in opened(run)] == [0, 1, 2, 3]
    assert [sample.source["file"] for _, sample in opened(run)][:2] == ["out.jsonl", "out.jsonl"]


def _message(text: str) -> dict[str, object]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def test_answers_in_the_question_are_no_answers_and_one_response_is_one_message(tmp_path: Path) -> None:
    asked = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "old"},
        {"role": "user", "content": "?"},
    ]
    output = [
        {"type": "reasoning", "summary": [{"text": "one", "type": "summary_text"}]},
        {"type": "reasoning", "summary": [{"text": "two", "type": "summary_text"}]},
        _message("Let me look."),
        {"type": "function_call", "call_id": "c", "name": "find", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
        {"type": "mcp_call", "id": "m", "name": "ask", "arguments": "{}", "output": "y", "server_label": "l"},
        {"type": "web_search_call", "id": "w", "action": {"query": "z"}, "status": "completed"},
    ]
    record = {"responses_create_params": {"input": asked}, "response": {"output": output}, "_ng_task_index": 0}
    write_jsonl(tmp_path / "out.jsonl", [record])
    ((row, sample),) = opened(only_run(tmp_path))
    assert (row.reward, row.turns) == (None, 3)
    told = [(message.turn, message.role, [part.text for part in message.parts]) for message in sample.messages]
    assert told[:3] == [(None, "user", ["hi"]), (None, "assistant", ["old"]), (None, "user", ["?"])]
    assert told[3:] == [
        (0, "assistant", ["one\ntwo", "Let me look.", "find({})"]),
        (0, "tool", ["x"]),
        (1, "assistant", ["ask({})"]),
        (1, "tool", ["y"]),
        (2, "assistant", ['web_search_call({"action": {"query": "z"}})']),
    ]


def test_a_masked_rollout_and_a_request_that_failed_are_discarded_and_say_why(tmp_path: Path) -> None:
    response = {"output": [_message("a")], "status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
    masked = {"responses_create_params": {"input": "q"}, "response": response, "reward": 0.5, "mask_sample": True,
              "failure_kind": "tokens_missing", "reward_components": {"format": 0.25}, "ng_perf": {"num_turns": 3}}  # fmt: skip
    failed = {
        "_ng_failure_class": "agent_request_failed",
        "_ng_failure_message": "no answer",
        "agent_ref": {"name": "a"},
    }
    places = [{"_ng_task_index": 0, "_ng_rollout_index": place} for place in range(2)]
    write_jsonl(tmp_path / "out.jsonl", [{**masked, **places[0]}])
    write_jsonl(tmp_path / "out_failures.jsonl", [{**failed, **places[1]}])
    (one, first), (two, second) = opened(only_run(tmp_path))
    assert (one.discard_reason, one.status, first.rewards) == ("tokens_missing", None, {"format": 0.25})
    assert first.metrics == {"ng_perf/num_turns": 3.0}
    assert (two.discard_reason, two.status, second.notes) == ("agent_request_failed", "failed", ["message: no answer"])
    assert one.group == two.group


def test_failures_alone_are_a_run(tmp_path: Path) -> None:
    failed = {"_ng_failure_class": "agent_run_error", "_ng_task_index": 0, "_ng_rollout_index": 0}
    (tmp_path / "out.jsonl").touch()
    write_jsonl(tmp_path / "out_failures.jsonl", [failed])
    assert [row.split for row, _ in opened(only_run(tmp_path))] == ["eval/out"]


def test_turns_that_repeat_all_before_them_are_one_conversation(tmp_path: Path) -> None:
    """As the agent of Aviary's environments writes them: a question is in the output, and old states may be hidden."""
    asked = [{"type": "message", "role": "user", "content": "Who?"}]
    call = {"type": "function_call", "name": "search", "arguments": "{}", "call_id": "c1"}
    seen = {"type": "function_call_output", "call_id": "c1", "output": "Ada"}
    hidden = {**seen, "output": "[hidden]"}
    turns = [[*asked, call, seen], [*asked, call, hidden, _message("It was Ada.")]]
    record = {"responses_create_params": {"input": []}, "response": {"output": turns}, "reward": 1.0}
    write_jsonl(tmp_path / "out.jsonl", [{**record, "_ng_task_index": 0, "_ng_rollout_index": 0}])
    ((_, sample),) = opened(only_run(tmp_path))
    assert [(message.role, message.turn) for message in sample.messages] == [
        ("user", None),
        ("assistant", 0),
        ("tool", 0),
        ("assistant", 1),
    ]
    assert (sample.messages[2].text, sample.messages[3].text) == ("Ada", "It was Ada.")


def test_an_episode_with_a_simulated_user_is_what_the_asked_model_heard_and_said(tmp_path: Path) -> None:
    def call(role: str, asked: list[object], said: str) -> dict[str, object]:
        return {
            "role": role,
            "request": {"input": asked},
            "response": {"output": [_message(said)], "status": "completed"},
        }

    first, second = {"role": "user", "content": "Hi"}, {"role": "user", "content": "And?"}
    calls = [
        call("user", [{"role": "system", "content": "Play a user."}], "Hi"),
        call("assistant", [first], "Hello"),
        call("judge", [{"role": "user", "content": "Is it polite?"}], "yes"),
        call("assistant", [first, {"role": "assistant", "content": "Hello"}, second], "Bye"),
    ]
    record = {"invocations": calls, "reward": 1.0, "_ng_task_index": 0, "_ng_rollout_index": 0}
    write_jsonl(tmp_path / "out.jsonl", [record])
    ((row, sample),) = opened(only_run(tmp_path))
    assert [(message.role, message.text) for message in sample.messages] == [
        ("user", "Hi"),
        ("assistant", "Hello"),
        ("user", "And?"),
        ("assistant", "Bye"),
    ]
    assert (row.reward, row.status) == (1.0, "completed")
