"""Detectors that look at groups, steps and the run as a whole. Thresholds are those of docs/insights.md."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rollscope.fields import VERDICTS
from rollscope.index import compute
from rollscope.query.insights.findings.model import CannotKnow, Floats, Found, Mask, SplitData, plain, quoted

#: Of the steps: the window at either end that is compared.
WINDOW = 0.2
MIN_STEPS = 10
LENGTH_Z, LENGTH_RATIO = 3.0, 1.5
JUMP_Z, JUMP_SHARE = 5.0, 0.1
ZERO_VARIANCE = 0.5
COMPONENT_SHARE, COMPONENT_RISE = 0.9, 0.05
LENGTH_CORRELATION, MIN_GROUPS = 0.4, 20

Ints = NDArray[np.int64]


def _means(data: SplitData, values: Floats, rows: Mask | None = None) -> tuple[Floats, Floats]:
    """(mean, count) of every step, over finite values."""
    usable = np.isfinite(values) if rows is None else np.isfinite(values) & rows
    count = np.bincount(data.step_codes[usable], minlength=len(data.step_numbers)).astype(float)
    total = np.bincount(data.step_codes[usable], weights=values[usable], minlength=len(data.step_numbers))
    return np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0), count


def _windows(data: SplitData) -> tuple[Mask, Mask]:
    count = len(data.step_numbers)
    if count < MIN_STEPS:
        raise CannotKnow(f"fewer than {MIN_STEPS} steps")
    size = max(2, int(count * WINDOW))
    return data.step_codes < size, data.step_codes >= count - size


def length(data: SplitData) -> Iterator[Found]:
    name = "text.chars" if data.has("text.chars") else "completion_tokens"
    data.need(name)
    first, last = _windows(data)
    values = data.numbers(name)
    a, b = values[first & np.isfinite(values)], values[last & np.isfinite(values)]
    if len(a) < 20 or len(b) < 20:
        raise CannotKnow("too few samples in the first or last steps")
    # Of logarithms: lengths differ by factors, and one answer of a million characters is no drift.
    log_a, log_b = np.log1p(a), np.log1p(b)
    error = np.sqrt(log_a.var(ddof=1) / len(a) + log_b.var(ddof=1) / len(b)) or 1e-9
    z, ratio = float((log_b.mean() - log_a.mean()) / error), float(np.exp(log_b.mean() - log_a.mean()))
    if abs(z) < LENGTH_Z or 1 / LENGTH_RATIO < ratio < LENGTH_RATIO:
        return
    grows = ratio > 1
    limit = float(np.quantile(a, 0.98 if grows else 0.02))
    with np.errstate(invalid="ignore"):
        mask = (values > limit) if grows else (values < limit)
    yield Found(
        kind="length",
        title="Answers get longer" if grows else "Answers get shorter",
        where=f"{name} {'>' if grows else '<'} {plain(limit)}",
        mask=mask,
        known=np.isfinite(values),
        why=f"the typical length is {ratio:.2g} times that of the first steps (z = {z:.1f})",
        rise=0.05,
    )


def length_reward(data: SplitData) -> Iterator[Found]:
    name = "text.chars" if data.has("text.chars") else "completion_tokens"
    data.need(name, "reward", "group")
    groups, sizes = _groups(data)
    values, rewards = data.numbers(name), data.numbers("reward")
    usable = np.isfinite(values) & np.isfinite(rewards) & (sizes[groups] >= 3)
    if not usable.any():
        raise CannotKnow("no group has three samples with rewards")
    correlation, counted, last_step = _correlations(
        groups[usable], np.log1p(values[usable]), rewards[usable], data.steps[usable]
    )
    if len(correlation) < MIN_GROUPS:
        raise CannotKnow(f"fewer than {MIN_GROUPS} groups whose rewards and lengths differ")
    half = np.quantile(last_step, 0.5)
    late = correlation[last_step > half] if (last_step > half).any() else correlation
    mean = float(late.mean())
    z = mean / (float(late.std(ddof=1)) / np.sqrt(len(late)) or 1e-9) if len(late) > 1 else 0.0
    if abs(mean) < LENGTH_CORRELATION or abs(z) < LENGTH_Z:
        return
    meant = np.isin(groups, counted[last_step > half])
    yield Found(
        kind="length_reward",
        title="Longer answers are paid more" if mean > 0 else "Shorter answers are paid more",
        where=f"step > {int(half)}",
        mask=data.steps > half,
        known=np.ones(len(data), dtype=bool),
        why=f"within groups, length and reward go together: mean correlation {mean:.2f} over {int(meant.sum()):,} samples",
        severity="low",
        always=0.0,
        onset=None,
    )


def _groups(data: SplitData) -> tuple[Ints, Ints]:
    """(a number per row: its group within its step; how many rows each has). A row without a group is alone."""
    encoded = compute.dictionary_encode(data.table["group"])
    codes = np.nan_to_num(encoded.indices.to_numpy(zero_copy_only=False), nan=-1).astype(np.int64)
    alone = codes < 0
    codes[alone] = len(encoded.dictionary) + np.arange(int(alone.sum()))
    both = data.step_codes.astype(np.int64) * (int(codes.max(initial=0)) + 1) + codes
    _, numbers, counts = np.unique(both, return_inverse=True, return_counts=True)
    return numbers.reshape(-1), counts


def _correlations(groups: Ints, x: Floats, y: Floats, steps: Ints) -> tuple[Floats, Ints, Ints]:
    """Pearson's of each group that has one, its number, its step."""
    order = np.argsort(groups, kind="stable")
    groups, x, y, steps = groups[order], x[order], y[order], steps[order]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(groups)) + 1])
    counts = np.diff([*starts, len(groups)])
    x, y = (values - np.repeat(np.add.reduceat(values, starts) / counts, counts) for values in (x, y))
    both = np.add.reduceat(x * y, starts)
    spread = np.sqrt(np.add.reduceat(x * x, starts) * np.add.reduceat(y * y, starts))
    there = (spread > 1e-9) & (counts >= 3)
    return both[there] / spread[there], groups[starts][there], steps[starts][there]


def zero_variance(data: SplitData) -> Iterator[Found]:
    data.need("reward", "group")
    groups, _ = _groups(data)
    rewards = data.numbers("reward")
    usable = np.isfinite(rewards)
    number = int(groups.max()) + 1
    low, high = np.full(number, np.inf), np.full(number, -np.inf)
    np.minimum.at(low, groups[usable], rewards[usable])
    np.maximum.at(high, groups[usable], rewards[usable])
    sizes = np.bincount(groups[usable], minlength=number)
    judged = sizes >= 2
    if not judged.any():
        raise CannotKnow("no group has two samples with rewards")
    same = judged & (high - low <= 1e-9 * np.maximum(1, np.abs(high)))
    last = _windows(data)[1] if len(data.step_numbers) >= MIN_STEPS else data.step_codes >= 0
    late = np.unique(groups[last])
    late = late[judged[late]]
    share = float(same[late].mean()) if len(late) else 0.0
    if share <= ZERO_VARIANCE:
        return
    reach = data.reward_range(None) or (float(low[judged].min()), float(high[judged].max()))
    right = float((low[late][same[late]] >= sum(reach) / 2).mean())
    mask = same[groups] & usable
    where = "advantage = 0" if bool((mask == (data.numbers("advantage") == 0)).all()) else _by_address(data, mask)
    yield Found(
        kind="zero_variance",
        title="Groups teach nothing",
        where=where,
        mask=mask,
        known=judged[groups] & usable,
        why=f"in {share:.0%} of the last groups all rewards are the same; {right:.0%} of these are well paid, "
        f"{1 - right:.0%} badly",
        severity="medium" if share > 0.75 else "low",
        always=0.0,
    )


def _by_address(data: SplitData, mask: Mask) -> str:
    """For what no field tells: the samples by name, where they are not too many; else the steps they lie in."""
    places = np.flatnonzero(mask)
    if len(places) <= 200:
        index = data.table["index"].to_numpy()
        names = (f"{data.split}/{data.steps[place]}/{index[place]}" for place in places)
        return f"address in ({', '.join(quoted(name) for name in names)})"
    steps = data.steps[places]
    return f"step >= {int(steps.min())} and step <= {int(steps.max())} and reward is not missing"


def reward_jump(data: SplitData) -> Iterator[Found]:
    data.need("reward")
    if len(data.step_numbers) < MIN_STEPS:
        raise CannotKnow(f"fewer than {MIN_STEPS} steps")
    means, counts = _means(data, data.numbers("reward"))
    there = counts > 0
    means, steps = means[there], data.step_numbers[there]
    if len(means) < MIN_STEPS:
        raise CannotKnow(f"fewer than {MIN_STEPS} steps with rewards")
    changes = np.diff(means)
    noise = 1.4826 * float(np.median(np.abs(changes - np.median(changes)))) or 1e-9
    reach = data.reward_range(None)
    span = (reach[1] - reach[0]) if reach else float(means.max() - means.min())
    best, at = 0.0, -1
    for place in range(4, len(means) - 2):
        jump = float(np.median(means[place : place + 3]) - np.median(means[place - 4 : place]))
        if abs(jump) > abs(best) and abs(changes[place - 1]) > JUMP_Z * noise and abs(jump) > JUMP_Z * noise:
            best, at = jump, place
    if at < 0 or abs(best) < JUMP_SHARE * span:
        return
    step = int(steps[at])
    yield Found(
        kind="reward_jump",
        title="The mean reward jumps" if best > 0 else "The mean reward falls at once",
        where=f"step >= {step}",
        mask=data.steps >= step,
        known=np.isfinite(data.numbers("reward")),
        why=f"at step {step} the mean reward changes by {best:+.3g}, {abs(best) / noise:.0f} times the usual difference",
        severity="medium" if best > 0 else "low",
        always=0.0,
        onset=(int(steps[max(0, at - 1)]), step),
    )


def component(data: SplitData) -> Iterator[Found]:
    names = [name for name in data.table.column_names if name.startswith("rewards.") and data.has(name)]
    if len(names) < 2:
        raise CannotKnow("the reward has no components")
    verdict = next((name for name in VERDICTS if data.has(name)), None)
    if verdict is None:
        raise CannotKnow("nothing says which answers are correct")
    first, last = _windows(data)

    def rise(name: str) -> float:
        a, b = (values[np.isfinite(values)] for values in (data.numbers(name)[first], data.numbers(name)[last]))
        return float(b.mean() - a.mean()) if len(a) and len(b) else 0.0

    total, correct = rise("reward"), rise(verdict)
    reach = data.reward_range(None)
    span = (reach[1] - reach[0]) if reach else 1.0
    if total < COMPONENT_RISE * span or correct > 0.25 * total:
        return
    for name in names:
        if name == verdict or name.removeprefix("rewards.") == verdict.rpartition(".")[2]:
            continue
        if rise(name) / total > COMPONENT_SHARE:
            values = data.numbers(name)
            limit = float(np.nanquantile(values[first], 0.95))
            yield Found(
                kind="component",
                title=f"The reward rises by {name.removeprefix('rewards.')} alone",
                where=f"{_field(name)} > {plain(limit)}",
                mask=values > limit,
                known=np.isfinite(values),
                why=f"of a rise of {total:+.3g}, {name} carries {rise(name) / total:.0%}; {verdict} changes by {correct:+.3g}",
                severity="high",
                always=0.0,
            )


def _field(name: str) -> str:
    space, _, rest = name.partition(".")
    return name if rest.replace("_", "a").isalnum() else f"{space}.{quoted(rest)}"
