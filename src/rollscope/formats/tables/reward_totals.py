"""What samples' rewards add up to where no total is written: as far as their advantages tell.

Advantages are the total, less its group's mean, divided by one spread or another. A total that they contradict is not
shown; one that they only allow is a guess.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.arrays import Floats

Groups = NDArray[np.int64]


class RewardReading(Struct, kw_only=True, frozen=True, omit_defaults=True):
    """What a run's columns are taken for. It travels in `Source.note`, so that a file is read anew when the trainer's
    log tells more than it did."""

    #: The reward columns in order; None: every column of floating-point numbers.
    rewards: tuple[str, ...] | None = None
    total: Literal["sum", "weighted", "unknown"] = "sum"
    weights: tuple[float, ...] = ()
    #: How sure that is, in a sentence.
    why: str = ""
    #: It was guessed: nothing in the run says so.
    guessed: bool = False
    #: Rows of a group, where prompts alone do not tell; else 0.
    group_size: int = 0

    def total_of(self, values: Sequence[float | None]) -> float | None:
        """Of one row's rewards. Those that were not given count nothing, as in TRL; none at all is no total."""
        if self.total == "unknown":
            return None
        if len(values) == 1 and self.total == "sum":
            return values[0]
        weights = self.weights or (1.0,) * len(values)
        given = [w * value for w, value in zip(weights, values) if value is not None and not math.isnan(value)]
        return sum(given) if given else None


def to_note(reading: RewardReading) -> str:
    return msgspec.json.encode(reading).decode()


def from_note(note: str) -> RewardReading:
    return msgspec.json.decode(note, type=RewardReading) if note else RewardReading()


class Numbers(Struct, kw_only=True):
    """The columns of one file that evidence is taken from."""

    step: int
    #: Columns of floating-point numbers, in order, before anything that no reward function returns.
    names: list[str]
    values: list[Floats]
    advantage: Floats | None
    #: Which rows have the same prompt, neighbours only.
    groups: Groups

    def total(self, names: Sequence[str], weights: Sequence[float] | None = None) -> Floats:
        columns = [np.nan_to_num(self.values[self.names.index(name)], nan=0.0) for name in names]
        scales = weights or [1.0] * len(columns)
        result: Floats = sum((w * column for w, column in zip(scales, columns)), np.zeros(len(self.groups)))
        return result

    def scored(self, names: Sequence[str]) -> Numbers:
        """Without the rows to which none of these functions gave a reward."""
        given = ~np.all([np.isnan(self.values[self.names.index(name)]) for name in names], axis=0)
        if given.all() or not given.any():
            return self
        values = [column[given] for column in self.values]
        advantage = None if self.advantage is None else self.advantage[given]
        return Numbers(step=self.step, names=self.names, values=values, advantage=advantage, groups=self.groups[given])


def floats_of(values: list[Any]) -> Floats:
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def from_advantages(names: tuple[str, ...], files: Sequence[Numbers], *, named: bool) -> RewardReading:
    telling = [numbers for numbers in files if numbers.advantage is not None]
    totals = [numbers.total(names) for numbers in telling]
    apart = len(names) > 1 and bool(telling) and all(_normalised_apart(numbers, names) for numbers in telling)
    if not apart and any(contradicted(numbers, total) for numbers, total in zip(telling, totals)):
        why = "No total is shown: the advantages contradict the sum of the rewards, and their weights are not written."
        return RewardReading(rewards=names, total="unknown", why=why)
    listed = ", ".join(names)
    proven = any(total.std() > 0 for total in totals) and (apart or all(map(explained, telling, totals)))
    if proven:
        why = f"The total is the unweighted sum of {listed}; the advantages agree with it." if len(names) > 1 else ""
        return RewardReading(rewards=names, why=why)
    why = f"The total is the unweighted sum of {listed}, a guess: no total is written."
    return RewardReading(rewards=names, why=why if len(names) > 1 else "", guessed=len(names) > 1 or not named)


def explained(numbers: Numbers, total: Floats) -> bool:
    """Whether the advantages are (total - mean of its group) / spread, with one of the spreads TRL knows."""
    advantage = numbers.advantage
    if advantage is None or np.isnan(advantage).any():
        return False
    return any(follows(total, advantage, groups) for groups in _groupings(numbers.groups))


def _normalised_apart(numbers: Numbers, names: Sequence[str]) -> bool:
    """Whether the advantages are those of rewards that were normalised in their group one by one, and then added up
    unweighted (`multi_objective_aggregation="normalize_then_sum"`)."""
    advantage = numbers.advantage
    columns = [numbers.values[numbers.names.index(name)] for name in names]
    if advantage is None or not advantage.any() or np.isnan([advantage, *columns]).any():
        return False
    for groups in _groupings(numbers.groups):
        parts = [
            (column - mean) / (spread + 1e-4) for column in columns for mean, spread in [_per_group(groups, column)]
        ]
        total: Floats = np.sum(parts, axis=0)
        made = (total - total.mean()) / (total.std(ddof=1) + 1e-4)
        if np.allclose(made, advantage, rtol=5e-3, atol=_slack(advantage)):
            return True
    return False


def follows(total: Floats, advantage: Floats, groups: Groups) -> bool:
    mean, spread = _per_group(groups, total)
    batch = total.std(ddof=1) if len(total) > 1 else 0.0
    centred = total - mean
    choices = (centred / (spread + 1e-4), centred / (batch + 1e-4), centred)
    margin = 5e-3 * min(1.0, np.abs(advantage).max(initial=0.0)) + 1e-6
    return any(np.allclose(choice, advantage, rtol=5e-3, atol=margin) for choice in choices)


def contradicted(numbers: Numbers, total: Floats) -> bool:
    """Whether, however neighbours with one prompt are cut into groups, some group's advantages do not rise with the
    total on a straight line, as they do whatever the spread is. Where a cut is right, each group's add up to nothing:
    cuts that do not are passed over, for of two samples any line goes through both."""
    advantage = numbers.advantage
    if advantage is None or np.isnan(advantage).any() or not advantage.any() or explained(numbers, total):
        return False
    cuts = list(_groupings(numbers.groups))
    balanced = [groups for groups in cuts if _balanced(advantage, groups)]
    return not any(_on_lines(total, advantage, groups) for groups in balanced or cuts)


def _balanced(advantage: Floats, groups: Groups) -> bool:
    return bool((np.abs(_per_group(groups, advantage)[0]) <= _slack(advantage)).all())


def _on_lines(total: Floats, advantage: Floats, groups: Groups) -> bool:
    return all(_rising_line(total[groups == group], advantage[groups == group]) for group in np.unique(groups))


def _rising_line(total: Floats, advantage: Floats) -> bool:
    centred, rise = total - total.mean(), advantage - advantage.mean()
    slack = _slack(advantage)
    if np.abs(centred).max() <= 1e-6 * (1 + np.abs(total).max()):
        return bool(np.abs(rise).max() <= slack)  # equal but for rounding
    slope = float(centred @ rise / (centred @ centred))
    return slope > 0 and bool(np.abs(rise - slope * centred).max() <= slack)


def _slack(advantage: Floats) -> float:
    """What rounding to 32 bits and a tiny spread may make of an advantage."""
    return float(1e-3 * min(1.0, np.abs(advantage).max(initial=0.0)) + 1e-6)


def _groupings(runs: Groups) -> Iterator[Groups]:
    """Neighbours with one prompt are one group, or several of one size: two rows of a dataset may be equal."""
    lengths = np.unique(runs, return_counts=True)[1]
    common = int(np.gcd.reduce(lengths)) if len(lengths) else 0
    yield runs
    for size in range(common // 2 if len(lengths) == 1 else common, 1, -1):
        if common % size == 0:
            yield np.arange(len(runs)) // size


def _per_group(groups: Groups, total: Floats) -> tuple[Floats, Floats]:
    mean, spread = np.empty_like(total), np.empty_like(total)
    for group in np.unique(groups):
        rows = groups == group
        mean[rows] = total[rows].mean()
        spread[rows] = total[rows].std(ddof=1) if rows.sum() > 1 else 0.0
    return mean, spread
