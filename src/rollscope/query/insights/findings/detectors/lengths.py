"""Detectors of lengths: answers that get longer or shorter, and lengths that go with rewards."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rollscope.arrays import Floats, Ints
from rollscope.query.insights.findings.model import CannotKnow, Found, Mask, Severity, SplitData, plain, where_known
from rollscope.query.insights.findings.over_steps.change_points import StepMeans, mean_onset
from rollscope.query.insights.findings.over_steps.rates import gain_of_rise, onset
from rollscope.query.insights.findings.row_groups import blocks_of_steps, come_together, groups_of_rows, windows

LENGTH_Z, LENGTH_RATIO = 3.0, 1.25
#: More standard errors than this say no more.
MAX_Z = 100.0
#: Where only some answers grow: limits that are tried (shares of all answers below them), so much better must a change of
#: the share beyond one explain the steps (log-likelihood), by so much must it rise, and of the answers beyond it at most this
#: share may be what one would expect from before. The last number: what those that are missed weigh beside these.
LIMITS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.965, 0.98, 0.99, 0.995)
TAIL_CHANGE, TAIL_RISE, EXPECTED_MOST, FOUND_WEIGHT = 7.0, 0.01, 0.15, 0.15
#: Answers before and after a change that say something; so many say enough about whether there is one.
MIN_BEFORE, MAX_ASKED = 30, 100_000
#: All lengths have moved where even the shortest tenth (the longest, where they shrink) has by this factor, and where most
#: lie far beyond the first ones or, of the others, at most this share is as short as a quarter of the first ones was.
ALL_MOVED, MOST, LEFT_BEHIND = 1.2, 0.7, 0.18
LENGTH_CORRELATION, MIN_GROUPS = 0.3, 20
#: Wrong answers grow by this much, and right ones by less than that.
WRONG_GROW, RIGHT_STAY = 1.5, 1.2


def _lengths(data: SplitData) -> str:
    name = "text.chars" if data.has("text.chars") else "completion_tokens"
    data.need(name)
    return name


def _growth(values: Floats, first: Mask, last: Mask, groups: Ints | None = None) -> tuple[float, float] | None:
    """(z, ratio) of the typical lengths: of logarithms, since one answer of a million characters is no drift. Samples of a
    group answer the same prompt, and are alike."""
    logs = np.log1p(values)
    means, variances = [], []
    for rows in (first & np.isfinite(values), last & np.isfinite(values)):
        if rows.sum() < 20:
            return None
        far = logs[rows] - logs[rows].mean()
        apart = far if groups is None else np.bincount(groups[rows] - groups[rows].min(), weights=far)
        means.append(float(logs[rows].mean()))
        variances.append(max(float((apart**2).sum()), float((far**2).sum())) / float(rows.sum()) ** 2)
    moved, error = means[1] - means[0], float(np.sqrt(sum(variances)))
    # Lengths that are all the same have no error: any change of them is beyond doubt.
    z = moved / error if error > abs(moved) / MAX_Z else float(np.sign(moved)) * MAX_Z
    return z, float(np.exp(moved))


def _shown_z(z: float) -> str:
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
    """Answers get longer or shorter."""
    name = _lengths(data)
    first, last = windows(data)
    values = data.numbers(name)
    known = np.isfinite(values)
    growth = _growth(values, first, last, groups_of_rows(data)[0] if data.has("group") else None)
    if growth is None:
        raise CannotKnow("too few samples in the first or last steps")
    z, ratio = growth
    grows = ratio > 1
    since = mean_onset(StepMeans(data.step_numbers, data.step_codes, np.log1p(values)))
    a, b = values[first & known], values[last & known]
    moved = float((np.quantile(b, 0.1 if grows else 0.9) + 1) / (np.quantile(a, 0.1 if grows else 0.9) + 1))
    far = abs(z) >= LENGTH_Z and not 1 / LENGTH_RATIO < ratio < LENGTH_RATIO
    typical = f"the typical length is {ratio:.2g} times that in the first steps ({_shown_z(z)})"
    severity: Severity = "medium" if max(ratio, 1 / ratio) >= 1.5 else "low"
    title = "Answers get longer" if grows else "Answers get shorter"
    all_moved = far and since is not None and (moved if grows else 1 / moved) >= ALL_MOVED
    if all_moved and since is not None and _have_moved(data, values if grows else -values, since, first, last):
        yield Found(
            kind="length",
            title=title,
            where=where_known(f"step >= {since[0]}", data.steps >= since[0], data, name),
            mask=data.steps >= since[0],
            known=known,
            why=f"{typical}, the {'10th' if grows else '90th'} percentile {moved:.2g} times",
            onset=(since[1], since[2]),
            severity=severity,
            at_most="medium",
        )
    elif (tail := _tail(data, name, 1) or _tail(data, name, -1)) is not None:
        yield tail
    elif far:
        before = data.steps < since[1] if since is not None else data.first
        sign = 1 if grows else -1
        limit = sign * separating_limit(
            sign * (values[before & known] if before[known].any() else a), sign * b, sign * values[known], since is None
        )
        yield Found(
            kind="length",
            title=title,
            where=f"{name} {'>' if grows else '<'} {plain(limit)}",
            mask=((values > limit) if grows else (values < limit)) & known,
            known=known,
            why=typical,
            rise=TAIL_RISE,
            severity=severity,
            at_most="medium",
        )


def _have_moved(data: SplitData, values: Floats, since: tuple[int, int, int], first: Mask, last: Mask) -> bool:
    """Whether those that do not lie far beyond have grown, too; else it is some that have."""
    known = np.isfinite(values)
    before, after = (data.steps < since[1]) & known, (data.steps >= since[2]) & known
    a = values[before if before.sum() >= MIN_BEFORE else first & known]
    b = values[after if after.sum() >= MIN_BEFORE else last & known]
    limit = _limit_between(a, b)
    beyond = 0.0 if limit is None else float((b > limit).mean())
    behind = float((b <= np.quantile(a, 0.25)).mean())
    return beyond > MOST or behind / (1 - beyond) <= LEFT_BEHIND


def _tail(data: SplitData, name: str, sign: int) -> Found | None:
    """Some answers grow (or shrink), the others do not: from some step on surely more of them lie beyond a limit that hardly
    any did before. Of the limits the one that tells best is looked for first; then, knowing since when, the lowest beyond
    which nearly all are new."""
    values = sign * data.numbers(name)
    known = np.isfinite(values)
    drawn = np.flatnonzero(known)
    drawn = drawn[:: max(1, len(drawn) // MAX_ASKED)]
    limits = np.unique(np.quantile(values[drawn], LIMITS))
    number = len(data.step_numbers)
    bins = np.searchsorted(limits, values[drawn], side="left")
    counts = np.bincount(data.step_codes[drawn] * (len(limits) + 1) + bins, minlength=number * (len(limits) + 1))
    counts = counts.reshape(number, len(limits) + 1).astype(float)
    trials = counts.sum(axis=1)
    beyond = trials[:, None] - np.cumsum(counts, axis=1)[:, :-1]  # more than each limit, step by step
    gains = [gain_of_rise(beyond[:, place], trials) for place in range(len(limits))]
    best = int(np.argmax(gains))
    if gains[best] < TAIL_CHANGE:
        return None
    asked = np.zeros(len(data), dtype=bool)
    asked[drawn] = True
    together = come_together(data, asked & (values > limits[best]), asked, trials)
    since = onset(data.step_numbers, beyond[:, best] / together, trials / together, TAIL_CHANGE)
    if since is None:
        return None
    before, after = known & (data.steps < since[0]), known & (data.steps >= since[1])
    if before.sum() < MIN_BEFORE or after.sum() < MIN_BEFORE:
        return None
    limit = _limit_between(values[before], values[after])
    if limit is None:
        return None
    was, now = float((values[before] > limit).mean()), float((values[after] > limit).mean())
    if now - was < TAIL_RISE:
        return None
    return Found(
        kind="length",
        title=f"Some answers get {'longer' if sign > 0 else 'shorter'}",
        where=f"{name} {'>' if sign > 0 else '<'} {plain(sign * limit)}",
        mask=known & (values > limit),
        known=known,
        why=f"{now:.1%} of the answers since step {since[1]} are {'longer' if sign > 0 else 'shorter'} than nearly all "
        f"before, {was:.1%} before step {since[0]}",
        severity="low",
        rise=TAIL_RISE,
    )


def _limit_between(before: Floats, after: Floats) -> float | None:
    """Beyond it lie most of those that are new, and few that were there before; None where there is no such limit."""
    limits = np.unique(np.quantile(np.concatenate([before, after]), np.arange(0.5, 1.0, 0.005)))
    was = (len(before) - np.searchsorted(np.sort(before), limits, side="right") + 0.5) / (len(before) + 1)
    now = (len(after) - np.searchsorted(np.sort(after), limits, side="right")) / len(after)
    new = np.maximum(now - was, 0.0)
    # Right ones among those beyond count for more than those that are missed (F-score).
    fits = (was <= EXPECTED_MOST * now) & (now > 0)
    score = np.divide(new, now + FOUND_WEIGHT * new.max(), out=np.zeros_like(new), where=fits)
    best = int(np.argmax(score))
    # Lengths are whole numbers.
    return float(np.floor(limits[best])) if score[best] > 0 else None


def length_reward(data: SplitData) -> Iterator[Found]:
    """Length and reward correlate within groups."""
    name = _lengths(data)
    data.need("reward", "group")
    drawn_out = list(_wrong_grow(data, name))
    yield from drawn_out
    groups, sizes = groups_of_rows(data)
    values, rewards = data.numbers(name), data.numbers("reward")
    found = []
    for some in blocks_of_steps(data):
        x, y, group = values[some], rewards[some], groups[some]
        usable = np.isfinite(x) & np.isfinite(y) & (sizes[group] >= 3)
        if usable.any():
            found.append(_correlations(group[usable], np.log1p(x[usable]), y[usable], data.step_codes[some][usable]))
    if not found:
        raise CannotKnow("no group has three samples with rewards")
    correlation, codes = (np.concatenate(parts) for parts in zip(*found))
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
