"""Groups whose rewards are all equal, where that is more than chance: all high and all low apart."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.query.insights.findings.splits import split_data

from rollscope.query.insights.findings.detectors.zero_variance import groups_alike, zero_variance
from rollscope.query.insights.findings.model import CannotKnow, SplitData

STEPS, GROUPS, SIZE = 20, 8, 8


def data(same_from: int, value: float) -> SplitData:
    """Half of the rewards are 1; from this step on half of the groups have this one value."""
    chance = random.Random(3)
    steps, groups, rewards = [], [], []
    for step in range(STEPS):
        for group in range(GROUPS):
            same = step >= same_from and group % 2 == 0
            steps += [step] * SIZE
            groups += [f"{group}"] * SIZE
            rewards += [value if same else float(chance.random() < 0.5) for _ in range(SIZE)]
    return split_data(steps, group=groups, reward=rewards)


def test_groups_that_are_all_high_and_all_low_are_told_apart() -> None:
    high, low = zero_variance(data(10, 1.0))
    assert (high.where, low.where) == ("reward_spread = 0 and reward >= 0.5", "reward_spread = 0 and not reward >= 0.5")
    assert int(high.mask.sum()) >= 10 * 4 * SIZE
    assert int(low.mask.sum()) < 3 * SIZE
    assert high.together == SIZE


def test_more_of_them_than_chance_explains_need_no_rise() -> None:
    high, low = zero_variance(data(10, 1.0))
    assert high.rise == 0
    assert low.rise > 0


def test_two_large_groups_that_chance_would_hardly_bring_about_are_enough() -> None:
    chance = random.Random(5)
    groups = [f"{row // 16}" for row in range(1280)]
    rewards = [0.0 if row // 16 in (40, 70) else float(chance.random() < 0.5) for row in range(1280)]
    _, low = zero_variance(split_data([row // 64 for row in range(1280)], group=groups, reward=rewards))
    assert (int(low.mask.sum()), low.rise) == (32, 0.0)


def test_a_group_of_one_sample_is_not_judged() -> None:
    with pytest.raises(CannotKnow, match="no group has two samples with rewards"):
        list(zero_variance(split_data([1, 1, 1], group=["a", "b", "c"], reward=[1.0, 1.0, 0.0])))


def test_groups_are_alike_as_far_as_rewards_differ_between_them() -> None:
    groups = np.repeat(np.arange(40), 8)
    apart = np.repeat(np.arange(40) % 2, 8).astype(float)
    mixed = np.tile(np.array([0.0, 1.0]), 160)
    assert groups_alike(groups, apart) == 0.95
    assert groups_alike(groups, mixed) == 0.0
    assert groups_alike(groups[:16], apart[:16]) is None
