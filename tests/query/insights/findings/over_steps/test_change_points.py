"""Changes of a mean are dated, and are those of the steps on either side."""

from __future__ import annotations

import numpy as np
import pytest

from rollscope.query.insights.findings.over_steps.change_points import StepMeans, mean_onset

STEPS, SAMPLES = 40, 32


def test_a_drift_is_dated_to_where_it_begins() -> None:
    chance = np.random.default_rng(2)
    codes = np.repeat(np.arange(STEPS), SAMPLES)
    drift = np.clip((codes - 15) / 10, 0, 1)
    found = mean_onset(StepMeans(np.arange(STEPS), codes, drift + chance.normal(0, 0.5, len(codes))))
    assert found is not None
    assert found[1] <= 16 <= found[2]


def test_a_change_is_that_of_the_steps_on_either_side() -> None:
    steps = np.array([0, 1, 2, 5, 6, 7])
    means = StepMeans(steps, np.arange(6), np.array([1.0, 1.0, 3.0, 0.0, 3.0, 3.0]))
    assert means.change_at(5, 1) == -3.0
    assert means.change_at(5, 3) == pytest.approx(2.0 - 5 / 3)
    assert means.change_at(7, 9) == pytest.approx(3.0 - 8 / 5)
