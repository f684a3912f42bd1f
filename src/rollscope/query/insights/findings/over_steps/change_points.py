"""Where the mean of something changes over the steps: at once, or gradually, and since when."""

from __future__ import annotations

import numpy as np

from rollscope.arrays import Floats, Ints
from rollscope.query.insights.findings.over_steps.rates import MAX_BEGINNINGS, NEARLY_AS_WELL, RISES, SUDDEN

#: Of the differences of neighbours the smaller ones, and the mean of their squares where all are chance (chi-squared).
SMALLER, THEIR_MEAN = 0.9, 0.623
#: Steps differ by more than samples do from this ratio of variances on; below it may be chance.
BEYOND_CHANCE = 1.5


def _between(means: Floats) -> float:
    """The variance of steps that neighbours show, but for the few that differ most: these may be what is looked for."""
    squares = np.sort((np.diff(means) - np.median(np.diff(means))) ** 2) if len(means) > 1 else np.zeros(0)
    kept = squares[: max(1, int(SMALLER * len(squares)))]
    return float(kept.mean()) / THEIR_MEAN / 2 if len(kept) else 0.0


def design_effect(codes: Ints, groups: Ints, values: Floats, counts: Floats, within: float) -> float:
    """By what factor means of steps vary more than if samples of a group were not alike (the design effect). Groups are
    numbers from 0 on."""
    sizes = np.bincount(groups)
    there = sizes > 0
    of_step = np.zeros(len(sizes), dtype=np.int64)
    of_step[groups] = codes
    means = np.bincount(codes, weights=values, minlength=len(counts)) / np.maximum(counts, 1)
    less = means[codes]
    np.subtract(values, less, out=less)
    totals = np.bincount(groups, weights=less)
    del less
    number = np.bincount(of_step[there], minlength=len(counts))
    several = there & (number[of_step] > 1)
    if not several.any() or within <= 0:
        return 1.0
    # Of a step's k groups k − 1 are free.
    free = (number[of_step[several]] - 1) / number[of_step[several]]
    expected = within * float((sizes[several] * free).sum())
    return max(1.0, float((totals[several] ** 2).sum()) / expected)


class StepMeans:
    """Means over steps, and how far each may lie from the truth by chance."""

    def __init__(self, steps: Ints, codes: Ints, values: Floats, groups: Ints | None = None) -> None:
        usable = np.isfinite(values)
        if not usable.all():  # nearly always all are, and a large run has millions
            codes, values = codes[usable], values[usable]
            groups = groups[usable] if groups is not None else None
        counts = np.bincount(codes, minlength=len(steps)).astype(float)
        there = counts > 0
        totals = np.bincount(codes, weights=values, minlength=len(steps))
        squares = np.bincount(codes, weights=values * values, minlength=len(steps))
        self.steps: Ints = steps[there]
        self.means: Floats = totals[there] / counts[there]
        #: How far samples lie apart, whatever their step.
        self.spread = float(values.std()) if len(values) else 0.0
        within = float((squares[there] - counts[there] * self.means**2).sum()) / max(1.0, counts.sum() - there.sum())
        variance = max(within, 0.0) / counts[there]
        if groups is not None and len(values):
            variance = variance * design_effect(codes, groups, values, counts, within)
        usual = float(np.median(variance)) if len(variance) else 0.0
        seen = _between(self.means)
        more = seen / usual if usual > 0 else 1.0
        # With one value a step, or equal ones, only neighbours tell how far they lie apart.
        least = seen * (0.25 if usual > 0 else 1.0) + 1e-12
        self.variances: Floats = np.maximum(variance * (more if more > BEYOND_CHANCE else 1.0), least)

    def __len__(self) -> int:
        return len(self.steps)

    def change_at(self, step: int, steps: int) -> float:
        """The mean of so many steps from this one on, less that of as many before it."""
        place = int(np.searchsorted(self.steps, step))
        return float(self.means[place : place + steps].mean() - self.means[max(0, place - steps) : place].mean())

    def binned(self) -> tuple[Ints, Floats, Floats]:
        """(first step of each stretch, its mean, its variance): of very many steps some are taken together."""
        starts = np.arange(len(self))
        if len(self) > MAX_BEGINNINGS:
            starts = np.unique(np.linspace(0, len(self), MAX_BEGINNINGS + 1)[:-1].astype(np.int64))
        weights = np.add.reduceat(1 / self.variances, starts)
        return starts, np.add.reduceat(self.means / self.variances, starts) / weights, 1 / weights


def _fits(base: Floats, added: Floats, means: Floats, variances: Floats) -> tuple[Floats, Floats]:
    """(log-likelihood but for a constant, coefficient) of each row of `added`, beside the best mixture of those of `base`."""
    weights = 1 / np.sqrt(variances)
    basis, _ = np.linalg.qr((base * weights).T)
    seen = means * weights
    seen = seen - basis @ (basis.T @ seen)
    rows = added * weights
    rows = rows - (rows @ basis) @ basis.T
    sizes = (rows * rows).sum(axis=1)
    usable = sizes > 1e-9 * max(1.0, float(sizes.max(initial=0.0)))
    found = np.divide(rows @ seen, sizes, out=np.zeros(len(rows)), where=usable)
    fits: Floats = -0.5 * (float(seen @ seen) - found * found * sizes)
    return fits, found


def near_best(scores: Floats, best: int) -> tuple[int, int]:
    """From the first place that explains it nearly as well as the best to the last."""
    near = np.flatnonzero(scores >= scores[best] - NEARLY_AS_WELL)
    return int(near[0]), int(near[-1])


def mean_onset(data: StepMeans) -> tuple[int, int, int] | None:
    """(best, first, last) step at which the mean may have begun to be another one, at once or gradually."""
    starts, means, variances = data.binned()
    count = len(means)
    if count < 3:
        return None
    place = np.arange(count)
    gain = np.full(count - 1, -np.inf)
    for length in RISES:
        risen = np.clip((place[None, :] - place[1:, None] + 1) / length, 0.0, 1.0)
        gain = np.maximum(gain, _fits(np.ones((1, count)), risen, means, variances)[0] - SUDDEN * np.log2(length))
    best = int(np.argmax(gain))
    low, high = (number + 1 for number in near_best(gain, best))
    last = starts[high + 1] - 1 if high + 1 < count else len(data) - 1
    return int(data.steps[starts[best + 1]]), int(data.steps[starts[low]]), int(data.steps[last])
