"""The samples before and after one, in the order and under the filter of the list it was opened from."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.index.snapshot import Snapshot
from rollscope.model import address
from rollscope.query import answers


def neighbours(
    snapshot: Snapshot, table: pa.Table, rows: NDArray[np.int64], split: str, step: int, number: int
) -> answers.Neighbours:
    at = np.flatnonzero(rows == number)
    position = int(at[0]) if len(at) else None
    groups = table["group"].to_pylist()
    steps = snapshot.known_steps.get(split, [])
    place = steps.index(step) if step in steps else None

    def name(row: int | None) -> str | None:
        return address(split, step, int(rows[row])) if row is not None and 0 <= row < len(rows) else None

    def other_group(direction: int) -> str | None:
        """The first sample of the group before or after; going back means the start of that group."""
        if position is None:
            return None
        here = groups[number]
        row = position
        while 0 <= row < len(rows) and groups[int(rows[row])] == here:
            row += direction
        if not 0 <= row < len(rows):
            return None
        if direction < 0:
            target = groups[int(rows[row])]
            while row > 0 and groups[int(rows[row - 1])] == target:
                row -= 1
        return name(row)

    def other_step(direction: int) -> str | None:
        if place is None or not 0 <= place + direction < len(steps):
            return None
        return address(split, steps[place + direction], 0)

    return answers.Neighbours(
        previous=name(position - 1) if position else None,
        next=name(position + 1) if position is not None else None,
        previous_group=other_group(-1),
        next_group=other_group(1),
        previous_step=other_step(-1),
        next_step=other_step(1),
        position=position,
        total=len(rows),
    )
