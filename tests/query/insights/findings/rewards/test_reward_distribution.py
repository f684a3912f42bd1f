"""A change of the rewards that their mean hides, because prompts differ, shows in which rewards there are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollscope.query.insights.findings.over_steps.change_points import StepMeans
from rollscope.query.insights.findings.over_steps.jumps import find_jump
from rollscope.query.insights.findings.rewards.reward_distribution import scores_of_steps

STEPS, GROUPS, MEMBERS = 40, 4, 8
Rewards = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[Any]]


def rewards(chance: np.random.Generator, by: float, at: int = 20) -> Rewards:
    """(steps, the step of each sample, its group, its reward): very easy and very hard prompts; from a step on all rewards are
    higher by so much."""
    codes = np.repeat(np.arange(STEPS), GROUPS * MEMBERS)
    groups = np.repeat(np.arange(STEPS * GROUPS), MEMBERS)
    right = chance.random(len(codes)) < np.repeat(chance.beta(0.7, 0.7, STEPS * GROUPS), MEMBERS)
    return np.arange(STEPS), codes, groups, np.where(right, 0.8, 0.1) + by * (codes >= at)


def test_rewards_that_nobody_had_before_tell_a_jump() -> None:
    chance = np.random.default_rng(1)
    by_scores = by_means = 0
    for _ in range(20):
        steps, codes, groups, values = rewards(chance, 0.15)
        scores = scores_of_steps(steps, codes, values, groups)
        assert scores is not None
        jump = find_jump(scores)
        by_scores += jump is not None and jump.first <= 20 <= jump.last
        by_means += find_jump(StepMeans(steps, codes, values, groups)) is not None
    assert by_scores >= 19
    assert by_means < 19


def test_scores_of_rewards_that_do_not_change_hardly_ever_jump() -> None:
    chance = np.random.default_rng(2)
    made = (rewards(chance, 0.0) for _ in range(40))
    found = [scores_of_steps(steps, codes, values, groups) for steps, codes, groups, values in made]
    assert sum(scores is not None and find_jump(scores) is not None for scores in found) <= 1


def test_without_groups_each_sample_is_one() -> None:
    steps, codes, _, values = rewards(np.random.default_rng(3), 0.15)
    scores = scores_of_steps(steps, codes, values, None)
    assert scores is not None
    assert find_jump(scores) is not None


def test_nothing_is_learned_from_equal_rewards_or_few_groups() -> None:
    steps, codes, groups, values = rewards(np.random.default_rng(4), 0.15)
    assert scores_of_steps(steps, codes, np.full(len(codes), 0.5), groups) is None
    assert scores_of_steps(steps, codes, np.full(len(codes), np.nan), groups) is None
    few = groups < 20
    assert scores_of_steps(steps, codes[few], values[few], groups[few]) is None


def test_scores_of_one_group_a_step_hardly_ever_jump_where_nothing_changes() -> None:
    chance = np.random.default_rng(6)
    steps, found = np.arange(100), 0
    codes = np.repeat(steps, 4)
    for _ in range(40):
        right = chance.random(len(codes)) < np.repeat(chance.beta(0.7, 0.7, 100), 4)
        scores = scores_of_steps(steps, codes, right.astype(float), codes)
        found += scores is not None and find_jump(scores) is not None
    assert found <= 4
