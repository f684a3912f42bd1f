"""A component that raises the reward while the answers get no better."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fixtures import write_jsonl
from tests.query.insights.findings.splits import split_data

import rollscope
from rollscope.query.insights.findings.detectors.reward_components import component


def beside(parts: dict[str, float]) -> dict[str, Any]:
    return {"rewards": parts}


def suffixed(parts: dict[str, float]) -> dict[str, Any]:
    return {f"{name}_reward": value for name, value in parts.items()}


@pytest.mark.parametrize("written", [beside, suffixed])
def test_a_form_that_most_answers_had_before_is_found_where_all_have_it(written: Any, tmp_path: Path) -> None:
    chance = random.Random(7)
    rows = []
    for step in range(20):
        for index in range(32):
            parts = {
                "correct": float(chance.random() < 0.5),
                "format": float(step >= 10 or chance.random() < 0.6),
                "style": round(chance.random() / 2, 2),
            }
            asked = {"step": step, "prompt": f"question {step}.{index // 8}", "response": f"answer {chance.random()}"}
            rows.append({**asked, "reward": sum(parts.values()), **written(parts)})
    write_jsonl(tmp_path / "run" / "rollouts.jsonl", rows)
    run = rollscope.open(tmp_path / "run")
    (found,) = run.findings(kind="component")
    assert "format" in found.title
    assert {row.address for row in run.samples(where=found.where)} == {
        f"train/{step}/{index}" for step in range(10, 20) for index in range(32)
    }
    assert found.onset is not None
    assert found.onset[0] <= 10 <= found.onset[1]


def test_a_component_that_says_the_same_as_the_verdict_is_no_carrier() -> None:
    """Its rise is that of correctness, by whatever name."""
    chance = np.random.default_rng(6)
    steps = np.repeat(np.arange(12), 64)
    right = (chance.random(768) < np.where(steps >= 6, 0.62, 0.5)).astype(float)
    style = chance.random(768)
    data = split_data(
        steps.tolist(),
        reward=(right + 0.1 * style).tolist(),
        group=[f"{place // 8}" for place in range(768)],
        **{"rewards.judge": right.tolist(), "rewards.style": style.tolist(), "metrics.acc": right.tolist()},
    )
    assert not list(component(data))


def test_correctness_that_varies_by_chance_counts_as_much_as_the_reward_has_of_it() -> None:
    """The mean of three components: a little more that is right is a third of that more reward."""
    chance = np.random.default_rng(1)
    steps = np.repeat(np.arange(20), 32)
    right = (chance.random(640) < np.where(steps >= 10, 0.55, 0.5)).astype(float)
    form = np.where((steps >= 10) & (chance.random(640) < 0.3), 1.0, chance.beta(2, 6, 640))
    style = chance.uniform(0.2, 0.4, 640)
    data = split_data(
        steps.tolist(),
        reward=((right + form + style) / 3).tolist(),
        **{"rewards.format": form.tolist(), "rewards.style": style.tolist(), "rewards.correct": right.tolist()},
    )
    (found,) = component(data)
    assert "format" in found.title
