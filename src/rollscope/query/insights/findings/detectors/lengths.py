"""Detectors of lengths: answers that get longer or shorter, and lengths that go with rewards."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rollscope.query.insights.findings.change_points import StepMeans, mean_onset
from rollscope.query.insights.findings.model import (
    CannotKnow,
    Floats,
    Found,
    Mask,
    Severity,
    SplitData,
    plain,
    where_known,
)
from rollscope.query.insights.findings.rates import onset
from rollscope.query.insights.findings.row_groups import Ints, groups_of_rows, windows

LENGTH_Z, LENGTH_RATIO = 3.0, 1.25
#: More standard errors than this say no more.
MAX_Z = 100.0
#: Where the share of answers beyond nearly all of the first steps' rises by this, some of them grow.
TAIL_RISE = 0.05
#: Where it is looked for at every step: so much better must a change explain the steps (log-likelihood), and so many times
#: as often must they be as before, of which there are at least so many answers.
PLAIN_CHANGE, TAIL_TIMES, MIN_BEFORE = 7.0, 3.0, 30
#: All lengths have moved where even the shortest tenth (the longest, where they shrink) has by this factor.
ALL_MOVED = 1.2
LENGTH_CORRELATION, MIN_GROUPS = 0.3, 20
#: Wrong answers grow by this much, and right ones by less than that.
WRONG_GROW, RIGHT_STAY = 1.5, 1.2


def _lengths(data: SplitData) -> str:
    name = "text.chars" if data.has("text.chars") else "completion_tokens"
    data.need(name)
    return name


def _growth(values: Floats, first: Mask, last: Mask) -> tuple[float, float] | None:
    """(z, ratio) of the typical lengths: of logarithms, since one answer of a million characters is no drift."""
    a, b = np.log1p(values[first & np.isfinite(values)]), np.log1p(values[last & np.isfinite(values)])
    if len(a) < 20 or len(b) < 20:
        return None
    moved, error = float(b.mean() - a.mean()), float(np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b)))
    # Lengths that are all the same have no error: any change of them is beyond doubt.
    z = moved / error if error > abs(moved) / MAX_Z else float(np.sign(moved)) * MAX_Z
    return z, float(np.exp(moved))


def _said_z(z: float) -> str:
    return f"z = {z:.1f}" if abs(z) < MAX_Z else "beyond doubt"


def separating_limit(before: Floats, after: Floats, everywhere: Floats, mixed: bool = True) -> float:
    """A value that hardly any of those before lies beyond, for each that lies beyond it anywhere: the lowest there is.
    `mixed`: it may have begun among those before, and the ones that lie far beyond most are what is looked for."""
    if mixed:
        low, high = np.quantile(before, (0.25, 0.75))
        kept = before[before <= high + 2.5 * (high - low)]
        before = kept if len(kept) >= 0.7 * len(before) else before
    limits = np.quantile(before, (0.95, 0.98, 0.99, 0.995, 1.0))
    for limit in limits:
        if (before > limit).mean() <= 0.03 * min((after > limit).mean(), (everywhere > limit).mean()):
            return float(limit)
    return float(limits[1])


def length(data: SplitData) -> Iterator[Found]:
    name = _lengths(data)
    first, last = windows(data)
    values = data.numbers(name)
    known = np.isfinite(values)
    growth = _growth(values, first, last)
    if growth is None:
        raise CannotKnow("too few samples in the first or last steps")
    z, ratio = growth
    grows = ratio > 1
    a, b = values[first & known], values[last & known]
    since = mean_onset(StepMeans(data.step_numbers, data.step_codes, np.log1p(values)))
    before = data.steps < since[1] if since is not None else np.zeros(len(data), dtype=bool)
    mixed = bool((before & known).sum() <= (data.first & known).sum())  # the more there are, the surer is what is usual
    at_first, sign = values[(data.first if mixed else before) & known], 1 if grows else -1
    limit = sign * separating_limit(sign * at_first, sign * b, sign * values[known], mixed)
    beyond = ((values > limit) if grows else (values < limit)) & known
    tail = float(beyond[last].mean() - beyond[data.first].mean())
    if abs(z) < LENGTH_Z or (1 / LENGTH_RATIO < ratio < LENGTH_RATIO and tail < TAIL_RISE):
        yield from _some_grow(data, name)
        return
    least = 0.1 if grows else 0.9
    moved = (np.quantile(b, least) + 1) / (np.quantile(a, least) + 1)
    said = f"the typical length is {ratio:.2g} times that in the first steps ({_said_z(z)})"
    severity: Severity | None = None if max(ratio, 1 / ratio) >= 1.5 else "low"
    title = "Answers get longer" if grows else "Answers get shorter"
    if since is not None and (moved >= ALL_MOVED if grows else moved <= 1 / ALL_MOVED):
        yield Found(
            kind="length",
            title=title,
            where=where_known(f"step >= {since[0]}", data.steps >= since[0], data, name),
            mask=data.steps >= since[0],
            known=known,
            why=f"{said}, the {'10th' if grows else '90th'} percentile {float(moved):.2g} times",
            onset=(since[1], since[2]),
            severity=severity or "medium",
            at_most="medium",
        )
        return
    yield Found(
        kind="length",
        title=title if ratio >= LENGTH_RATIO or ratio <= 1 / LENGTH_RATIO else title.replace("Answers", "Some answers"),
        where=f"{name} {'>' if grows else '<'} {plain(limit)}",
        mask=beyond,
        known=known,
        why=said,
        rise=TAIL_RISE,
        severity=severity,
        at_most="medium",
    )


def _some_grow(data: SplitData, name: str) -> Iterator[Found]:
    """What began within the first steps is lost in windows that are always the same: some answers lie far beyond the first
    ones, surely more often from some step on than before it."""
    values = data.numbers(name)
    known = np.isfinite(values)
    limit = separating_limit(values[data.first & known], values[known], values[known])
    beyond = (values > limit) & known
    number = len(data.step_numbers)
    hits, trials = (np.bincount(data.step_codes[rows], minlength=number).astype(float) for rows in (beyond, known))
    since = onset(data.step_numbers, hits, trials, PLAIN_CHANGE)
    if since is None:
        return
    before, after = known & (data.steps < since[0]), known & (data.steps >= since[0])
    if before.sum() < MIN_BEFORE or after.sum() < MIN_BEFORE:
        return
    was, now = float(beyond[before].mean()), float(beyond[after].mean())
    if now - was < TAIL_RISE or now < TAIL_TIMES * was:
        return
    yield Found(
        kind="length",
        title="Some answers get longer",
        where=f"{name} > {plain(limit)}",
        mask=beyond,
        known=known,
        why=f"{now:.1%} of the answers since step {since[0]} are longer than nearly all early ones, {was:.1%} before",
        severity="low",
    )


def length_reward(data: SplitData) -> Iterator[Found]:
    name = _lengths(data)
    data.need("reward", "group")
    drawn_out = list(_wrong_grow(data, name))
    yield from drawn_out
    groups, sizes = groups_of_rows(data)
    values, rewards = data.numbers(name), data.numbers("reward")
    usable = np.isfinite(values) & np.isfinite(rewards) & (sizes[groups] >= 3)
    if not usable.any():
        raise CannotKnow("no group has three samples with rewards")
    correlation, codes = _correlations(
        groups[usable], np.log1p(values[usable]), rewards[usable], data.step_codes[usable]
    )
    if len(correlation) < MIN_GROUPS:
        raise CannotKnow(f"fewer than {MIN_GROUPS} groups in which both rewards and lengths vary")
    since = mean_onset(StepMeans(data.step_numbers, codes, correlation))
    at_first = correlation[codes <= codes.min() + (codes.max() - codes.min()) // 10]
    # Where lengths and rewards went together from the first steps on, it did not begin.
    begins = since is not None and abs(float(at_first.mean())) < LENGTH_CORRELATION
    late = correlation[data.step_numbers[codes] >= since[0]] if since is not None and begins else correlation
    mean = float(late.mean())
    z = mean / (float(late.std(ddof=1)) / np.sqrt(len(late)) or 1e-9) if len(late) > 1 else 0.0
    if abs(mean) < LENGTH_CORRELATION or abs(z) < LENGTH_Z + 1 or len(late) < MIN_GROUPS // 2:
        return
    if drawn_out and mean < 0:
        return  # where wrong answers are drawn out, shorter ones are paid: told already, of the samples that it is about
    mask = data.steps >= since[0] if since is not None and begins else np.ones(len(data), dtype=bool)
    yield Found(
        kind="length_reward",
        title="Longer answers get higher rewards" if mean > 0 else "Shorter answers get higher rewards",
        where=f"step >= {since[0] if since is not None and begins else int(data.steps.min())}",
        mask=mask,
        known=np.ones(len(data), dtype=bool),
        why=f"within groups, length and reward have a mean correlation of {mean:.2f} ({len(late):,} groups)",
        severity="low",
        onset=(since[1], since[2]) if since is not None and begins else None,
    )


def _wrong_grow(data: SplitData, name: str) -> Iterator[Found]:
    """Wrong answers grow while right ones do not: what is not paid is drawn out."""
    reach = data.reward_range(None)
    if reach is None or len(data.step_numbers) < 10:
        return
    first, last = windows(data)
    values, rewards = data.numbers(name), data.numbers("reward")
    middle = (reach[0] + reach[1]) / 2
    with np.errstate(invalid="ignore"):
        wrong, right = rewards < middle, rewards >= middle
    of_wrong, of_right = _growth(values, first & wrong, last & wrong), _growth(values, first & right, last & right)
    if of_wrong is None or of_right is None or of_wrong[0] < LENGTH_Z + 1:
        return
    if of_wrong[1] < WRONG_GROW or of_right[1] > RIGHT_STAY or of_wrong[1] < 1.25 * of_right[1]:
        return
    since = mean_onset(StepMeans(data.step_numbers, data.step_codes[wrong], np.log1p(values[wrong])))
    if since is None:
        return
    yield Found(
        kind="length_reward",
        title="Low-reward answers get longer, the others do not",
        where=f"step >= {since[0]} and reward < {plain(middle)}",
        mask=wrong & (data.steps >= since[0]),
        known=np.isfinite(rewards),
        why=f"low-reward answers are {of_wrong[1]:.2g} times as long as in the first steps, the others {of_right[1]:.2g} times",
        severity="low",
        onset=(since[1], since[2]),
    )


def _correlations(groups: Ints, x: Floats, y: Floats, codes: Ints) -> tuple[Floats, Ints]:
    """Pearson's of each group that has one, and its step's number."""
    order = np.argsort(groups, kind="stable")
    groups, x, y, codes = groups[order], x[order], y[order], codes[order]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(groups)) + 1])
    counts = np.diff([*starts, len(groups)])
    x, y = (values - np.repeat(np.add.reduceat(values, starts) / counts, counts) for values in (x, y))
    both = np.add.reduceat(x * y, starts)
    spread = np.sqrt(np.add.reduceat(x * x, starts) * np.add.reduceat(y * y, starts))
    there = (spread > 1e-9) & (counts >= 3)
    return both[there] / spread[there], codes[starts][there]
