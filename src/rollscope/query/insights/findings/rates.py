"""Rates over the steps: how often at first, since when more often."""

from __future__ import annotations

from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: A change of the rate is one where it explains the steps better by this much (log-likelihood): about 1 in 400 by chance.
CHANGE = 5.0
#: Steps that explain it almost as well are possible beginnings, too.
NEARLY_AS_WELL = 3.0


def _likelihood(hits: Floats, trials: Floats) -> Floats:
    """Of so many hits in so many trials at their own rate."""
    rate = np.divide(hits, trials, out=np.zeros_like(hits), where=trials > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        yes = np.where(hits > 0, hits * np.log(rate), 0.0)
        no = np.where(trials > hits, (trials - hits) * np.log1p(-rate), 0.0)
    found: Floats = yes + no
    return found


def onset(steps: Ints, hits: Floats, trials: Floats) -> tuple[int, int] | None:
    """(first, last) step at which the rate may have begun to be another, higher one; None where it did not change, or
    only fell. The step itself is the first with the new rate."""
    if len(steps) < 2:
        return None
    before_hits, before = np.cumsum(hits)[:-1], np.cumsum(trials)[:-1]
    after_hits, after = hits.sum() - before_hits, trials.sum() - before
    split = _likelihood(before_hits, before) + _likelihood(after_hits, after)
    whole = float(_likelihood(np.array([hits.sum()]), np.array([trials.sum()]))[0])
    rising = np.divide(after_hits, np.maximum(after, 1)) > np.divide(before_hits, np.maximum(before, 1))
    gain = np.where(rising, split - whole, -np.inf)
    best = int(np.argmax(gain))
    if gain[best] < CHANGE:
        return None
    near = np.flatnonzero(gain >= gain[best] - NEARLY_AS_WELL)
    near = near[(near <= best) | (near >= best)]
    # Only those that hang together with the best one.
    low = high = best
    places = set(near.tolist())
    while low - 1 in places:
        low -= 1
    while high + 1 in places:
        high += 1
    return int(steps[low + 1]), int(steps[high + 1])


def z_of_shares(a: float, n_a: int, b: float, n_b: int) -> float:
    """How many standard errors share b lies above share a."""
    pooled = (a * n_a + b * n_b) / max(n_a + n_b, 1)
    error = sqrt(max(pooled * (1 - pooled), 1e-12) * (1 / max(n_a, 1) + 1 / max(n_b, 1)))
    return (b - a) / error


def two_sided(z: float) -> float:
    return erfc(abs(z) / sqrt(2))
