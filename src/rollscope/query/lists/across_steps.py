"""Lists that go over many steps: which rows a range of steps holds, how many match in each, what lies around a sample."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from rollscope.arrays import Rows
from rollscope.index import compute
from rollscope.index.rows.run_order import between, parts_by_steps
from rollscope.model import address
from rollscope.query.answers import Neighbours


def counts_by_step(table: pa.Table, whole: Rows, matching: Rows) -> tuple[list[int], list[int], list[int]]:
    """(steps, samples of each, how many of these match), of rows in the order of a split's table."""
    steps: list[int] = []
    samples: list[int] = []
    counts: list[int] = []
    for start, part in parts_by_steps(table):
        numbers = part["step"].to_numpy()
        own, theirs = (between(rows, start, start + part.num_rows) for rows in (whole, matching))
        found, times = np.unique(numbers[own], return_counts=True)
        matches = np.zeros(len(found), dtype=np.int64)
        matched, hits = np.unique(numbers[theirs], return_counts=True)
        matches[np.searchsorted(found, matched)] = hits
        steps += found.tolist()
        samples += times.tolist()
        counts += matches.tolist()
    return steps, samples, counts


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
