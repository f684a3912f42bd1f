"""From rows in reading order to samples with addresses: drop what was superseded, number, and group."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.arrays import Ints
from rollscope.formats.base import Grouping
from rollscope.index import compute
from rollscope.index.rows.resume import rows_that_count


def arrange(table: pa.Table, ranks: Ints | None, grouping: Grouping) -> pa.Table:
    """The rows that count, with `index` (their 0-based place in their step), `group` and `attempt` filled in.

    A sample stands where it was first read: a better row of it, from a file that counts more, takes that place, so that
    its address stays. `ranks` are the precedences of the rows' files (None: all equal)."""
    if table.num_rows == 0:
        return table.append_column("index", pa.array([], pa.int64()))
    steps = step_codes(table)
    order = rows_that_count(table, steps, ranks)
    if order is not None:
        table = compute.take(table, order)
        steps = steps[order]
    table = table.append_column("index", compute.numbers(_places(steps)))
    table = _with_attempts(table)
    if table["group"].null_count and grouping != "recorded":
        table = table.set_column(table.column_names.index("group"), "group", _with_groups(table, steps, grouping))
    return table


def _with_groups(table: pa.Table, steps: Ints, grouping: Grouping) -> pa.Array:
    """The groups that were recorded, and for the samples without one those of equal prompts among themselves."""
    recorded = table["group"].combine_chunks()
    hashes = compute.plain(compute.fill_null(table["prompt_hash"], 0))
    nameless = np.flatnonzero(compute.is_null(recorded).to_numpy(zero_copy_only=False))
    if len(nameless) == table.num_rows:
        return pa.array(_groups(hashes, steps, grouping)).cast(pa.string())
    names: list[str | None] = recorded.to_pylist()
    taken: dict[int, set[str | None]] = {}
    for step, name in zip(steps.tolist(), names):
        taken.setdefault(step, set()).add(name)
    numbers = _groups(hashes[nameless], steps[nameless], grouping).tolist()
    given: dict[tuple[int, int], str] = {}
    following: dict[int, int] = {}
    for row, number in zip(nameless.tolist(), numbers):
        step = int(steps[row])
        if (step, number) not in given:
            following[step] = _free(taken[step], following.get(step, 0))
            given[step, number] = str(following[step])
            following[step] += 1
        names[row] = given[step, number]
    return pa.array(names, pa.string())


def _free(taken: set[str | None], number: int) -> int:
    """The first number from here on that is no group's name: a group with a name and one without are two."""
    while str(number) in taken:
        number += 1
    return number


def _with_attempts(table: pa.Table) -> pa.Table:
    """A sample without a recorded attempt belongs to the first one: in lists, filters, SQL and files."""
    if "attempt" not in table.column_names:
        return table.append_column("attempt", compute.numbers(np.zeros(table.num_rows, dtype=np.int64)))
    if table["attempt"].null_count == 0:
        return table
    place = table.column_names.index("attempt")
    return table.set_column(place, "attempt", compute.fill_null(table["attempt"], 0))


def step_codes(table: pa.Table) -> Ints:
    """One number per (split, step), ordered by the first appearance of neither: only equality counts."""
    encoded = compute.dictionary_encode(table["split"])
    splits = compute.plain(encoded.indices).astype(np.int64)
    steps: Ints = compute.plain(table["step"])
    if len(encoded.dictionary) == 1 and steps[0] == steps[-1] and (steps == steps[0]).all():
        return np.zeros(len(steps), dtype=np.int64)
    _, step_rank = np.unique(steps, return_inverse=True)
    codes: Ints = splits * (int(step_rank.max()) + 1) + step_rank.reshape(-1)
    return codes


def _places(steps: Ints) -> Ints:
    """0, 1, 2 … within each step, in reading order."""
    if steps[0] == steps[-1] and (steps == steps[0]).all():
        return np.arange(len(steps), dtype=np.int64)
    order = np.argsort(steps, kind="stable")
    ordered = steps[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    lengths = np.diff(np.concatenate([starts, [len(ordered)]]))
    places = np.empty(len(steps), dtype=np.int64)
    places[order] = np.arange(len(steps)) - np.repeat(starts, lengths)
    return places


def _groups(hashes: NDArray[np.uint64], steps: Ints, grouping: Grouping) -> Ints:
    """Groups of equal prompts of a step, numbered by first appearance."""
    new = np.concatenate([[True], (hashes[1:] != hashes[:-1]) | (steps[1:] != steps[:-1])])
    if grouping == "consecutive_prompt":
        run: Ints = np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))
    else:
        _, hash_codes = np.unique(hashes, return_inverse=True)
        pairs = steps * (int(hash_codes.max()) + 1) + hash_codes.reshape(-1)
        _, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
        run = first[inverse.reshape(-1)]
    return _dense_within_step(_split_by_size(run, new, steps), steps)


def _split_by_size(run: Ints, new: NDArray[np.bool_], steps: Ints) -> Ints:
    """Two rows of a dataset may share a prompt's text. Neighbours with one prompt are a run; the length that most runs of a
    step have, if it is above 1, is the group size, and a run of several times that length is as many groups. That holds
    only where no other run could be a piece of a group: its length is a multiple too, or its prompt does not come back
    (a group that lost samples)."""
    starts = np.flatnonzero(new)
    lengths = np.diff(np.concatenate([starts, [len(run)]]))
    step_of_run = steps[starts]
    size = _usual_length(step_of_run, lengths)
    multiple = lengths % np.maximum(size, 1) == 0
    _, which, times = np.unique(run[starts], return_inverse=True, return_counts=True)
    alone = times[which.reshape(-1)] == 1
    _, step_code = np.unique(step_of_run, return_inverse=True)
    step_code = step_code.reshape(-1)
    irregular = np.zeros(int(step_code.max()) + 1, dtype=bool)
    np.logical_or.at(irregular, step_code, ~(multiple | alone))
    size = np.where(irregular[step_code] | ~multiple, 0, size)
    size_of_row = np.repeat(size, lengths)
    start_of_row = np.repeat(starts, lengths)
    offset = np.arange(len(run)) - start_of_row
    cut = start_of_row + offset // np.maximum(size_of_row, 1) * size_of_row
    return np.where(size_of_row > 0, cut, run)


def _usual_length(step_of_run: Ints, lengths: Ints) -> Ints:
    """For each run the length that more runs of its step have than any other; 0 where there is none above 1."""
    pairs, counts = np.unique(np.stack([step_of_run, lengths]), axis=1, return_counts=True)
    order = np.lexsort((-counts, pairs[0]))
    ordered, times = pairs[:, order], counts[order]
    first = np.concatenate([[True], ordered[0, 1:] != ordered[0, :-1]])
    tied = np.concatenate([~first[1:] & (times[1:] == times[:-1]), [False]])
    usual = np.where(tied | (ordered[1] <= 1), 0, ordered[1])[first]
    found: Ints = usual[np.searchsorted(ordered[0, first], step_of_run)]
    return found


def _dense_within_step(run: Ints, steps: Ints) -> Ints:
    """Group codes that grow with first appearance -> 0, 1, 2 … within each step."""
    pairs = np.stack([steps, run])
    unique, inverse = np.unique(pairs, axis=1, return_inverse=True)
    starts = np.concatenate([[True], unique[0, 1:] != unique[0, :-1]])
    first_of_step = np.maximum.accumulate(np.where(starts, np.arange(unique.shape[1]), 0))
    dense: Ints = (np.arange(unique.shape[1]) - first_of_step)[inverse.reshape(-1)]
    return dense
