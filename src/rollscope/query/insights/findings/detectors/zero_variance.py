"""Detector of groups whose rewards are all equal, more of them than chance explains."""

from __future__ import annotations

from collections.abc import Iterator
from math import lgamma

import numpy as np

from rollscope.index.statistics.moments import all_same
from rollscope.query.insights.findings.model import CannotKnow, Floats, Found, Mask, SplitData, where_known
from rollscope.query.insights.findings.reward_bands import top_paid
from rollscope.query.insights.findings.row_groups import MIN_STEPS, Ints, groups_of_rows, windows

ZERO_VARIANCE, ZERO_RISE, UNLIKELY, CLEARLY = 0.5, 0.005, 0.01, 1.5
#: So few groups must be less likely than that.
FEW_GROUPS, FEW_UNLIKELY = 3, 0.001
#: Groups that say how much prompts differ; members beyond so many add nothing.
MIN_ALIKE, MAX_DEALT = 10, 200


def zero_variance(data: SplitData) -> Iterator[Found]:
    """Groups whose rewards are all equal."""
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
    """Are there surely more groups than that? Below 1 in 100 by chance (Poisson); of one or two groups, below 1 in 1,000."""
    count = len(np.unique(groups[mask]))
    below = sum(np.exp(-expected + k * np.log(max(expected, 1e-12)) - lgamma(k + 1)) for k in range(count))
    return count >= max(1, CLEARLY * expected) and 1 - below < (UNLIKELY if count >= FEW_GROUPS else FEW_UNLIKELY)
