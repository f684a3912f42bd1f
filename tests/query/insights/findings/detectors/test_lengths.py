"""Lengths that move, and how surely that is said."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fixtures import write_jsonl
from tests.prose import prose
from tests.query.insights.findings.splits import split_data

import rollscope
from rollscope.query.insights.findings.detectors.lengths import MAX_Z, _growth, _shown_z, length
from rollscope.query.insights.findings.model import SplitData


def test_lengths_without_any_spread_give_no_absurd_number() -> None:
    values = np.repeat([10.0, 20.0], 40)
    first = np.arange(80) < 40
    found = _growth(values, first, ~first)
    assert found is not None
    assert found[0] == MAX_Z
    assert _shown_z(found[0]) == "beyond doubt"
    assert _growth(np.full(80, 10.0), first, ~first) == (0.0, 1.0)
    assert _shown_z(-3.84) == "z = -3.8"


def test_wrong_answers_that_are_drawn_out_are_told_once(tmp_path: Path) -> None:
    chance = random.Random(4)
    rows: list[dict[str, Any]] = []
    for step in range(20):
        for index in range(32):
            right = chance.random() < 0.5
            said = prose(chance, 300 if right or step < 10 else 900)
            rows.append({"step": step, "prompt": f"q{step}.{index // 8}", "group_id": f"{step}.{index // 8}"})
            rows[-1] |= {"response": said, "reward": float(right)}
    write_jsonl(tmp_path / "run" / "rollouts.jsonl", rows)
    (found,) = rollscope.open(tmp_path / "run").findings(kind="length_reward")
    assert "Low-reward" in found.title


def lengths(grown: float, share: float, start: int = 12) -> SplitData:
    """40 steps of 32 answers, of which from a step on this share is so many times as long."""
    chance = np.random.default_rng(2)
    steps = np.repeat(np.arange(40), 32)
    longer = (steps >= start) & (chance.random(1280) < share)
    values = np.where(longer, grown, 1.0) * np.exp(chance.normal(6, 0.3, 1280))
    return split_data(steps.tolist(), **{"text.chars": np.round(values).tolist()})


@pytest.mark.parametrize("share", [0.04, 0.1, 0.3])
def test_where_some_answers_grow_it_is_those_that_are_meant(share: float) -> None:
    data = lengths(4.0, share)
    (found,) = length(data)
    assert found.title == "Some answers get longer"
    longer = data.numbers("text.chars") > 1000
    assert (found.mask & longer & (data.steps >= 12)).sum() >= 0.9 * (longer & (data.steps >= 12)).sum()
    assert (found.mask & (data.steps < 12)).sum() <= 0.05 * found.mask.sum()


def test_where_all_answers_grow_all_since_then_are_meant() -> None:
    (found,) = length(lengths(1.6, 1.0))
    assert (found.title, found.where) == ("Answers get longer", "step >= 12")


def test_some_answers_that_shrink_are_told_too() -> None:
    (found,) = length(lengths(0.2, 0.1))
    assert found.title == "Some answers get shorter"


def test_lengths_that_drift_a_little_are_no_finding() -> None:
    chance = np.random.default_rng(4)
    steps = np.repeat(np.arange(40), 32)
    values = np.round(np.exp(chance.normal(6, 0.4, 1280) + 0.1 * steps / 40))
    assert not list(length(split_data(steps.tolist(), **{"text.chars": values.tolist()})))
