"""Means and spreads beside numbers of any size."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rollscope.index.statistics.moments import moments


@pytest.mark.parametrize(
    ("values", "mean", "std"),
    [
        ([0.0, 1.0], 0.5, 0.5),
        ([0.1, 0.1, 0.1], 0.1, 0.0),
        ([1e308, 1e308], 1e308, 0.0),
        ([1e308, -1e308], 0.0, 1e308),
        ([1e308, -1e308, 3.0], 1.0, 1e308 * math.sqrt(2 / 3)),
        ([1e-300, 3e-300], 2e-300, 1e-300),
        ([5e-324], 5e-324, 0.0),
    ],
)
def test_small_numbers_keep_their_spread_beside_large_ones(values: list[float], mean: float, std: float) -> None:
    beside = [0.0, 1.0]
    means, stds = moments(np.array([*beside, *values, *beside]), np.array([0, 2, 2 + len(values)]))
    assert means.tolist() == [0.5, pytest.approx(mean, rel=1e-12), 0.5]
    assert stds.tolist() == [0.5, pytest.approx(std, rel=1e-12), 0.5]
