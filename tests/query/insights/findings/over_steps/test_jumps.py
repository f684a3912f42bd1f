"""Jumps of a mean are found and dated; gradual changes are none."""

from __future__ import annotations

import numpy as np
import pytest

from rollscope.query.insights.findings.over_steps.change_points import StepMeans
from rollscope.query.insights.findings.over_steps.jumps import Jump, find_jump

STEPS, SAMPLES = 40, 32


def jumps(shares: np.ndarray[tuple[int], np.dtype[np.float64]], runs: int = 40) -> list[Jump]:
    """Those found in so many runs whose rewards are 1 by these shares, step by step."""
    chance = np.random.default_rng(1)
    codes = np.repeat(np.arange(STEPS), SAMPLES)
    made = (
        StepMeans(np.arange(STEPS), codes, (chance.random(len(codes)) < shares[codes]).astype(np.float64))
        for _ in range(runs)
    )
    return [jump for means in made if (jump := find_jump(means)) is not None and abs(jump.change) >= 0.08]


@pytest.mark.parametrize(("at", "by"), [(8, 0.3), (20, 0.3), (30, -0.3)])
def test_a_jump_is_found_and_dated(at: int, by: float) -> None:
    found = jumps(np.where(np.arange(STEPS) >= at, 0.5 + by, 0.5))
    assert len(found) >= 36
    assert sum(jump.first <= at <= jump.last for jump in found) >= 0.9 * len(found)
    assert all(jump.change * by > 0 for jump in found)


@pytest.mark.parametrize("rise", [0.0, 0.4, 0.6])
def test_a_steady_rise_is_no_jump(rise: float) -> None:
    assert len(jumps(np.linspace(0.3, 0.3 + rise, STEPS))) <= 2


@pytest.mark.parametrize("scale", [8.0, 20.0])
def test_learning_that_slows_down_is_hardly_ever_a_jump(scale: float) -> None:
    learned = 0.3 + 0.2 * (1 - np.exp(-np.arange(STEPS) / scale))
    assert len(jumps(learned)) <= 2


def test_what_is_learned_in_many_steps_is_no_plain_jump() -> None:
    learned = 0.3 + 0.5 / (1 + np.exp(-(np.arange(STEPS) - 20) / 4))
    assert sum(jump.plain for jump in jumps(learned)) <= 1


def test_a_slow_rise_is_no_plain_jump() -> None:
    assert not any(jump.plain for jump in jumps(np.linspace(0.3, 0.5, STEPS)))


def test_samples_of_a_group_that_are_alike_count_less() -> None:
    chance = np.random.default_rng(3)
    codes, groups = np.repeat(np.arange(STEPS), SAMPLES), np.repeat(np.arange(STEPS * 4), SAMPLES // 4)
    # All rewards of a group are the same: a step has four values, not thirty-two.
    by_group = [(chance.random(STEPS * 4) < 0.5).astype(np.float64) for _ in range(40)]
    found = [find_jump(StepMeans(np.arange(STEPS), codes, rewards[groups], groups)) for rewards in by_group]
    assert sum(jump is not None for jump in found) <= 1


def test_one_of_several_means_must_be_surer() -> None:
    shares = np.linspace(0.3, 0.5, STEPS)
    chance = np.random.default_rng(1)
    codes = np.repeat(np.arange(STEPS), SAMPLES)
    made = [
        StepMeans(np.arange(STEPS), codes, (chance.random(len(codes)) < shares[codes]).astype(np.float64))
        for _ in range(60)
    ]
    alone, among_four = (sum(find_jump(means, count) is not None for means in made) for count in (1, 4))
    assert among_four <= alone / 3


@pytest.mark.parametrize("at", [8, 15, 30])
def test_a_drop_need_not_be_plainly_no_slope(at: int) -> None:
    found = jumps(np.where(np.arange(STEPS) >= at, 0.25, 0.45))
    assert len(found) >= 36
    assert all(jump.change < 0 for jump in found)
