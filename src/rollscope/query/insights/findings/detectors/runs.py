"""Detectors that look at groups, steps and the run as a whole. Thresholds are those of docs/insights.md."""

from __future__ import annotations

from collections.abc import Iterator
from math import lgamma

import numpy as np

from rollscope.fields import VERDICTS
from rollscope.index.statistics.moments import all_same
from rollscope.model import TOTAL_KEYS
from rollscope.query.insights.findings.change_points import StepMeans, mean_onset
from rollscope.query.insights.findings.detectors.lengths import length, length_reward, separating_limit
from rollscope.query.insights.findings.detectors.samples import top_paid
from rollscope.query.insights.findings.jumps import find_jump
from rollscope.query.insights.findings.model import (
    CannotKnow,
    Floats,
    Found,
    Mask,
    SplitData,
    env_filter,
    plain,
    quoted,
    where_known,
)
from rollscope.query.insights.findings.row_groups import MIN_STEPS, Ints, groups_of_rows, windows

__all__ = ["component", "length", "length_reward", "reward_jump", "zero_variance"]

#: Of the range of rewards: a smaller jump is none.
JUMP_SHARE = 0.08
#: Steps on either side that must show at least half of it, too.
JUMP_STEPS = 4
ZERO_VARIANCE, ZERO_RISE, UNLIKELY, CLEARLY = 0.5, 0.02, 0.01, 1.5
#: Groups that say how much prompts differ; members beyond so many add nothing.
MIN_ALIKE, MAX_DEALT = 10, 200
COMPONENT_SHARE, COMPONENT_RISE = 0.9, 0.03
#: Under these a record's components have the reward itself.
TOTALS = tuple(f"rewards.{key}" for key in TOTAL_KEYS)
#: Standard errors from which on a rise is one, and is beyond doubt although its step was looked for.
SURE_RISE, PLAIN_RISE = 2.0, 6.0
#: Samples that a side must have.
MIN_SIDE = 30
#: Samples before it began that say what is usual; of fewer not even the highest tells.
MIN_USUAL = 100


def zero_variance(data: SplitData) -> Iterator[Found]:
    data.need("reward", "group")
    groups, sizes = groups_of_rows(data)
    rewards = data.numbers("reward")
    usable = np.isfinite(rewards)
    number = int(groups.max()) + 1
    low, high = np.full(number, np.inf), np.full(number, -np.inf)
    np.minimum.at(low, groups[usable], rewards[usable])
    np.maximum.at(high, groups[usable], rewards[usable])
    judged = np.bincount(groups[usable], minlength=number) >= 2
    if not judged.any():
        raise CannotKnow("no group has two samples with rewards")
    same = judged & all_same(low, high)
    last = windows(data)[1] if len(data.step_numbers) >= MIN_STEPS else data.step_codes >= 0
    late = np.unique(groups[last])
    late = late[judged[late]]
    share = float(same[late].mean()) if len(late) else 0.0
    try:
        where, right = top_paid(data, share=0.5)
    except CannotKnow:  # all rewards of the run are the same
        where, right = "reward > 0", rewards > 0
    meant = same[groups] & usable
    sizes_judged = np.bincount(groups[usable], minlength=number)[judged]
    by_chance = _same_by_chance(rewards[usable], right[usable], sizes_judged, _alike_at_first(data, groups, rewards))
    for title, mask, clause, usual in (
        ("Groups with equal rewards: all high", meant & right, f"reward_spread = 0 and {where}", by_chance[1]),
        ("Groups with equal rewards: all low", meant & ~right, f"reward_spread = 0 and not {where}", by_chance[0]),
    ):
        yield Found(
            kind="zero_variance",
            title=title,
            where=where_known(clause, same[groups], data, "reward") if "not" in clause else clause,
            mask=mask,
            known=judged[groups] & usable,
            why=f"all rewards in the group are equal; of the last groups, {share:.0%} have equal rewards",
            severity="medium" if share > 0.75 else "low",
            rise=0.0 if share > ZERO_VARIANCE or _more_than(mask, groups, usual) else ZERO_RISE,
            together=float(sizes.mean()),
        )


def _alike_at_first(data: SplitData, groups: Ints, rewards: Floats) -> float:
    """How much of the spread of rewards lies between groups (intraclass correlation): some prompts are easy and some are
    hard, and these have equal rewards more often than rewards that are dealt out at random. In the first steps or in the
    first third of them, where it is less: what is looked for may have begun there."""
    third = data.step_codes < max(1, len(data.step_numbers) // 3)
    windows = [groups_alike(groups[some], rewards[some]) for some in (data.first, third)]
    return min((value for value in windows if value is not None), default=0.0)


def groups_alike(groups: Ints, rewards: Floats) -> float | None:
    """None of too few groups."""
    usable = np.isfinite(rewards)
    values = rewards[usable]
    names, places = np.unique(groups[usable], return_inverse=True)
    if len(names) < MIN_ALIKE:
        return None
    counts = np.bincount(places).astype(float)
    means = np.bincount(places, weights=values) / counts
    within = float(((values - means[places]) ** 2).sum()) / max(1.0, len(values) - len(names))
    between = float((counts * (means - values.mean()) ** 2).sum()) / (len(names) - 1)
    size = (counts.sum() - (counts**2).sum() / counts.sum()) / (len(names) - 1)
    total = between + (size - 1) * within
    return min(0.95, max(0.0, (between - within) / total)) if total > 0 else 0.0


def _same_by_chance(rewards: Floats, right: Mask, sizes: Ints, alike: float) -> tuple[float, float]:
    """How many groups of these sizes would have equal rewards, (wrong, right), were rewards dealt out at random to prompts
    that differ as those of the first steps do (beta-binomial)."""
    found = []
    many, groups = np.unique(sizes, return_counts=True)  # there are a hundred thousand groups, of few sizes
    for side in (~right, right):
        _, counts = np.unique(np.round(rewards[side], 9), return_counts=True)
        shares = (counts[counts > 1] / max(1, len(rewards)))[:1000]
        expected = 0.0
        for size, number in zip(many.tolist(), groups.tolist()):
            more = np.arange(min(int(size), MAX_DEALT))[None, :] * alike / (1 - alike)
            expected += number * float(np.prod((shares[:, None] + more) / (1 + more), axis=1).sum())
        found.append(expected)
    return found[0], found[1]


def _more_than(mask: Mask, groups: Ints, expected: float) -> bool:
    """Are there surely more groups than that? Below 1 in 100 by chance (Poisson)."""
    count = len(np.unique(groups[mask]))
    below = sum(np.exp(-expected + k * np.log(max(expected, 1e-12)) - lgamma(k + 1)) for k in range(count))
    return count >= max(3, CLEARLY * expected) and 1 - below < UNLIKELY


def reward_jump(data: SplitData) -> Iterator[Found]:
    data.need("reward")
    if len(data.step_numbers) < MIN_STEPS:
        raise CannotKnow(f"fewer than {MIN_STEPS} steps")
    everything = np.ones(len(data), dtype=bool)
    found = _jump(data, everything, None, "")
    envs = data.envs()
    if found is None and len(envs) > 1:
        several = [_jump(data, rows, env, env_filter(env, True), len(envs)) for env, rows in envs]
        yield from (item for item in several if item is not None)
    elif found is not None:
        yield found


def _jump(data: SplitData, rows: Mask, env: str | None, clause: str, among: int = 1) -> Found | None:
    rewards = np.where(rows, data.numbers("reward"), np.nan)
    groups = groups_of_rows(data)[0] if data.has("group") else None
    means = StepMeans(data.step_numbers, data.step_codes, rewards, groups)
    if len(means) < MIN_STEPS:
        if clause:
            return None
        raise CannotKnow(f"fewer than {MIN_STEPS} steps with rewards")
    jump = find_jump(means, among)
    reach = data.reward_range(env)
    span = (reach[1] - reach[0]) if reach else float(np.ptp(means.means))
    if jump is None or abs(jump.change) < JUMP_SHARE * span:
        return None
    if means.change_at(jump.at, JUMP_STEPS) / jump.change < 0.5:
        return None  # a step that differs from its neighbours, or a kink: what follows is not what the jump says
    where = f"{clause} and step >= {jump.at}" if clause else f"step >= {jump.at}"
    mask = rows & (data.steps >= jump.at)
    return Found(
        kind="reward_jump",
        title="The mean reward jumps up" if jump.change > 0 else "The mean reward drops suddenly",
        where=where_known(where, mask, data, "reward"),
        mask=mask,
        known=rows & np.isfinite(data.numbers("reward")),
        why=f"at step {jump.at} the mean reward{f' of {env}' if env else ''} changes by {jump.change:+.3g}"
        + ("; a jump fits better than a gradual change" if jump.plain else "; the change may have taken a few steps"),
        severity="medium" if jump.change > 0 and jump.plain else "low",
        onset=(jump.first, jump.last),
    )


def component(data: SplitData) -> Iterator[Found]:
    names = [
        name
        for name in data.table.column_names
        if name.startswith("rewards.") and name not in TOTALS and data.has(name)
    ]
    if len(names) < 2:
        raise CannotKnow("the reward has no components")
    verdict = next((name for name in VERDICTS if data.has(name)), None)
    if verdict is None:
        raise CannotKnow("no recorded value says which answers are correct")
    candidates = [name for name in names if name not in (verdict, f"rewards.{verdict.rpartition('.')[2]}")]
    found = _carrier(data, names, candidates, verdict, *windows(data))
    for name in candidates if found is None else ():
        # What began in the first steps, or lately, is lost in windows that are always the same.
        if (since := _began(data, name)) is not None:
            before, after = data.steps < since[1], data.steps >= since[2]
            found = found or _carrier(data, names, [name], verdict, before, after, PLAIN_RISE)
    if found is not None:
        yield _carried(data, *found)


def _began(data: SplitData, name: str) -> tuple[int, int, int] | None:
    return mean_onset(StepMeans(data.step_numbers, data.step_codes, data.numbers(name)))


def _rise(values: Floats, first: Mask, last: Mask) -> tuple[float, float]:
    """(by how much, its standard error)."""
    a, b = (part[np.isfinite(part)] for part in (values[first], values[last]))
    if len(a) < 2 or len(b) < 2:
        return 0.0, 0.0
    return float(b.mean() - a.mean()), float(np.sqrt(a.var() / len(a) + b.var() / len(b)))


def _carrier(
    data: SplitData,
    names: list[str],
    candidates: list[str],
    verdict: str,
    first: Mask,
    last: Mask,
    sure: float = SURE_RISE,
) -> tuple[str, str] | None:
    """(the component that carries the rise of the reward, why). `sure`: so many standard errors must it have risen by.
    From PLAIN_RISE on the reward itself need only not fall: correctness may have fallen beside it."""
    if first.sum() < MIN_SIDE or last.sum() < MIN_SIDE:
        return None
    total, error = _rise(data.numbers("reward"), first, last)
    correct, may_be = _rise(data.numbers(verdict), first, last)
    reach = data.reward_range(None)
    span = (reach[1] - reach[0]) if reach else 1.0
    least = 0.0 if sure >= PLAIN_RISE else max(COMPONENT_RISE * span, SURE_RISE * error)
    if total <= least or correct - SURE_RISE * may_be > 0.25 * total:
        return None
    # Components may be summed, averaged or weighted into the reward: each one's part of all that surely rises.
    rises = {name: _rise(data.numbers(name), first, last) for name in names}
    risen = sum(value for value, error in rises.values() if value > SURE_RISE * error)
    for name in candidates:
        value, error = rises[name]
        if value > sure * error and value > COMPONENT_SHARE * risen:
            why = (
                f"the reward changes by {total:+.3g} and {verdict} by {correct:+.3g}; {name} accounts for "
                f"{value / risen:.0%} of the rise of its components"
            )
            return name, why
    return None


def _carried(data: SplitData, name: str, why: str) -> Found:
    values = data.numbers(name)
    known = np.isfinite(values)
    first, last = windows(data)
    since = _began(data, name)
    mixed = since is None or int((data.steps < since[1]).sum()) < MIN_USUAL
    if since is not None and (data.steps < since[0]).sum() >= MIN_SIDE:
        first, last = data.steps < since[0 if mixed else 1], data.steps >= since[0]
    limit = separating_limit(values[first & known], values[last & known], values[known], mixed)
    where, mask, began = f"{_field(name)} > {plain(limit)}", values > limit, None
    if not mask.any() or mask[last & known].mean() < 0.01:
        # It had such values before, and has them more often: those since then.
        step = since[0] if since is not None else int(data.steps.min())
        limit = float(np.nanmedian(values[first]))
        where, mask = f"step >= {step} and {_field(name)} > {plain(limit)}", (values > limit) & (data.steps >= step)
        began = (since[1], since[2]) if since is not None else None
    return Found(
        kind="component",
        title=f"Only {name.removeprefix('rewards.')} raises the reward",
        where=where,
        mask=mask,
        known=known,
        why=why,
        severity="high",
        onset=began,
    )


def _field(name: str) -> str:
    space, _, rest = name.partition(".")
    return name if rest.replace("_", "a").isalnum() else f"{space}.{quoted(rest)}"
