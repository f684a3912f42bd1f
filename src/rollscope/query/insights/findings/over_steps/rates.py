"""Rates over the steps: how often at first, since when more often."""

from __future__ import annotations

import numpy as np

from rollscope.arrays import Floats, Ints

#: A change of the rate is one where it explains the steps better by this much (log-likelihood): about 1 in 50 by chance.
CHANGE = 4.0
#: One that may be chance, of what was not there at first.
POSSIBLE = 1.0
#: What was there all the time may be missing from the first steps by chance, if that is likelier than this.
UNSEEN = 0.05
#: Steps that explain it almost as well are possible beginnings, too.
NEARLY_AS_WELL = 3.5
#: Steps that a rise may take; each doubling must explain it better by this much.
RISES, SUDDEN = (1, 2, 4, 8, 16, 32, 64), 0.5
#: Beginnings that are tried; longer runs are looked at in stretches of steps.
MAX_BEGINNINGS = 200


def _likelihood(hits: Floats, trials: Floats) -> Floats:
    """Of so many hits in so many trials at their own rate."""
    rate = np.divide(hits, trials, out=np.zeros_like(hits), where=trials > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        yes = np.where(hits > 0, hits * np.log(rate), 0.0)
        no = np.where(trials > hits, (trials - hits) * np.log1p(-rate), 0.0)
    found: Floats = yes + no
    return found


def onset(steps: Ints, hits: Floats, trials: Floats, change: float = CHANGE) -> tuple[int, int] | None:
    """(first, last) step at which the rate may have begun to be another, higher one; None where it did not change, or
    only fell. The step itself is the first with the new rate. `change`: how much better that must explain the steps."""
    if len(steps) < 2 or gain_of_rise(hits, trials) < change:
        return None
    return _beginning(steps, hits, trials)


def gain_of_rise(hits: Floats, trials: Floats) -> float:
    """How much better two rates explain the steps than one, a lower one and then a higher one (log-likelihood)."""
    before_hits, before = np.cumsum(hits)[:-1], np.cumsum(trials)[:-1]
    after_hits, after = hits.sum() - before_hits, trials.sum() - before
    split = _likelihood(before_hits, before) + _likelihood(after_hits, after)
    whole = float(_likelihood(np.array([hits.sum()]), np.array([trials.sum()]))[0])
    rising = np.divide(after_hits, np.maximum(after, 1)) > np.divide(before_hits, np.maximum(before, 1))
    return float(np.where(rising, split - whole, -np.inf).max(initial=-np.inf))


def first_seen(steps: Ints, hits: Floats, trials: Floats) -> tuple[int, int] | None:
    """The same of what is so rare that it may have been there all the time, where the first steps have none of it: it began
    at the latest where it is first seen."""
    seen = int(np.flatnonzero(hits)[0])
    if seen == 0:
        return None
    found = onset(steps, hits, trials, POSSIBLE)
    if found is None:
        return None
    first = min(found[0], int(steps[seen]))
    rate = float(hits.sum()) / float(trials[seen:].sum())
    if (1 - min(rate, 1.0)) ** float(trials[:seen].sum()) > UNSEEN:
        first = int(steps[0])
    return first, min(max(found[1], found[0]), int(steps[seen]))


def _beginning(steps: Ints, hits: Floats, trials: Floats) -> tuple[int, int]:
    """The steps at which a rise may have begun, given that there is one: it may be sudden, or take its time."""
    starts = np.arange(len(steps)) if len(steps) <= MAX_BEGINNINGS else np.linspace(0, len(steps), MAX_BEGINNINGS + 1)
    starts = np.unique(starts[starts < len(steps)].astype(np.int64))
    hits, trials = np.add.reduceat(hits, starts), np.add.reduceat(trials, starts)
    place = np.arange(len(starts))
    gain = np.full(len(starts), -np.inf)
    for length in RISES:
        # A row for every beginning: how far the rise has come at each step.
        risen = np.clip((place[None, :] - place[:, None] + 1) / length, 0.0, 1.0)
        gain = np.maximum(gain, _fit(risen, hits, trials) - SUDDEN * np.log2(length))
    gain[0] = -np.inf  # what was there from the first step on did not begin
    near = np.flatnonzero(gain >= gain.max() - NEARLY_AS_WELL)
    low, high = max(1, int(near[0])), int(near[-1])
    last = starts[high + 1] - 1 if high + 1 < len(starts) else len(steps) - 1
    return int(steps[starts[low]]), int(steps[last])


def _fit(risen: Floats, hits: Floats, trials: Floats) -> Floats:
    """Log-likelihood of each row of `risen`, with the rates before and after it that fit best (least squares)."""
    weight, squares, product = (trials * risen).sum(1), (trials * risen * risen).sum(1), (hits * risen).sum(1)
    all_trials, all_hits = trials.sum(), hits.sum()
    scale = all_trials * squares - weight * weight
    with np.errstate(divide="ignore", invalid="ignore"):
        rise = (all_trials * product - weight * all_hits) / scale
    rates = np.clip((all_hits - rise * weight)[:, None] / all_trials + rise[:, None] * risen, 1e-5, 1 - 1e-5)
    found: Floats = (hits * np.log(rates) + (trials - hits) * np.log1p(-rates)).sum(1)
    return np.where((scale > 1e-9) & (rise > 0), found, -np.inf)
