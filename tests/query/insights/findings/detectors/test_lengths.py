"""Lengths that move, and how surely that is said."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
from tests.fixtures import write_jsonl
from tests.prose import prose

import rollscope
from rollscope.query.insights.findings.detectors.lengths import MAX_Z, _growth, _said_z


def test_lengths_without_any_spread_give_no_absurd_number() -> None:
    values = np.repeat([10.0, 20.0], 40)
    first = np.arange(80) < 40
    found = _growth(values, first, ~first)
    assert found is not None
    assert found[0] == MAX_Z
    assert _said_z(found[0]) == "beyond doubt"
    assert _growth(np.full(80, 10.0), first, ~first) == (0.0, 1.0)
    assert _said_z(-3.84) == "z = -3.8"


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
