"""Lists that go over many steps: which rows a range of steps holds, how many match in each, what lies around a sample."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.index import compute
from rollscope.model import address
from rollscope.query.answers import Neighbours
from rollscope.query.insights.windows import parse_steps

Rows = NDArray[np.int64]


def of_steps(table: pa.Table, steps: str) -> pa.Table:
    """The rows of a range of steps ("10:20"), of rows in the run's order. Of one split they lie together: no copy."""
    low, high = parse_steps(steps)
    numbers = table["step"].to_numpy()
    keep = np.ones(len(numbers), dtype=bool)
    if low is not None:
        keep &= numbers >= low
    if high is not None:
        keep &= numbers < high
    found = np.flatnonzero(keep)
    if len(found) == 0:
        return table.slice(0, 0)
    if found[-1] - found[0] + 1 == len(found):
        return table.slice(int(found[0]), len(found))
    return compute.take(table, found)


def counts_by_step(table: pa.Table, whole: Rows, matching: Rows) -> tuple[list[int], list[int], list[int]]:
    """(steps, samples of each, how many of these match)."""
    numbers = table["step"].to_numpy()
    steps, samples = np.unique(numbers[whole], return_counts=True)
    counts = np.zeros(len(steps), dtype=np.int64)
    found, matches = np.unique(numbers[matching], return_counts=True)
    counts[np.searchsorted(steps, found)] = matches
    return steps.tolist(), samples.tolist(), counts.tolist()


def group_codes(table: pa.Table) -> Rows:
    """A number per row: the same for rows of one step that share a group. Those without a group count as one."""
    encoded = compute.dictionary_encode(table["group"])
    codes: Rows = compute.fill_null(encoded.indices, len(encoded.dictionary)).to_numpy().astype(np.int64)
    steps = table["step"].to_numpy()
    if len(steps) == 0 or steps.min() == steps.max():
        return codes
    _, step_codes = np.unique(steps, return_inverse=True)
    both = np.unique(step_codes * (len(encoded.dictionary) + 1) + codes, return_inverse=True)[1]
    return np.asarray(both, dtype=np.int64)


def row_of(table: pa.Table, step: int, number: int) -> int | None:
    """Where a sample lies among rows in the run's order."""
    numbers = table["step"].to_numpy()
    row = int(np.searchsorted(numbers, step)) + number
    if number < 0 or row >= len(numbers) or numbers[row] != step or table["index"][row].as_py() != number:
        return None
    return row


def neighbours_across(table: pa.Table, order: Rows, codes: Rows, row: int | None, split: str, step: int) -> Neighbours:
    """What lies around a row in a list over many steps. One that the filter leaves out lies before the first."""
    at = np.flatnonzero(order == row) if row is not None else np.array([], dtype=np.int64)
    position = int(at[0]) if len(at) else None
    groups = codes[order]

    def name(place: int | None) -> str | None:
        if place is None or not 0 <= place < len(order):
            return None
        there = int(order[place])
        return address(split, table["step"][there].as_py(), table["index"][there].as_py())

    def start(place: int) -> int:
        """The first of the samples of one group that stand side by side here."""
        others = np.flatnonzero(groups[:place] != groups[place])
        return int(others[-1]) + 1 if len(others) else 0

    first = last = group_place = place_in_group = group_samples = None
    if position is not None:
        first = start(position)
        after = np.flatnonzero(groups[position:] != groups[position])
        last = position + int(after[0]) if len(after) else None
        group_place = int(np.count_nonzero(np.diff(groups[: position + 1])))
        place_in_group = position - first
        group_samples = (last if last is not None else len(order)) - first
    steps = np.unique(table["step"].to_numpy()[order])
    before, behind = steps[steps < step], steps[steps > step]

    def in_step(number: int) -> str | None:
        return name(int(np.flatnonzero(table["step"].to_numpy()[order] == number)[0]))

    return Neighbours(
        previous=name(position - 1) if position else None,
        next=name(0 if position is None else position + 1),
        previous_group=name(start(first - 1)) if first else None,
        next_group=name(0 if position is None else last),
        previous_step=in_step(int(before[-1])) if len(before) else None,
        next_step=in_step(int(behind[0])) if len(behind) else None,
        position=position,
        total=len(order),
        group_place=group_place,
        place_in_group=place_in_group,
        group_samples=group_samples,
    )
