"""Steps from … to, as people write them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.errors import UsageError
from rollscope.index import compute
from rollscope.index.rows.run_order import between, is_large, parts_by_steps
from rollscope.index.segments.spill import NumbersOnDisk


def parse_steps(text: str) -> tuple[int | None, int | None]:
    """``10:20`` → the steps 10 to 19, as Python counts; ``90:`` from 90 on; ``:10`` those before 10."""
    first, colon, last = text.partition(":")
    try:
        low, high = (int(word) if word.strip() else None for word in (first, last))
    except ValueError:
        low = high = None
        colon = ""
    if not colon or (low is not None and high is not None and high <= low):
        raise UsageError(f"{text!r} is not a range of steps", hint="write 10:20 for the steps 10 to 19, 90: or :10")
    return low, high


def within_steps(table: pa.Table, rows: NDArray[np.int64], text: str | None) -> NDArray[np.int64]:
    if not text:
        return rows
    low, high = parse_steps(text)
    if is_large(table):
        found = NumbersOnDisk(np.int64)
        for start, part in parts_by_steps(table):
            found.add(_between_steps(part, between(rows, start, start + part.num_rows), low, high) + start)
        return found.all()
    return _between_steps(table, rows, low, high)


def _between_steps(table: pa.Table, rows: NDArray[np.int64], low: int | None, high: int | None) -> NDArray[np.int64]:
    steps = compute.plain(table["step"])[rows]
    keep = np.ones(len(rows), dtype=bool)
    if low is not None:
        keep &= steps >= low
    if high is not None:
        keep &= steps < high
    return rows[keep]


def outer_windows(steps: Sequence[int], run: str, split: str) -> tuple[str, str]:
    """The first and the last tenth of the steps that there are, as ranges."""
    if len(steps) < 2:
        raise UsageError(f"{run} has {len(steps)} step{'s' * (len(steps) != 1)} in {split}: nothing can have changed")
    tenth = max(1, len(steps) // 10)
    return f"{steps[0]}:{steps[tenth - 1] + 1}", f"{steps[-tenth]}:{steps[-1] + 1}"
