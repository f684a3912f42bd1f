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


def test_how_alike_prompts_are_is_told_by_groups_in_which_some_are_right() -> None:
    chance = np.random.default_rng(7)
    sizes = np.full(400, 8)
    easy_and_hard = chance.binomial(8, chance.beta(0.8, 0.8, 400))
    of_one_kind = chance.binomial(8, 0.4, 400)
    planted = np.where(np.arange(400) % 10 == 0, 0, of_one_kind)
    assert groups_alike(easy_and_hard, sizes) == pytest.approx(1 / 2.6, abs=0.1)
    assert groups_alike(of_one_kind, sizes) < 0.03
    assert groups_alike(planted, sizes) < 0.03, "groups that are all wrong say nothing of the others"
    assert groups_alike(of_one_kind[:9], sizes[:9]) == 0.95, "of few groups nobody knows"


def test_groups_of_hard_and_easy_prompts_are_no_more_than_these_explain() -> None:
    reported = 0
    for seed in range(20):
        chance = np.random.default_rng(seed)
        skill = np.repeat(1 / (1 + np.exp(-chance.normal(0, 1.5, 160))), 8)
        groups = [f"{row // 8}" for row in range(1280)]
        rewards = (chance.random(1280) < skill).astype(float)
        found = zero_variance(split_data([row // 32 for row in range(1280)], group=groups, reward=rewards))
        reported += sum(item.rise == 0 for item in found)
    assert reported <= 3  # of 40: they look like chance of another kind of prompts
