"""What several detectors ask of all rows: their groups, and the first and the last steps."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

import numpy as np

from rollscope.arrays import Floats, Ints
from rollscope.index import compute
from rollscope.index.rows.run_order import PART_ROWS
from rollscope.index.segments.spill import MEMORY_ROWS, NumbersOnDisk
from rollscope.query.insights.findings.model import CannotKnow, Mask, SplitData
from rollscope.query.insights.findings.over_steps.change_points import design_effect

#: Of the steps: the window at either end that is compared.
WINDOW = 0.2
MIN_STEPS = 10
#: Fewer samples say nothing about whether they come together.
MIN_TOGETHER = 20


def windows(data: SplitData) -> tuple[Mask, Mask]:
    count = len(data.step_numbers)
    if count < MIN_STEPS:
        raise CannotKnow(f"fewer than {MIN_STEPS} steps")
    size = max(2, int(count * WINDOW))
    return data.step_codes < size, data.step_codes >= count - size


#: Several detectors ask for the groups of one split, and a million rows take a fifth of a second.
_groups: WeakKeyDictionary[SplitData, tuple[Ints, Ints]] = WeakKeyDictionary()


def groups_of_rows(data: SplitData) -> tuple[Ints, Ints]:
    """(a number per row: its group within its step; how many rows each has). A row without a group is alone."""
    if data not in _groups:
        _groups[data] = _numbered(data)
    return _groups[data]


def blocks_of_steps(data: SplitData) -> Iterator[slice]:
    """Rows of whole steps, some after the other: what is made of all rows of a large run at once takes its memory many times.
    A group lies in one of them."""
    codes, start = data.step_codes, 0
    if len(data) <= MEMORY_ROWS or not (codes[1:] >= codes[:-1]).all():
        yield slice(0, len(data))
        return
    while start < len(data):
        end = int(np.searchsorted(codes, codes[min(start + PART_ROWS, len(data)) - 1], side="right"))
        yield slice(start, end)
        start = end


def _numbered(data: SplitData) -> tuple[Ints, Ints]:
    numbers, sizes, before = NumbersOnDisk(np.int64), [], 0
    for rows in blocks_of_steps(data):
        places, counts = _numbered_in(data, rows)
        numbers.add(places + before)
        sizes.append(counts)
        before += len(counts)
    return numbers.all().view(np.ndarray), np.concatenate([np.empty(0, dtype=np.int64), *sizes])


def _numbered_in(data: SplitData, rows: slice) -> tuple[Ints, Ints]:
    encoded = compute.dictionary_encode(data.table["group"].slice(rows.start, rows.stop - rows.start))
    codes = np.nan_to_num(compute.plain(encoded.indices), nan=-1).astype(np.int64)
    alone = codes < 0
    codes[alone] = len(encoded.dictionary) + np.arange(int(alone.sum()))
    both = data.step_codes[rows] * (int(codes.max(initial=0)) + 1) + codes
    _, numbers, counts = np.unique(both, return_inverse=True, return_counts=True)
    return numbers.reshape(-1), counts


def come_together(data: SplitData, mask: Mask, known: Mask, trials: Floats) -> float:
    """So many samples count as one where it is dated: those of a group share a prompt, and what a prompt brings about comes
    in all of them. Of a few samples nobody knows."""
    if not data.has("group") or int(mask.sum()) < MIN_TOGETHER:
        return 1.0
    groups, codes = groups_of_rows(data)[0], data.step_codes
    if not known.all():
        mask, codes, groups = mask[known], codes[known], groups[known]
    values = mask.astype(float)
    rates = np.bincount(codes, weights=values, minlength=len(trials)) / np.maximum(trials, 1)
    within = float((trials * rates * (1 - rates)).sum()) / max(1.0, float(trials.sum() - (trials > 0).sum()))
    return design_effect(codes, groups, values, trials, within)
