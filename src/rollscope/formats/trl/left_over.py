"""Which rows of an evaluation's file are training's: an evaluation smaller than a generation batch leaves the rest of the
trainer's own rows before its own."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from rollscope.arrays import Floats
from rollscope.formats.tables.reward_totals import Numbers, RewardReading
from rollscope.formats.trl.state import Evaluation

TRAIN = "train"
#: Sums of 32-bit numbers, logged after they were added up in another order.
_CLOSE = 2e-4


class FileReading(RewardReading, Struct, kw_only=True, frozen=True, omit_defaults=True):
    """What a file's columns are taken for, and what is known of the evaluation that wrote it."""

    evaluation: Evaluation | None = None


def splits_of(numbers: Numbers, evaluation: Evaluation, group_size: int) -> list[str]:
    """The split of each row. Where count and mean rewards of the evaluation's rows do not agree, all are its own."""
    rows = len(numbers.groups)
    own = evaluation.prompts * (group_size or int((numbers.groups == numbers.groups[-1]).sum()) if rows else 0)
    left = rows - own if 0 < own < rows and _as_logged(numbers, evaluation, own) else 0
    return [TRAIN] * left + [evaluation.split] * (rows - left)


def _as_logged(numbers: Numbers, evaluation: Evaluation, own: int) -> bool:
    """Whether the last rows have the mean rewards that were logged: the mean over batches, whose size is not written."""
    columns = {
        name: numbers.values[numbers.names.index(name)][-own:] for name in evaluation.means if name in numbers.names
    }
    return bool(columns) and any(
        all(
            np.isclose(_mean(column, size), evaluation.means[name], rtol=_CLOSE, atol=1e-6)
            for name, column in columns.items()
        )
        for size in range(1, own + 1)
    )


def _mean(column: Floats, size: int) -> float:
    return _known_mean(np.array([_known_mean(column[start : start + size]) for start in range(0, len(column), size)]))


def _known_mean(values: Floats) -> float:
    """The mean of those that are there."""
    given = values[~np.isnan(values)]
    return float(given.mean()) if len(given) else float("nan")
