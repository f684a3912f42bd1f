"""A sample's line says what the loop said, fills in what follows from it, and leaves missing what does not."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.record.helpers import one_sample, rollouts

from rollscope import record


def test_what_was_not_said_is_not_there(tmp_path: Path) -> None:
    line = one_sample(tmp_path, prompt="a", response="b")
    assert set(line) == {
        "schema_version", "run_id", "writer", "attempt", "split", "step", "group", "index", "num_turns", "time", "messages",
    }  # fmt: skip


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    line = one_sample(
        tmp_path,
        [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}],
        reward=np.float32(0.5),
        rewards={"correct": 0.25, "format": True},
        final_reward=0.25,
        advantage=-1.5,
        metrics={"nested": {"depth": 2}},
        golden_answers={"answer": 42},
        status="completed",
        stop_reason="stop",
        discard_reason="too_long",
        sampling_step=-3,
        env="math",
        dataset="gsm",
        tags=["hard"],
        prompt_id=17,
        prompt_tokens=3,
        completion_tokens=4,
        turns=[{"reward": 0.25, "metrics": {"ok": 1}, "logs": {"note": "x"}, "ob_len": 3, "ac_len": 4}],
        tokens={"ids": np.array([1, 2]), "logprobs": [-0.1, math.nan], "mask": [1, 0]},
        timings={"sampling": 1.5},
    )
    assert line["reward"] == 0.5
    assert line["rewards"] == {"correct": 0.25, "format": 1.0}
    assert line["metrics"] == {"nested/depth": 2.0}
    assert line["golden_answers"] == {"answer": "42"}
    assert (line["sampling_step"], line["staleness"]) == (-3, 3)
    assert line["prompt_id"] == "17"
    assert line["total_tokens"] == 7
    assert line["turns"] == [
        {
            "index": 0,
            "reward": 0.25,
            "metrics": {"ok": 1.0},
            "logs": {"note": "x"},
            "prompt_tokens": 3,
            "completion_tokens": 4,
        }
    ]
    assert line["tokens"] == {"ids": [1, 2], "logprobs": [-0.1, None], "mask": [1, 0]}
    assert line["nonfinite"] == {"tokens/logprobs/1": "NaN"}


@pytest.mark.parametrize(
    ("fields", "reward"),
    [
        ({"reward": {"total": 0.7, "style": 0.1}}, 0.7),
        ({"reward": {"style": 0.1}}, None),
        ({"rewards": {"score": 0.3}}, 0.3),
        ({"turns": [{"reward": 0.25}, {"reward": 0.5}], "final_reward": 1.0}, 1.75),
        ({"reward": math.nan}, None),
        ({}, None),
    ],
)
def test_the_total_reward(tmp_path: Path, fields: dict[str, Any], reward: float | None) -> None:
    line = one_sample(tmp_path, response="x", **fields)
    assert line.get("reward") == reward
    if fields.get("reward") is not None and reward is None and not isinstance(fields["reward"], dict):
        assert line["nonfinite"] == {"reward": "NaN"}


@pytest.mark.parametrize(
    ("stop_reason", "status"),
    [("stop", "completed"), ("length", "truncated"), ("max_turns", "truncated"), ("abort", "aborted"), ("odd", None)],
)
def test_the_status_follows_from_common_stop_reasons(tmp_path: Path, stop_reason: str, status: str | None) -> None:
    line = one_sample(tmp_path, response="x", stop_reason=stop_reason)
    assert line.get("status") == status
    assert line["stop_reason"] == stop_reason


def test_token_counts_of_a_multi_turn_sample(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "q", "tokens": 5},
        {"role": "assistant", "content": "a", "tokens": 7},
        {"role": "tool", "content": "r", "tokens": 11},
        {"role": "assistant", "content": "b", "tokens": 13},
    ]
    line = one_sample(tmp_path, messages)
    assert (line["prompt_tokens"], line["completion_tokens"], line["total_tokens"], line["num_turns"]) == (5, 20, 36, 2)


def test_a_missing_count_makes_no_sum(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "q", "tokens": 5}, {"role": "assistant", "content": "a"}]
    line = one_sample(tmp_path, messages)
    assert line["prompt_tokens"] == 5
    assert "completion_tokens" not in line
    assert "total_tokens" not in line


@pytest.mark.parametrize(
    "bad",
    [
        {"reward": "high"},
        {"metrics": 3},
        {"metrics": {"a": object()}},
        {"status": "dizzy"},
        {"prompt_tokens": 1.5},
        {"turns": ["not a turn"]},
        {"tokens": {"ids": [1, 2], "logprobs": [0.1]}},
        {"tokens": {"unknown": [1]}},
        {"rewrad": 1.0},
        {"response": object()},
    ],
)
def test_a_bad_value_is_one_error_and_the_rest_is_recorded(tmp_path: Path, bad: dict[str, Any]) -> None:
    run = record.start(tmp_path)
    with run.iteration(0) as iteration:
        iteration.add(**{"prompt": "q", "response": "a", "env": "math", **bad})
        iteration.add(prompt="q", response="a", reward=1.0)
    run.close()
    recorded = rollouts(tmp_path)
    assert recorded[-1]["reward"] == 1.0
    assert run.errors >= 1
    assert run.last_error is not None


@pytest.mark.parametrize("bad", [{"reward": "high"}, {"rewrad": 1.0}, {"status": "dizzy"}])
def test_a_strict_run_raises_instead(tmp_path: Path, bad: dict[str, Any]) -> None:
    with record.start(tmp_path, strict=True) as run, run.iteration(0) as iteration, pytest.raises(record.RecordError):
        iteration.add(prompt="q", response="a", **bad)


def test_a_misspelt_field_names_the_nearest(tmp_path: Path) -> None:
    run = record.start(tmp_path, strict=True)
    with run, run.iteration(0) as iteration, pytest.raises(record.RecordError, match="'reward'"):
        iteration.add(prompt="q", rewad=1.0)  # type: ignore[call-arg]


def test_later_changes_do_not_leak_in(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "before"}, {"role": "assistant", "content": "x"}]
    metrics, logs, ids = {"a": 1.0}, {"list": [1]}, [1, 2]
    with record.start(tmp_path) as run, run.iteration(0) as iteration, iteration.group() as group:
        group.add(messages, metrics=metrics, turns=[{"logs": logs}], tokens={"ids": ids}, tags=(tags := ["t"]))
        messages[0]["content"] = "after"
        messages.append({"role": "user", "content": "after"})
        metrics["a"] = 2.0
        logs["list"].append(2)
        ids.append(3)
        tags.append("u")
    [line] = rollouts(tmp_path)
    assert "after" not in str(line)
    assert line["metrics"] == {"a": 1.0}
    assert line["turns"][0]["logs"] == {"list": [1]}
    assert line["tokens"] == {"ids": [1, 2]}
    assert line["tags"] == ["t"]


def test_a_lone_surrogate_is_repaired_and_counted(tmp_path: Path) -> None:
    run = record.start(tmp_path)
    with run.iteration(0) as iteration:
        iteration.add(prompt="q", response="bad \ud800 text", golden_answers={"a": "\udfff"})
        iteration.add(prompt="q", response="fine")
    run.close()
    first, second = rollouts(tmp_path)
    assert first["messages"][1]["parts"][0]["text"] == "bad \\ud800 text"
    assert first["golden_answers"] == {"a": "\\udfff"}
    assert second["messages"][1]["parts"][0]["text"] == "fine"
    assert run.errors >= 1
