"""Intervals and tests, the same at every call: what is random in them has a fixed seed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rollscope.arrays import Floats

SEED = 20_240_229
RESAMPLES = 2_000
#: From here on the mean of resamples is normal for all that can be seen, and its formula is used.
LARGE = 5_000
#: Up to here all ways to swap the signs are tried: 4,096 of them.
EXACT = 12
Z95 = 1.959963984540054


def mean_of(values: Sequence[float]) -> float | None:
    """None of none. Of finite values it is finite, although their sum may not be."""
    if not values:
        return None
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return math.fsum(value / len(values) for value in values)


def wilson(shares: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Wilson's 95 % interval of shares that were seen in so many trials."""
    square = Z95**2
    middle = (shares + square / (2 * counts)) / (1 + square / counts)
    reach = Z95 / (1 + square / counts) * np.sqrt(shares * (1 - shares) / counts + square / (4 * counts**2))
    return middle - reach, middle + reach


def mean_interval(values: Floats) -> tuple[float, float] | None:
    """The 95 % bootstrap interval of the mean; None of fewer than two values."""
    count = len(values)
    if count < 2:
        return None
    if count > LARGE:
        mean, reach = float(values.mean()), Z95 * float(values.std(ddof=1)) / count**0.5
        return mean - reach, mean + reach
    chance = np.random.default_rng(SEED)
    means = np.array([values[chance.integers(0, count, count)].mean() for _ in range(RESAMPLES)])
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def paired_test(differences: Floats) -> float | None:
    """How often differences at least so far from 0 in the mean come about when the sign of each is a matter of chance;
    None of fewer than two."""
    count = len(differences)
    if count < 2:
        return None
    seen = abs(float(differences.sum()))
    tiny = 1e-9 * float(np.abs(differences).sum())  # sums in another order differ in their last bits
    if count > LARGE:
        from math import erfc, sqrt

        spread = float(np.sqrt((differences**2).sum()))
        return erfc(seen / spread / sqrt(2)) if spread else 1.0
    if count <= EXACT:
        ways = np.arange(2**count)[:, None] >> np.arange(count)[None, :] & 1
        sums = np.abs((1 - 2 * ways) @ differences)
        return float((sums >= seen - tiny).mean())
    chance = np.random.default_rng(SEED)
    sums = np.array([abs((1 - 2 * chance.integers(0, 2, count)) @ differences) for _ in range(RESAMPLES)])
    return float(((sums >= seen - tiny).sum() + 1) / (RESAMPLES + 1))
