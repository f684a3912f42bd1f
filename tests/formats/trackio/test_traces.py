"""One row of trackio's traces: its numbers and its sample, as whoever logged it wrote them."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from rollscope.formats.trackio.traces import as_object, sample, split_of, values

ASKED = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4"}]


def row(
    messages: Any = ASKED, *, key: str = "rollouts", step: Any = 3, parts: dict[str, Any] | None = None, **metadata: Any
) -> tuple[Any, ...]:
    metadata |= {f"rewards/{name}": value for name, value in (parts or {}).items()}
    return (1, step, key, 0, json.dumps(messages), json.dumps(metadata), "2026-11-01T00:00:00", None)


def test_the_columns_of_a_trace() -> None:
    found = values(
        row(reward=0.5, advantage=-1, group_id=7, status="success", model_version=2, kl=0.25, parts={"format": 1})
    )
    assert {
        name: found[name] for name in ("step", "split", "reward", "advantage", "group", "status", "sampling_step")
    } == {
        "step": 3,
        "split": "train",
        "reward": 0.5,
        "advantage": -1.0,
        "group": 7,
        "status": "completed",
        "sampling_step": 2,
    }
    assert (found["metrics.kl"], found["rewards.format"]) == (0.25, 1.0)


def test_a_sample_has_what_its_columns_have_and_its_words() -> None:
    found = sample(row(reward=0.5, kl="NaN", answer="4", comment="hm"))
    assert [(message.role, message.text) for message in found.messages] == [("user", "2 + 2?"), ("assistant", "4")]
    assert (found.reward, found.golden_answers, found.turns[0].logs) == (0.5, {"answer": "4"}, {"comment": "hm"})
    assert math.isnan(found.metrics["kl"]), "trackio writes NaN as a word"


@pytest.mark.parametrize(
    ("key", "metadata", "split"),
    [
        ("rollouts", {}, "train"),
        ("eval/maths", {}, "eval/maths"),
        ("maths_validation", {}, "eval/maths"),
        ("eval", {}, "eval"),
        ("evaluate", {}, "train"),
        ("rollouts", {"validate": True}, "eval/validation"),
    ],
)
def test_an_evaluation_is_told_by_its_key_or_by_itself(key: str, metadata: dict[str, Any], split: str) -> None:
    assert split_of(key, metadata) == split


def test_a_sample_index_is_the_group_in_verl_s_rollouts_only() -> None:
    assert values(row(sample_index=4, rollout_n=1))["group"] == 4
    assert values(row(sample_index=4))["group"] is None


def test_verl_s_loop_counts_the_tokens_that_its_mask_has() -> None:
    output = {"prompt_ids": [1, 2], "response_ids": [3, 4, 5], "response_mask": [1, 0, 1], "reward_score": 1.0}
    output |= {"prompt_text": "2 + 2?", "response_text": "4"}
    filled = [{"role": "user", "content": "verl rollout trace operation: run"}, {"role": "user", "content": "{}"}]
    loop = row(filled, op="run", output=output)
    found = values(loop)
    assert (found["prompt_tokens"], found["completion_tokens"], found["reward"], found["env"]) == (2, 2, 1.0, "run")
    assert [message.text for message in sample(loop).messages] == ["2 + 2?", "4"]


@pytest.mark.parametrize("cell", [b"\xff", "[1]", "{", None, ""])
def test_metadata_that_is_no_object_says_nothing(cell: Any) -> None:
    assert as_object(cell) == {}
    assert values((1, None, None, 0, cell, cell, None, None))["step"] == 0
