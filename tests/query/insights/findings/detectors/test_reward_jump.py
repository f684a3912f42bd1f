"""A sudden change of the mean reward is found with its step; a gradual one and noise are not."""

from __future__ import annotations

import random

import pytest
from tests.query.insights.findings.splits import split_data

from rollscope.query.insights.findings.detectors.reward_jump import reward_jump
from rollscope.query.insights.findings.model import CannotKnow, SplitData

STEPS, SAMPLES = 40, 32


def data(mean_of: list[float]) -> SplitData:
    chance = random.Random(7)
    rewards = [float(chance.random() < mean) for mean in mean_of for _ in range(SAMPLES)]
    return split_data([step for step in range(len(mean_of)) for _ in range(SAMPLES)], reward=rewards)


@pytest.mark.parametrize(("before", "after", "title"), [(0.2, 0.7, "jumps up"), (0.8, 0.3, "drops suddenly")])
def test_a_jump_is_dated_and_its_filter_has_what_comes_after(before: float, after: float, title: str) -> None:
    (item,) = reward_jump(data([before] * 20 + [after] * 20))
    assert title in item.title
    assert item.where == "step >= 20"
    assert int(item.mask.sum()) == 20 * SAMPLES
    assert item.onset is not None
    assert item.onset[0] <= 20 <= item.onset[1]


def test_a_drop_is_never_serious_by_itself() -> None:
    (item,) = reward_jump(data([0.8] * 20 + [0.3] * 20))
    assert item.severity == "low"


@pytest.mark.parametrize("means", [[0.5] * STEPS, [0.2 + 0.6 * step / STEPS for step in range(STEPS)]])
def test_noise_and_steady_learning_are_no_jump(means: list[float]) -> None:
    assert list(reward_jump(data(means))) == []


def test_few_steps_say_nothing() -> None:
    with pytest.raises(CannotKnow, match="fewer than 10 steps"):
        list(reward_jump(data([0.0] * 4 + [1.0] * 4)))
