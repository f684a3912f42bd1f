"""Which columns are rewards, and what their total is: neither is written in TRL's completions.

The trainer's log names its reward functions and says the mean of their weighted sum, so that weights can be found and
checked. Without it the advantages tell: they are the total, less its group's mean, divided by one spread or another.
A total that something contradicts is not shown; one that they only allow is a guess.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.formats.containers.parquet import Table
from rollscope.formats.trl.state import Entry, TrainerState, is_evaluation

Floats = NDArray[np.float64]
Groups = NDArray[np.int64]

#: Sums of 32-bit numbers, logged after they were added up in another order.
_CLOSE = 2e-4
#: Weights that are this near to a round number were that number.
_ROUND = 1e-3


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


def read_numbers(table: Table, step: int, floats: Sequence[str], advantage: str | None) -> Numbers:
    columns = table.columns(*floats, *([advantage] if advantage else []))
    prompts: list[Any] = []
    for batch in table.batches("prompt", size=256):
        prompts += map(repr, batch["prompt"])
    new = [i == 0 or prompt != prompts[i - 1] for i, prompt in enumerate(prompts)]
    return Numbers(
        step=step,
        names=list(floats),
        values=[_array(columns[name]) for name in floats],
        advantage=_array(columns[advantage]) if advantage else None,
        groups=np.cumsum(new),
    )


def _array(values: list[Any]) -> Floats:
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def judge(files: Sequence[Numbers], state: TrainerState) -> RewardReading:
    """What the columns are, from the trainer's log where there is one and from the advantages where not."""
    known = state.rewards
    floats = files[0].names if files else []
    names = tuple(name for name in floats if name in known) if known else _leading_rewards(files)
    if not names:
        return RewardReading(rewards=())
    # A sample without any reward has no part in means and advantages; in older versions it counted as one of 0.
    found = _read(names, [numbers.scored(names) for numbers in files], state)
    return _read(names, files, state) if found.total == "unknown" else found


def _read(names: tuple[str, ...], files: Sequence[Numbers], state: TrainerState) -> RewardReading:
    logged = [(numbers, entry) for numbers in files if (entry := _entry(numbers, names, state)) is not None]
    if logged:
        return _from_log(names, logged)
    return _from_advantages(names, files, named=bool(state.rewards))


def _from_log(names: tuple[str, ...], logged: Sequence[tuple[Numbers, Entry]]) -> RewardReading:
    means = np.array([[float(numbers.total([name]).mean()) for name in names] for numbers, _ in logged])
    rewards = np.array([entry["reward"] for _, entry in logged])
    if _all_close(means.sum(axis=1), rewards):
        why = "The total is the sum of the rewards, as the mean in trainer_state.json says."
        return RewardReading(rewards=names, why=why)
    weights = [_rounded(weight) for weight in np.linalg.lstsq(means, rewards, rcond=None)[0]]
    enough = np.linalg.matrix_rank(means) == len(names)
    tested = len(logged) > len(names) or all(
        _explained(numbers, numbers.total(names, weights)) for numbers, _ in logged
    )
    if enough and tested and _all_close(means @ np.array(weights), rewards):
        told = ", ".join(f"{weight:g} × {name}" for name, weight in zip(names, weights))
        why = f"The total is {told}: the weights that explain the mean rewards in trainer_state.json."
        return RewardReading(rewards=names, total="weighted", weights=tuple(weights), why=why)
    why = (
        "No total is shown: the rewards do not add up to those in trainer_state.json, and the weights are not written."
    )
    return RewardReading(rewards=names, total="unknown", why=why)


def _from_advantages(names: tuple[str, ...], files: Sequence[Numbers], *, named: bool) -> RewardReading:
    telling = [numbers for numbers in files if numbers.advantage is not None]
    totals = [numbers.total(names) for numbers in telling]
    apart = len(names) > 1 and bool(telling) and all(_normalised_apart(numbers, names) for numbers in telling)
    if not apart and any(_contradicted(numbers, total) for numbers, total in zip(telling, totals)):
        why = "No total is shown: the advantages contradict the sum of the rewards, and their weights are not written."
        return RewardReading(rewards=names, total="unknown", why=why)
    listed = ", ".join(names)
    proven = any(total.std() > 0 for total in totals) and (apart or all(map(_explained, telling, totals)))
    if proven:
        why = f"The total is the unweighted sum of {listed}; the advantages agree with it." if len(names) > 1 else ""
        return RewardReading(rewards=names, why=why)
    why = f"The total is the unweighted sum of {listed}; TRL does not write its own."
    return RewardReading(rewards=names, why=why if len(names) > 1 else "", guessed=len(names) > 1 or not named)


def _leading_rewards(files: Sequence[Numbers]) -> tuple[str, ...]:
    """The longest beginning of the floating-point columns whose sum explains the advantages of the first file that has
    any; all of them where none does. Rewards lie before what `log_extra` wrote."""
    if not files:
        return ()
    names = files[0].names
    telling = next((n for n in files if n.advantage is not None and np.nanstd(n.advantage) > 0), None)
    for count in range(len(names), 0, -1) if telling is not None else ():
        leading = names[:count]
        for numbers in (telling.scored(leading), telling) if telling is not None else ():
            if _explained(numbers, numbers.total(leading)):
                return tuple(leading)
    return tuple(names)


def _entry(numbers: Numbers, names: Sequence[str], state: TrainerState) -> Entry | None:
    """The log entry that speaks of exactly these rows: its mean of every reward is theirs. Where a log call sums up
    several batches, or an evaluation is longer than what is kept of it, there is none."""
    for step, entry in state.entries:
        prefix = "eval_" if is_evaluation(entry) else ""
        if step != numbers.step or f"{prefix}reward" not in entry:
            continue
        if all(_same_mean(numbers, name, entry.get(f"{prefix}rewards/{name}/mean")) for name in names):
            return {"reward": entry[f"{prefix}reward"]}
    return None


def _same_mean(numbers: Numbers, name: str, logged: float | None) -> bool:
    values = numbers.values[numbers.names.index(name)]
    given = values[~np.isnan(values)]
    if logged is None or math.isnan(logged):
        return len(given) == 0
    return len(given) > 0 and math.isclose(float(given.mean()), logged, rel_tol=_CLOSE, abs_tol=1e-6)


def _explained(numbers: Numbers, total: Floats) -> bool:
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


def _contradicted(numbers: Numbers, total: Floats) -> bool:
    """Whether, however neighbours with one prompt are cut into groups, some group's advantages do not rise with the
    total on a straight line, as they do whatever the spread is. Where a cut is right, each group's add up to nothing:
    cuts that do not are passed over, for of two samples any line goes through both."""
    advantage = numbers.advantage
    if advantage is None or np.isnan(advantage).any() or not advantage.any() or _explained(numbers, total):
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


def _all_close(left: Floats, right: Floats) -> bool:
    return bool(np.allclose(left, right, rtol=_CLOSE, atol=1e-6))


def _rounded(weight: float) -> float:
    near = round(float(weight), 2)
    return near if abs(near - weight) <= _ROUND else float(weight)
