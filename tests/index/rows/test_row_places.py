"""Rows are cut into few tasks, in the order of their bytes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from rollscope.formats.base import Source
from rollscope.index.rows import row_places
from rollscope.index.rows.row_places import RowPlaces, file_batches


def places(rows: list[tuple[int, int, int]]) -> RowPlaces:
    """Of rows (file, offset, length)."""
    files, offsets, lengths = (list(column) for column in zip(*rows))
    table = pa.table(
        {
            "split": ["train"] * len(rows),
            "step": [1] * len(rows),
            "group": pa.nulls(len(rows), pa.string()),
            "file": pa.array(files, pa.int64()),
            "offset": pa.array(offsets, pa.int64()),
            "length": pa.array(lengths, pa.int64()),
        }
    )
    return RowPlaces(table, np.arange(len(rows)))


def cut(rows: list[tuple[int, int, int]], task_bytes: int) -> list[tuple[int, list[tuple[str, list[int]]]]]:
    """(first row, [(file, offsets)]) of each task."""
    files = [SimpleNamespace(source=Source(path=f"{number}.jsonl")) for number in range(20)]
    snapshot: Any = SimpleNamespace(manifest=SimpleNamespace(files=files))
    found = file_batches(snapshot, places(rows), task_bytes)
    return [(first, [(item.source.path, item.offsets) for item in batch]) for first, batch in found]


def test_small_files_share_a_task_and_large_ones_are_cut() -> None:
    assert cut([(0, 0, 4), (1, 0, 4), (2, 0, 4)], 10) == [
        (0, [("0.jsonl", [0]), ("1.jsonl", [0])]),
        (2, [("2.jsonl", [0])]),
    ]
    assert cut([(0, 0, 6), (0, 6, 6), (0, 12, 6)], 10) == [
        (0, [("0.jsonl", [0])]),
        (1, [("0.jsonl", [6, 12])]),
    ]


def test_a_task_has_no_more_than_so_many_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_places, "TASK_FILES", 2)
    tasks = cut([(number, 0, 1) for number in range(5)], 1_000)
    assert [(first, len(files)) for first, files in tasks] == [(0, 2), (2, 2), (4, 1)]


def test_rows_in_another_order_than_their_bytes_are_apart() -> None:
    assert cut([(0, 8, 4), (0, 0, 4)], 100) == [(0, [("0.jsonl", [8]), ("0.jsonl", [0])])]
