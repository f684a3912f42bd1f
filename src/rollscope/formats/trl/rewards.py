"""Which columns are rewards, and what their total is: neither is written in TRL's completions.

The trainer's log names its reward functions and says the mean of their weighted sum, so that weights can be found and
checked. Without it the advantages tell: they are the total, less its group's mean, divided by one spread or another.
A total that something contradicts is not shown; one that they only allow is a guess.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rollscope.arrays import Floats
from rollscope.formats.containers.parquet import Table
from rollscope.formats.tables.reward_totals import (
    Numbers,
    RewardReading,
    contradicted,
    explained,
    floats_of,
    from_advantages,
)
from rollscope.formats.trl.state import Entry, TrainerState, is_evaluation

#: Sums of 32-bit numbers, logged after they were added up in another order.
_CLOSE = 2e-4
#: Weights that are this near to a round number were that number.
_ROUND = 1e-3
_OTHERWISE = "The advantages do not follow from it: training weighted or normalised the rewards otherwise."


def read_numbers(table: Table, step: int, floats: Sequence[str], advantage: str | None) -> Numbers:
    columns = table.columns(*floats, *([advantage] if advantage else []))
    new: list[bool] = []
    last = None  # a file's prompts are many times the size of its numbers: one is kept at a time
    for batch in table.batches("prompt", size=256):
        for prompt in map(repr, batch["prompt"]):
            new.append(prompt != last)
            last = prompt
    return Numbers(
        step=step,
        names=list(floats),
        values=[floats_of(columns[name]) for name in floats],
        advantage=floats_of(columns[advantage]) if advantage else None,
        groups=np.cumsum(new),
    )


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
    return from_advantages(names, files, named=bool(state.rewards))


def _from_log(names: tuple[str, ...], logged: Sequence[tuple[Numbers, Entry]]) -> RewardReading:
    means = np.array([[float(numbers.total([name]).mean()) for name in names] for numbers, _ in logged])
    rewards = np.array([entry["reward"] for _, entry in logged])
    if _all_close(means.sum(axis=1), rewards):
        why = "The total is the sum of the rewards, as the mean in trainer_state.json says."
        if any(contradicted(numbers, numbers.total(names)) for numbers, _ in logged):
            why += f" {_OTHERWISE}"  # some versions before 1.0 log it so, whatever the weights
        return RewardReading(rewards=names, why=why)
    weights = [_rounded(weight) for weight in np.linalg.lstsq(means, rewards, rcond=None)[0]]
    enough = np.linalg.matrix_rank(means) == len(names)
    tested = len(logged) > len(names) or all(explained(numbers, numbers.total(names, weights)) for numbers, _ in logged)
    if enough and tested and _all_close(means @ np.array(weights), rewards):
        told = ", ".join(f"{weight:g} × {name}" for name, weight in zip(names, weights))
        why = f"The total is {told}: the weights that explain the mean rewards in trainer_state.json."
        return RewardReading(rewards=names, total="weighted", weights=tuple(weights), why=why)
    why = (
        "No total is shown: the rewards do not add up to those in trainer_state.json, and the weights are not written."
    )
    return RewardReading(rewards=names, total="unknown", why=why)


def _leading_rewards(files: Sequence[Numbers]) -> tuple[str, ...]:
    """The longest beginning of the floating-point columns whose sum explains the advantages of the first file that has
    any; all of them where none does. Rewards lie before what `log_extra` wrote."""
    if not files:
        return ()
    names = files[0].names
    telling = next((n for n in files if n.advantage is not None and _differ(n.advantage)), None)
    for count in range(len(names), 0, -1) if telling is not None else ():
        leading = names[:count]
        for numbers in (telling.scored(leading), telling) if telling is not None else ():
            if explained(numbers, numbers.total(leading)):
                return tuple(leading)
    return tuple(names)


def _differ(values: Floats) -> bool:
    known = values[np.isfinite(values)]
    return bool(len(known) and known.max() > known.min())


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


def was_overwritten(files: Sequence[Numbers], rewards: Sequence[str], state: TrainerState) -> bool:
    """Whether the last file has other rewards than were logged of its step, while those before it have just the logged ones:
    `evaluate()` wrote it after training had ended."""
    spoken_of = [_entry(numbers, rewards, state) is not None for numbers in files]
    return len(files) > 1 and all(spoken_of[:-1]) and not spoken_of[-1]


def _all_close(left: Floats, right: Floats) -> bool:
    return bool(np.allclose(left, right, rtol=_CLOSE, atol=1e-6))


def _rounded(weight: float) -> float:
    near = round(float(weight), 2)
    return near if abs(near - weight) <= _ROUND else float(weight)
