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
    }  # fmt: skip
    write_jsonl(tmp_path / "out.jsonl", [record])
    ((row, sample),) = opened(only_run(tmp_path))
    assert sample.tokens is not None
    assert (sample.tokens.ids, sample.tokens.logprobs) == ([5, 6], [-0.5, -0.25])
    assert (row.status, row.stop_reason, row.metrics) == ("truncated", "max_output_tokens", {"dealer": 17.0})
    assert [message.role for message in sample.messages] == ["system", "user", "assistant"]
    assert json.loads(json.dumps(sample.record)) == record


def test_other_lines_beside_the_rollouts_are_not_read(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "example.jsonl", [{"question": "2 + 2?", "answer": "4"}])
    rollout = {"responses_create_params": {"input": "2 + 2?"}, "response": {"output": []}, "reward": 1.0}
    write_jsonl(tmp_path / "rollouts.jsonl", [{**rollout, "_ng_task_index": 0}])
    run = only_run(tmp_path)
    assert (run.format, run.splits, len(opened(run))) == ("nemo_gym", ["eval/rollouts"], 1)
