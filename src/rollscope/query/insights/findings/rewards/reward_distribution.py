"""How the distribution of rewards changes over the steps. Prompts differ, so that means of steps vary by chance; but a change
may show where no mean does: rewards that nobody had before, or no group any more in which all are wrong.

Each group is reduced to one number, its score: what it has more often after the likeliest step of a change than before it
(Fisher's discriminant of the shares of its rewards). The step and the weights are learned from every other group and score the
rest, so that a score is no more likely to jump by chance than a mean.
"""

from __future__ import annotations

import numpy as np

from rollscope.arrays import Floats, Ints
from rollscope.query.insights.findings.over_steps.change_points import StepMeans

#: Stretches of rewards, and of means of groups, whose shares are compared.
REWARD_BINS, MEAN_BINS = 8, 6
#: Fewer groups teach nothing. Of more than the second number some are drawn: the mean itself tells enough.
MIN_GROUPS, MAX_GROUPS = 40, 20_000
#: Of the mean variance: added to each, so that weights of rare rewards stay small.
RIDGE = 0.05
#: Steps that must lie on either side of a change.
SIDE = 2


def scores_of_steps(steps: Ints, codes: Ints, values: Floats, groups: Ints | None) -> StepMeans | None:
    """Means over the steps of the scores of groups, or of samples without groups; None where nothing can be learned."""
    usable = np.isfinite(values)
    codes, values = codes[usable], values[usable]
    if not len(values) or not np.ptp(values) > 0:
        return None
    units, count = _numbered(groups[usable] if groups is not None else np.arange(len(values)))
    if count > MAX_GROUPS:
        drawn = np.zeros(count, dtype=bool)
        drawn[np.linspace(0, count - 1, MAX_GROUPS).astype(np.int64)] = True
        kept = drawn[units]
        codes, values = codes[kept], values[kept]
        units, count = _numbered(units[kept])
    if count < MIN_GROUPS:
        return None
    of_step = np.zeros(count, dtype=np.int64)
    of_step[units] = codes
    shares = _shares(units, count, values)
    scores = np.zeros(count)
    half = np.arange(count) % 2 == 0
    for taught, scored in ((half, ~half), (~half, half)):
        weights = _learned(shares[taught], of_step[taught], len(steps))
        if weights is None:
            return None
        found = shares[scored] @ weights
        spread = float(found.std())
        scores[scored] = found / spread if spread > 0 else 0.0
    return StepMeans(steps, of_step, scores)


def _shares(units: Ints, count: int, values: Floats) -> Floats:
    """A row per group: the shares of its rewards that lie in each stretch, the stretch of its mean, and the mean."""
    sizes = np.bincount(units, minlength=count).astype(float)
    means = np.bincount(units, weights=values, minlength=count) / sizes
    bins, number = _binned(values, REWARD_BINS)
    found = [np.bincount(units * number + bins, minlength=count * number).reshape(count, number) / sizes[:, None]]
    if sizes.max() > 1:
        places, number = _binned(np.round(means, 9), MEAN_BINS)
        found.append(np.eye(number)[places])
    found.append((means / (float(values.std()) or 1.0))[:, None])
    rows = np.concatenate(found, axis=1)
    centred: Floats = rows - rows.mean(axis=0)
    return centred


def _numbered(groups: Ints) -> tuple[Ints, int]:
    """(groups numbered without gaps, how many there are)."""
    there = np.bincount(groups) > 0
    return (np.cumsum(there) - 1)[groups], int(there.sum())


def _binned(values: Floats, number: int) -> tuple[Ints, int]:
    """(the stretch of each, how many there are): each value by itself where they are few."""
    distinct = np.unique(values)
    edges = distinct[1:] if len(distinct) <= number else np.unique(np.quantile(values, np.arange(1, number) / number))
    return np.searchsorted(edges, values, side="right"), len(edges) + 1


def _learned(rows: Floats, codes: Ints, steps: int) -> Floats | None:
    """The weights that part best what comes after some step from what comes before it."""
    spread = np.cov(rows.T)
    spread = spread + RIDGE * float(np.trace(spread)) / len(spread) * np.eye(len(spread))
    try:
        whitened = np.linalg.cholesky(np.linalg.inv(spread))
    except np.linalg.LinAlgError:
        return None
    seen = rows @ whitened
    totals = np.stack([np.bincount(codes, weights=column, minlength=steps) for column in seen.T], axis=1)
    before, counts = np.cumsum(totals, axis=0)[:-1], np.cumsum(np.bincount(codes, minlength=steps))[:-1].astype(float)
    after, rest = totals.sum(axis=0) - before, len(rows) - counts
    usable = (counts > 0) & (rest > 0)
    usable[: SIDE - 1] = usable[len(usable) - SIDE + 1 :] = False
    if not usable.any():
        return None
    change = after / np.maximum(rest, 1)[:, None] - before / np.maximum(counts, 1)[:, None]
    parted = np.where(usable, counts * rest * (change**2).sum(axis=1), -np.inf)
    weights: Floats = whitened @ change[int(np.argmax(parted))]
    return weights
