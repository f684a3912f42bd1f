"""verifiers before v1: evals with their metadata, and prime-rl 0.6's rollouts, which are the same records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import fixture_path, write_jsonl
from tests.formats.naive import naive_records

import rollscope
from rollscope.query.library import Library
from rollscope.query.run import Run

RECORD: dict[str, Any] = {
    "example_id": 3,
    "prompt": [{"role": "user", "content": "What is 17 + 25?"}],
    "completion": [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": ['{"id": "c1", "name": "calc", "arguments": "{\\"e\\": 1}"}'],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "42"},
        {"role": "assistant", "content": "<think>so</think>42"},
    ],
    "answer": "42",
    "reward": 1.0,
    "error": None,
    "is_completed": True,
    "is_truncated": False,
    "stop_condition": "no_tools_called",
    "metrics": {"correct": 1.0, "num_turns": 2.0},
    "correct": 1.0,
    "num_turns": 2.0,
    "token_usage": {"input_tokens": 40.0, "output_tokens": 20.0},
    "timing": {"start_time": 1794766036.5, "generation": {"start": 1.0, "end": 2.5, "duration": 1.5}, "total": 2.0},
}


def evaluated(tmp_path: Path, *records: dict[str, Any]) -> Run:
    folder = tmp_path / "outputs" / "evals" / "arith--my--model" / "0a1b2c3d"
    write_jsonl(folder / "results.jsonl", records)
    (folder / "metadata.json").write_text(json.dumps({"env_id": "arith", "model": "my/model"}))
    return rollscope.open(folder)


def test_the_fixture_gives_exactly_its_samples_and_rewards() -> None:
    path = fixture_path("verifiers_legacy")
    runs = Library([path]).runs()
    assert [run.name for run in runs] == ["arith-single--mock--model/a1b2c3d4", "arith-tool--mock--model/a1b2c3d4"]
    for run in runs:
        records = naive_records(Path(run.root) / "results.jsonl")
        rows = run.samples().rows
        assert (run.format, len(rows)) == ("verifiers", 9)
        for row, record in zip(rows, records, strict=True):
            assert (row.reward, row.group) == (record["reward"], record["example_id"])
            assert row.metrics == record["metrics"]
            sample = run.sample(row.address)
            assert sample.record == record
            assert sample.metrics == record["metrics"]
            assert sample.golden_answers == {"answer": record["answer"]}
            assert len(sample.turns) == len(record.get("trajectory", []))
        assert run.doctor().unclaimed == []


def test_an_eval_is_a_split_named_by_its_environment(tmp_path: Path) -> None:
    run = evaluated(tmp_path, RECORD)
    assert (run.name, run.splits) == ("arith--my--model/0a1b2c3d", ["eval/arith"])
    assert run.details().config["model"] == "my/model"
    sample = run.sample("eval/arith/0/0")
    assert (sample.status, sample.stop_reason, sample.completion_tokens) == ("completed", "no_tools_called", 20)
    assert sample.timings == {"generation": 1.5, "total": 2.0}
    assert (sample.prompt_tokens, sample.advantage, sample.tokens) == (None, None, None)


def test_calls_that_were_written_as_strings_are_calls(tmp_path: Path) -> None:
    run = evaluated(tmp_path, RECORD)
    parts = [part for message in run.sample("eval/arith/0/0").messages for part in message.parts]
    (call,) = [part for part in parts if part.type == "tool_call"]
    assert (call.name, call.id, call.content) == ("calc", "c1", '{"e": 1}')
    assert [hit.field for hit in run.search('calc({"e"')] == ["response"]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"error": {"error": "TimeoutError", "message": "too slow"}}, "failed"),
        ({"error": {"error": "TimeoutError", "error_chain_repr": "too slow", "error_chain_str": "…"}}, "failed"),
        ({"error": "too slow"}, "failed"),
        ({"is_truncated": True}, "truncated"),
        ({"is_completed": False}, None),
    ],
)
def test_how_a_rollout_ended(tmp_path: Path, changes: dict[str, Any], status: str | None) -> None:
    run = evaluated(tmp_path, {**RECORD, **changes})
    assert run.samples().rows[0].status == status
    sample = run.sample("eval/arith/0/0")
    assert sample.status == status
    assert ("Failed: too slow" in sample.notes) == (status == "failed")


def test_older_timings_are_milliseconds(tmp_path: Path) -> None:
    run = evaluated(tmp_path, {**RECORD, "timing": {"generation_ms": 1500.0, "total_ms": 2000}})
    assert run.sample("eval/arith/0/0").timings == {"generation": 1.5, "total": 2.0}


def test_the_trajectory_column_gives_turns_and_tokens(tmp_path: Path) -> None:
    step = {
        "response": {"usage": {"prompt_tokens": 5, "completion_tokens": 2}, "message": {"finish_reason": "stop"}},
        "tokens": {"completion_ids": [7, 8], "completion_mask": [1, 1], "completion_logprobs": [-0.1, -0.2]},
        "reward": 1.0,
        "advantage": 0.25,
    }
    run = evaluated(tmp_path, {**RECORD, "trajectory": [step]}, {**RECORD, "trajectory": [step, step]})
    one, two = (run.sample(f"eval/arith/0/{index}") for index in (0, 1))
    assert one.tokens is not None
    assert (one.tokens.ids, one.tokens.logprobs) == ([7, 8], [-0.1, -0.2])
    assert (one.turns[0].prompt_tokens, one.turns[0].stop_reason, one.turns[0].metrics) == (
        5,
        "stop",
        {"advantage": 0.25},
    )
    assert (len(two.turns), two.tokens) == (2, None)


def test_the_rollouts_of_prime_rl_before_0_7(tmp_path: Path) -> None:
    extras = {"env_name": "arith", "group_id": "g1", "rollout_id": 4, "policy_version": 1, "off_policy_steps": 1}
    kept = {**RECORD, **extras, "advantage": 0.5, "is_filtered": False, "filters": {}}
    lost = {**kept, "advantage": 0.0, "is_filtered": True, "filters": {"zero_advantage": True, "gibberish": False}}
    write_jsonl(tmp_path / "rollouts" / "step_2" / "train_rollouts.jsonl", [kept, lost])
    write_jsonl(tmp_path / "rollouts" / "step_2" / "eval_rollouts_chess.jsonl", [{**RECORD, "env_name": "chess"}])
    write_jsonl(tmp_path / "metrics.jsonl", [{"step": 2, "loss": 0.5}])
    run = rollscope.open(tmp_path)
    assert run.splits == ["train", "eval/chess"]
    rows = run.samples(split="train", discarded=None).rows
    assert [(row.advantage, row.group, row.discard_reason) for row in rows] == [
        (0.5, "g1", None),
        (0.0, "g1", "zero_advantage"),
    ]
    assert (rows[0].env, rows[0].sampling_step, rows[0].staleness) == ("arith", 1, 1)
    assert rows[0].metrics["off_policy_steps"] == 1.0
    assert run.sample("train/2/1").discard_reason == "zero_advantage"
    assert [item.name for item in run.catalog() if item.name == "loss"] == ["loss"]


def test_records_before_0_1_6_name_their_example_by_id(tmp_path: Path) -> None:
    asked = {"prompt": RECORD["prompt"], "answer": "42", "task": "default", "total_ms": 1500.0, "correct": 1.0}
    said = [[{"role": "assistant", "content": f"answer {number}"}] for number in range(3)]
    run = evaluated(
        tmp_path, *({"id": number // 2, "completion": said[number], "reward": 1.0, **asked} for number in range(3))
    )
    assert [(row.address, row.group, row.metrics) for row in run.samples().rows] == [
        ("eval/arith/0/0", 0, {"correct": 1.0}),
        ("eval/arith/0/1", 0, {"correct": 1.0}),
        ("eval/arith/0/2", 1, {"correct": 1.0}),
    ]
    sample = run.sample("eval/arith/0/1")
    assert (run.format, sample.messages[-1].text, sample.timings) == ("verifiers", "answer 1", {"total": 1.5})
