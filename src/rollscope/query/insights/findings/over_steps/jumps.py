"""Jumps: a mean that changes at one step, told from one that changes gradually."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from rollscope.arrays import Floats
from rollscope.query.insights.findings.over_steps.change_points import StepMeans, near_best

#: How much likelier (logarithm of the Bayes factor) a jump must make the steps than no change at all; and how much likelier
#: than the likeliest gradual change for it to be plain. It must never be less likely than that.
SURE, PLAIN = 2.5, 2.0
#: Rewards seldom fall little by little: of a drop a gradual change must not be likelier by more than this.
DROPS = 2.0
#: What a change is before one has looked: so many times the spread of the samples (standard deviation).
EXPECTED = 0.4
#: Ramps of so many steps are gradual: shorter ones cannot be told from a jump. So are curves of learning, by the steps of
#: their scale (of growth: by their share of all steps).
RAMPS, CURVES, GROWTHS = (8, 12, 20, 32), (3, 5, 8), (0.05, 0.1, 0.17, 0.3, 0.5, 1.0)
#: Steps that must lie on either side of a jump.
SIDE = 2


class Jump(Struct):
    """The first step after it, the steps it may also have been, by how much the mean changes."""

    at: int
    first: int
    last: int
    change: float
    #: Whether no gradual change explains the steps as well.
    plain: bool


class _Evidence:
    """How much likelier the means are with one shape more: integrated over its size, of which one expects `EXPECTED`."""

    def __init__(self, means: Floats, variances: Floats, spread: float) -> None:
        self._weights: Floats = 1 / np.sqrt(variances)
        self._seen: Floats = means * self._weights
        self._doubt = 1 / (EXPECTED * max(spread, 1e-9)) ** 2

    def of(self, base: Floats, shapes: Floats, times: float = 1.0) -> tuple[Floats, Floats, Floats]:
        """(log Bayes factor, log-likelihood ratio at the best size, that size) of each shape, beside the best mixture of
        those of `base`. `times`: sizes that are expected to be so much greater."""
        basis, _ = np.linalg.qr((base * self._weights).T)
        seen = self._seen - basis @ (basis.T @ self._seen)
        rows = shapes * self._weights
        rows = rows - (rows @ basis) @ basis.T
        sizes = (rows * rows).sum(axis=1)
        usable = sizes > 1e-9 * max(1.0, float(sizes.max(initial=0.0)))
        product = np.where(usable, rows @ seen, 0.0)
        sizes = np.where(usable, sizes, 1.0)
        doubt = self._doubt / times**2
        factor: Floats = 0.5 * product**2 / (sizes + doubt) - 0.5 * np.log1p(sizes / doubt)
        return factor, 0.5 * product**2 / sizes, product / sizes


def _any_of(factors: Floats) -> float:
    """The Bayes factor of "one of them", each as likely before."""
    highest = float(factors.max())
    return highest + float(np.log(np.exp(factors - highest).mean()))


def _gradual(evidence: _Evidence, powers: Floats) -> float:
    """The likeliest gradual change: none, a curve up to the third degree, a ramp, a curve of learning."""
    found, total = [0.0], 0.0
    for degree in (1, 2, 3):
        total += float(evidence.of(powers[:degree], powers[degree : degree + 1], 2.0 ** (degree - 1))[0][0])
        found.append(total)
    count = powers.shape[1]
    place = np.arange(count, dtype=float)[None, :]
    ramps = [
        np.clip((place - np.arange(1 - length // 2, count - length // 2)[:, None] + 1) / length, 0.0, 1.0)
        for length in RAMPS
    ]
    middles = np.arange(2.0, count - 2.0, max(2.0, count / 40))[:, None]
    learned = [1 / (1 + np.exp(np.clip((middles - place) / scale, -50, 50))) for scale in CURVES]
    grown = [1 - np.exp(-place / (share * count)) for share in GROWTHS]
    families = [evidence.of(powers[:1], np.concatenate(shapes))[0] for shapes in (ramps, learned, grown)]
    return max(*found, *map(_any_of, families))


def find_jump(data: StepMeans, among: int = 1, beyond: float = 0.0) -> Jump | None:
    """The step at which the mean changes at once, where that explains the steps, and as well as any gradual change.
    `among`: so many such means are looked at, and one of them may look like it by chance. `beyond`: by so much better than
    any gradual change (log Bayes factor)."""
    starts, means, variances = data.binned()
    count = len(means)
    if count < 2 * SIDE + 2:
        return None
    place = np.arange(count, dtype=float)
    along = (place - place.mean()) / max(1.0, float(np.ptp(place)))
    powers = np.stack([np.ones(count), along, along**2, along**3])
    evidence = _Evidence(means, variances, data.spread)
    begins = np.arange(SIDE, count - SIDE + 1)
    jumps = (place[None, :] >= begins[:, None]).astype(float)
    line = float(evidence.of(powers[:1], powers[1:2])[0][0])
    alone, beside = evidence.of(powers[:1], jumps), evidence.of(powers[:2], jumps)
    # Beside a steady rise: one of two ways to have jumped. Not against it: that is a kink of a curve.
    with_it = np.where(alone[2] * beside[2] > 0, beside[0], -np.inf)
    sure, sloped = _any_of(alone[0]), line + (_any_of(with_it) if np.isfinite(with_it).any() else -np.inf) - np.log(2)
    _, likelihoods, changes = alone if sure >= sloped else beside
    sure = max(sure, sloped)
    better = sure - _gradual(evidence, powers)
    best = int(np.argmax(np.where(changes * alone[2] > 0, likelihoods, -np.inf)))
    slack = DROPS if changes[best] < 0 else 0.0
    if sure < SURE + np.log(among) or better < np.log(among) + beyond - slack:
        return None
    low, high = near_best(likelihoods, best)
    after = int(begins[high]) + 1
    last = starts[after] - 1 if after < count else len(data) - 1
    return Jump(
        at=int(data.steps[starts[begins[best]]]),
        first=int(data.steps[starts[begins[low]]]),
        last=int(data.steps[max(last, starts[begins[best]])]),
        change=float(changes[best]),
        plain=better >= PLAIN + 2 * beyond + 2 * np.log(among),
    )
