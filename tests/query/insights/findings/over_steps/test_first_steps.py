"""What is usual in a run: what nearly all samples of its first steps stay below."""

from __future__ import annotations

import numpy as np
from tests.query.insights.findings.splits import split_data

from rollscope.query.insights.findings.over_steps.first_steps import usual_in, usual_of


def test_nearly_all_values_stay_below_it() -> None:
    assert usual_of(np.linspace(0.9, 1.0, 101), margin=0.05) > 0.99


def test_a_few_values_far_above_the_rest_are_not_usual() -> None:
    values = np.array([1.0] * 90 + [50.0] * 10)
    assert usual_of(values, margin=0.5) == 1.0
    assert usual_of(values, margin=100.0) == 50.0, "within the margin they are"


def test_values_that_are_missing_do_not_count() -> None:
    assert usual_of(np.array([np.nan, 2.0, np.nan]), margin=0.0) == 2.0
    assert usual_of(np.array([np.nan]), margin=0.0) == 0.0


def test_only_the_first_steps_are_asked() -> None:
    data = split_data([step for step in range(20) for _ in range(20)], text__words=[1.0] * 200 + [9.0] * 200)
    assert usual_in(data, "text.words", margin=0.0) == 1.0
