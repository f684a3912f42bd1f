"""Intervals and tests against their definitions."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.query.insights.statistics import LARGE, mean_interval, mean_of, paired_test, wilson

NUMBERS = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=7)


def test_a_mean_of_the_largest_numbers_is_one_of_them() -> None:
    assert mean_of([1e308, 1e308, 1.7e308]) == pytest.approx(1.2333333e308)
    assert mean_of([0.1] * 10) == 0.1
    assert mean_of([]) is None


@given(NUMBERS)
def test_the_paired_test_of_few_differences_tries_every_change_of_signs(differences: list[float]) -> None:
    seen = abs(sum(differences))
    ways = list(itertools.product([1, -1], repeat=len(differences)))
    as_far = sum(abs(sum(s * d for s, d in zip(way, differences))) >= seen - 1e-9 for way in ways)
    assert paired_test(np.array(differences)) == pytest.approx(as_far / len(ways))


def test_the_test_is_the_same_at_every_call_and_near_the_normal_one() -> None:
    chance = random.Random(1)
    differences = np.array([chance.gauss(0.1, 1.0) for _ in range(400)])
    sampled = paired_test(differences)
    assert sampled == paired_test(differences)
    normal = paired_test(np.tile(differences, LARGE // 400 + 1)[: LARGE + 1])
    assert sampled is not None
    assert normal is not None
    assert normal < sampled < 0.2


def test_the_interval_holds_the_true_mean_about_as_often_as_it_says() -> None:
    chance = np.random.default_rng(3)
    held = 0
    for _ in range(60):
        interval = mean_interval(chance.normal(0.5, 1.0, 80))
        assert interval is not None
        held += interval[0] <= 0.5 <= interval[1]
    assert 50 <= held <= 60


def test_a_large_sample_s_interval_is_that_of_the_formula_and_close_to_the_resampled_one() -> None:
    values = np.random.default_rng(4).normal(0, 1, LARGE)
    resampled, formula = mean_interval(values), mean_interval(np.append(values, values.mean()))
    assert resampled == pytest.approx(formula, abs=0.005)


def test_one_value_has_neither_interval_nor_test() -> None:
    assert mean_interval(np.array([1.0])) is None
    assert paired_test(np.array([1.0])) is None


def test_wilson_s_interval_is_the_published_one() -> None:
    low, high = wilson(np.array([0.0, 1.0, 0.5]), np.array([8.0, 8.0, 10.0]))
    assert low.tolist() == pytest.approx([0.0, 0.6756, 0.2366], abs=1e-4)
    assert high.tolist() == pytest.approx([0.3244, 1.0, 0.7634], abs=1e-4)
