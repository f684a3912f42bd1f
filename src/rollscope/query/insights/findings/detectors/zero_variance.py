"""Detector of groups whose rewards are all equal, more of them than chance explains."""

from __future__ import annotations

from collections.abc import Iterator
from math import lgamma

import numpy as np

from rollscope.arrays import Floats, Ints
from rollscope.index.statistics.moments import all_same
from rollscope.query.insights.findings.model import CannotKnow, Found, Mask, SplitData, where_known
from rollscope.query.insights.findings.rewards.reward_bands import top_paid
from rollscope.query.insights.findings.row_groups import MIN_STEPS, groups_of_rows, windows

ZERO_VARIANCE, ZERO_RISE, UNLIKELY, CLEARLY = 0.5, 0.005, 0.003, 1.5
#: So few groups must be less likely than that.
FEW_GROUPS, FEW_UNLIKELY = 3, 0.0005
#: Groups that say how much prompts differ; members beyond so many add nothing.
MIN_ALIKE, MAX_DEALT = 10, 200
#: What is tried: how alike samples of a prompt are, and how many are right.
ALIKE, MEANS = np.array([1e-4, *np.linspace(0.02, 0.9, 23)]), np.linspace(0.03, 0.97, 24)
MOST_ALIKE = 0.95


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
    hits = np.bincount(groups[usable & right], minlength=number)[judged]
    by_chance = _same_by_chance(rewards[usable], right[usable], sizes_judged, groups_alike(hits, sizes_judged))
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


def groups_alike(right: Ints, sizes: Ints) -> float:
    """How much more alike the samples of a prompt are than those of others (intraclass correlation): some prompts are easy
    and some are hard, and these have equal rewards more often than rewards that are dealt out at random. Told by the groups
    in which some are right and some are wrong alone, by the likeliest beta-binomial without its ends: the others are what is
    asked about. Of few groups nobody knows, and then no number of the others is more than chance."""
    mixed = (right > 0) & (right < sizes) & (sizes <= MAX_DEALT)
    if mixed.sum() < MIN_ALIKE:
        return MOST_ALIKE
    (hits, members), times = np.unique(np.stack([right[mixed], sizes[mixed]]), axis=1, return_counts=True)
    beta = 1 / ALIKE[:, None] - 1
    a, b = (MEANS * beta).ravel(), ((1 - MEANS) * beta).ravel()
    rising_a, rising_b, rising = (_rising(value, int(members.max())) for value in (a, b, a + b))
    fits = rising_a[:, hits] + rising_b[:, members - hits] - rising[:, members]
    ends = np.exp(rising_a[:, members] - rising[:, members]) + np.exp(rising_b[:, members] - rising[:, members])
    best = int(np.argmax(((fits - np.log1p(-np.minimum(ends, 1 - 1e-12))) * times).sum(axis=1)))
    return float(ALIKE[best // len(MEANS)])


def _rising(values: Floats, most: int) -> Floats:
    """The logarithms of x (x + 1) … of each of these values, a row each: of no factor, of one, …, of `most`."""
    found = np.zeros((len(values), most + 1))
    np.cumsum(np.log(values[:, None] + np.arange(most)), axis=1, out=found[:, 1:])
    return found


def _same_by_chance(rewards: Floats, right: Mask, sizes: Ints, alike: float) -> tuple[float, float]:
    """How many groups of these sizes would have equal rewards, (wrong, right), were rewards dealt out at random to prompts
    that differ as those of the other groups do (beta-binomial)."""
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
    """Are there surely more groups than that? Below 3 in 1,000 by chance (Poisson); of one or two groups, below 1 in 2,000."""
    count = len(np.unique(groups[mask]))
    below = sum(np.exp(-expected + k * np.log(max(expected, 1e-12)) - lgamma(k + 1)) for k in range(count))
    return count >= max(1, CLEARLY * expected) and 1 - below < (UNLIKELY if count >= FEW_GROUPS else FEW_UNLIKELY)
