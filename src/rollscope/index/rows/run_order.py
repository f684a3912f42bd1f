"""Tables in the run's order (split, step, index): parts of them, found without looking at every row."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from rollscope.arrays import Rows
from rollscope.index.manifest.entries import order_of
from rollscope.index.segments.rows import concat

#: A table of more rows than this is asked part by part.
LARGE_ROWS = 1_000_000
#: Rows of such a part, about: it ends where a step does.
PART_ROWS = 250_000


def is_large(table: pa.Table) -> bool:
    return bool(table.num_rows > LARGE_ROWS)


def parts_by_steps(table: pa.Table) -> Iterator[tuple[int, pa.Table]]:
    """(place of its first row, rows of whole steps) for all of a table."""
    start = 0
    while start < table.num_rows:
        end = _end_of_step(table, min(start + PART_ROWS, table.num_rows) - 1)
        yield start, table.slice(start, end - start)
        start = end


def _end_of_step(table: pa.Table, row: int) -> int:
    """Behind the last row of the step that this row is of."""
    return bisect_right(_Keys(table), _Keys(table)[row], lo=row)


class _Keys:
    """(split, step) of each row, to be bisected."""

    def __init__(self, table: pa.Table) -> None:
        self._splits, self._steps = table["split"], table["step"]

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, row: int) -> Any:
        return order_of((self._splits[row].as_py(), self._steps[row].as_py()))


class _Splits(_Keys):
    def __getitem__(self, row: int) -> Any:
        return super().__getitem__(row)[:2]


def of_split(table: pa.Table, split: str) -> pa.Table:
    """The rows of a split: they lie together, so nothing is copied."""
    wanted = order_of((split, 0))[:2]
    start = bisect_left(_Splits(table), wanted)
    return table.slice(start, bisect_right(_Splits(table), wanted, lo=start) - start)


def of_steps(table: pa.Table, low: int | None, high: int | None) -> pa.Table:
    """The rows of steps from `low` to before `high`, of every split."""
    found = []
    start = 0
    while start < table.num_rows:
        own = of_split(table.slice(start), table["split"][start].as_py())
        steps = _Steps(own)
        first = 0 if low is None else bisect_left(steps, low)
        last = own.num_rows if high is None else bisect_left(steps, high)
        found.append(own.slice(first, max(0, last - first)))
        start += own.num_rows
    return concat(found) if found else table


class _Steps(_Keys):
    def __getitem__(self, row: int) -> Any:
        return self._steps[row].as_py()


def row_of(table: pa.Table, step: int, number: int) -> int | None:
    """Where a sample lies among rows of one split."""
    row = bisect_left(_Steps(table), step) + number
    if number < 0 or row >= table.num_rows or table["step"][row].as_py() != step:
        return None
    return row if table["index"][row].as_py() == number else None


def blocks_of(rows: Rows) -> Iterator[tuple[int, Rows]]:
    """Numbers of rows in any order, so many at a time, with the place of the first of them."""
    return ((start, np.asarray(rows[start : start + PART_ROWS])) for start in range(0, len(rows), PART_ROWS))


def between(rows: Rows, start: int, end: int) -> Rows:
    """Those of these ordered rows that are in [start, end), counted from `start`."""
    first, last = np.searchsorted(rows, [start, end])
    return np.asarray(rows[first:last]) - start


def rows_by_parts(table: pa.Table, rows: Rows) -> Iterator[tuple[int, pa.Table, Rows]]:
    """(place of its first row, part of the table, which of these rows are in it) for all rows. A small table is one part;
    in a large one, rows are in the table's order."""
    if not is_large(table):
        yield 0, table, rows
        return
    for start, part in parts_by_steps(table):
        own = between(rows, start, start + part.num_rows)
        if len(own):
            yield start, part, own
