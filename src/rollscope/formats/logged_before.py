"""What was logged right before a table of completions, by trainers that stand on transformers' (TRL, ms-swift, Unsloth):
each log call writes numbers and then its table. The numbers say whether it was an evaluation, and which columns of the
table are rewards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

_EVAL = "eval/"
#: Of training's calls: what counts on through both (epoch, step, tokens seen) is called train/… in either.
_TRAINED = frozenset({"train/loss", "train/reward", "train/train_runtime"})
_DATASET = re.compile(r"eval/(.+)_runtime")
_REWARD = re.compile(r"(?:train|eval)/rewards/(.+)/mean")


class LoggedBefore(Struct, frozen=True):
    #: Of the evaluation that wrote the table; None where nothing says that it was one.
    split: str | None = None
    #: The reward functions, where they were logged.
    rewards: frozenset[str] = frozenset()
    #: It was a step of training, which is logged once unless the run was resumed.
    trains: bool = False


def read_before(row: Mapping[str, Any]) -> LoggedBefore:
    rewards = frozenset(match[1] for name in row if (match := _REWARD.fullmatch(name)))
    names = [name for name in row if name.startswith(_EVAL)]
    if not _TRAINED.isdisjoint(row):
        return LoggedBefore(None, rewards, trains=True)
    if not names:
        return LoggedBefore(None, rewards)
    dataset = next((match[1] for name in names if (match := _DATASET.fullmatch(name))), None)
    return LoggedBefore(f"eval/{dataset}" if dataset else "eval", rewards)
