"""Which columns of a logged table are rewards, and what they add up to: as the trainer's configuration and its log say, else
as far as the advantages tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from rollscope.formats.tables.completion_table import Rules
from rollscope.formats.tables.logged_before import LoggedBefore
from rollscope.formats.tables.reward_totals import Numbers, RewardReading, floats_of, from_advantages
from rollscope.model import as_number

_WEIGHTS = "reward_weights"
#: Sums of 32-bit numbers, logged after they were added up in another order.
_CLOSE = 2e-4

#: One a reward function; empty where the configuration says that all count once; None where it says nothing.
Weights = tuple[float, ...] | None


def configured_weights(config: Any) -> Weights:
    """`reward_weights` of TRL and of what stands on it."""
    if not isinstance(config, Mapping) or _WEIGHTS not in config:
        return None
    told = config[_WEIGHTS]
    numbers = [as_number(weight) for weight in told] if isinstance(told, (list, tuple)) else []
    given = tuple(weight for weight in numbers if weight is not None)
    return given if told is None or len(given) == len(numbers) > 0 else None


def with_evidence(rules: Rules, rows: Sequence[Mapping[str, Any]], before: LoggedBefore, weights: Weights) -> Rules:
    """The rules, with the reward functions that the run has logged (other numbers beside them are metrics) and with what
    is known of their total."""
    total = rules.total if rules.total not in before.rewards else None  # a reward function may be called so
    candidates = {*rules.rewards, *rules.metrics, rules.total} - {total}
    known = tuple(name for name in rules.columns if name in before.rewards and name in candidates)
    if known:
        others = tuple(name for name in rules.columns if name in candidates and name not in known)
        rules = msgspec.structs.replace(rules, total=total, rewards=known, metrics=others)
    if rules.total is not None or not rules.rewards:
        return rules
    numbers = _numbers(rules, rows)
    return msgspec.structs.replace(rules, reading=_reading(rules.rewards, numbers, before, weights))


def _reading(names: tuple[str, ...], numbers: Numbers, before: LoggedBefore, weights: Weights) -> RewardReading:
    known = set(names) == before.rewards
    told = ", ".join(f"{weight:g} × {name}" for weight, name in zip(weights or (), names))
    plainly = _as_logged(numbers, before, [1.0] * len(names)) if known else None
    if weights is not None and len(weights) == len(names) and (known or not before.rewards):
        agrees = _as_logged(numbers, before, weights) if known else None
        if agrees is not False:
            why = f"The total is {told}: the weights in the run's configuration."
            return RewardReading(rewards=names, total="weighted", weights=weights, why=why)
        if plainly:  # some of TRL's versions before 1.0 log that
            why = f"The total is the plain sum of the rewards, as it was logged; training weighted them: {told}."
            return RewardReading(rewards=names, why=why)
        why = "No total is shown: the weights in the run's configuration do not give the logged reward."
        return RewardReading(rewards=names, total="unknown", why=why)
    if weights == () and known:
        why = "The total is the sum of the rewards: the run's configuration gives them no weights."
        return RewardReading(rewards=names, why=why if len(names) > 1 else "")
    if plainly is True:
        why = "The total is the sum of the rewards, as their logged means say."
        return RewardReading(rewards=names, why=why if len(names) > 1 else "")
    if plainly is False:
        why = "No total is shown: the rewards do not add up to the logged one, and their weights are not written."
        return RewardReading(rewards=names, total="unknown", why=why)
    if weights:
        why = f"No total is shown: the configuration has {len(weights)} weights, and there are {len(names)} reward columns."
        return RewardReading(rewards=names, total="unknown", why=why)
    if len(names) == 1:
        return RewardReading(rewards=names)  # no weight of a single one would explain advantages that do not follow it
    return from_advantages(names, [numbers.scored(names)], named=known)


def _as_logged(numbers: Numbers, before: LoggedBefore, weights: Sequence[float]) -> bool | None:
    """Whether rewards with these weights have the mean total that was logged; None where nothing tells it: the table is
    not of the very rows that were logged, and some of those have not every reward."""
    means = [mean for name in numbers.names if (mean := before.means.get(name)) is not None]
    if before.reward is None or len(means) < len(numbers.names):
        return None
    if not any(np.isnan(column).any() for column in numbers.values):
        return _close(math.fsum(weight * mean for weight, mean in zip(weights, means)), before.reward)
    if not all(_close(float(np.nanmean(column)), mean) for column, mean in zip(numbers.values, means)):
        return None
    # A row without any reward counts nothing, or as one of 0 in older versions.
    ways = (numbers, numbers.scored(numbers.names))
    return any(_close(float(rows.total(numbers.names, weights).mean()), before.reward) for rows in ways)


def _close(made: float, logged: float) -> bool:
    return math.isclose(made, logged, rel_tol=_CLOSE, abs_tol=1e-5)


def _numbers(rules: Rules, rows: Sequence[Mapping[str, Any]]) -> Numbers:
    def column(name: str) -> list[float | None]:
        return [as_number(row.get(name)) for row in rows]

    prompts = [repr(row.get(rules.prompt or "")) for row in rows]
    new = [place == 0 or prompt != prompts[place - 1] for place, prompt in enumerate(prompts)]
    return Numbers(
        step=0,
        names=list(rules.rewards),
        values=[floats_of(column(name)) for name in rules.rewards],
        advantage=floats_of(column(rules.advantage)) if rules.advantage else None,
        groups=np.cumsum(new),
    )
