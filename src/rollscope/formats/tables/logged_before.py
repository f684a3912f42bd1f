"""What was logged right before a table of completions, by trainers that stand on transformers' (TRL, ms-swift, Unsloth):
each log call writes numbers and then its table. The numbers say whether it was an evaluation, and which columns of the
table are rewards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from rollscope.model import as_number

#: What every evaluation of these trainers logs; others may log their evals' own tables under `eval/`.
_EVALUATED = re.compile(r"eval/(?:loss|reward|(?:.+_)?runtime)")
#: Of training's calls: what counts on through both (epoch, step, tokens seen) is called train/… in either.
_TRAINED = frozenset({"train/loss", "train/reward", "train/train_runtime"})
_DATASET = re.compile(r"eval/(.+)_runtime")
_REWARD = re.compile(r"(?:train|eval)/rewards/(.+)/mean")
_TOTAL = ("train/reward", "eval/reward")


class LoggedBefore(Struct, frozen=True):
    #: Of the evaluation that wrote the table; None where nothing says that it was one.
    split: str | None = None
    #: Reward function -> the mean that was logged of it, if there was one.
    means: dict[str, float | None] = {}
    #: The mean total that was logged with them.
    reward: float | None = None
    #: It was a step of training, which is logged once unless the run was resumed.
    trains: bool = False

    @property
    def rewards(self) -> frozenset[str]:
        """The reward functions, where they were logged."""
        return frozenset(self.means)


def read_before(row: Mapping[str, Any]) -> LoggedBefore:
    means = {match[1]: _number(value) for name, value in row.items() if (match := _REWARD.fullmatch(name))}
    reward = next((_number(row[name]) for name in _TOTAL if name in row), None)
    trains = not _TRAINED.isdisjoint(row)
    if trains or not any(map(_EVALUATED.fullmatch, row)):
        return LoggedBefore(None, means, reward, trains)
    dataset = next((match[1] for name in row if (match := _DATASET.fullmatch(name))), None)
    return LoggedBefore(f"eval/{dataset}" if dataset else "eval", means, reward)


def _number(value: Any) -> float | None:
    return None if isinstance(value, str) else as_number(value)
