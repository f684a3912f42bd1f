"""Rows put together for steps: whose rows are read at once, which are left out, and in which order they are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from rollscope.index.manifest.entries import IndexedPiece
from rollscope.index.rows.step_rows import in_order, neighbours, only_steps, with_file


def piece(segment: str, row: int, rows: int) -> IndexedPiece:
    return IndexedPiece(0, 1, b"", segment, row, rows, rows, [], [])


def table(*rows: tuple[str, int, int]) -> pa.Table:
    splits, steps, index = zip(*rows)
    return pa.table({"split": list(splits), "step": list(steps), "index": list(index)})


def test_pieces_are_read_as_one_while_they_follow_each_other_in_one_segment() -> None:
    pieces = [
        (0, piece("a", 0, 3)),
        (1, piece("", 0, 0)),  # a file without samples does not end it
        (2, piece("a", 3, 2)),
        (3, piece("a", 6, 1)),  # a row in between is somebody else's
        (4, piece("b", 7, 1)),  # another segment
    ]
    runs = [[position for position, _ in run] for run in neighbours(pieces)]
    assert runs == [[0, 2], [3], [4]]
    assert list(neighbours([])) == []


def test_only_rows_of_the_wanted_steps_stay_and_a_step_is_one_of_its_split() -> None:
    rows = table(("train", 1, 0), ("eval/a", 1, 0), ("train", 2, 0), ("eval/a", 2, 0))
    kept = only_steps(rows, {("train", 2), ("eval/a", 1), ("eval/b", 2)})
    assert kept.to_pylist() == table(("eval/a", 1, 0), ("train", 2, 0)).to_pylist()
    assert only_steps(rows, {(split, step) for split in ("train", "eval/a") for step in (1, 2)}) is rows
    assert only_steps(rows, {("train", 2**70), ("train", -(2**63) - 1)}).num_rows == 0


def test_rows_are_ordered_with_train_first_and_by_number() -> None:
    right = table(("train", 2, 0), ("train", 10, 0), ("train", 10, 1), ("eval/a", 1, 0), ("zzz", 0, 0))
    shuffled = right.take(np.array([4, 2, 0, 3, 1]))
    assert in_order(shuffled).to_pylist() == right.to_pylist()
    assert in_order(right) is right


def test_rows_know_the_position_of_their_file() -> None:
    assert with_file(table(("train", 0, 0), ("train", 0, 1)), 7)["file"].to_pylist() == [7, 7]
