"""Parquet by columns and by rows."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rollscope.formats.containers.parquet import Table

COUNT = 200
ROWS: list[dict[str, Any]] = [
    {"key": number % 7 if number % 5 else None, "text": f"text {number}", "kind": "ab"[number % 2]}
    for number in range(COUNT)
]


def opened(group: int = 33) -> Table:
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), sink, row_group_size=group)
    return Table(io.BytesIO(sink.getvalue()))


@pytest.mark.parametrize("batch", [1, 16, 50, 4096])
def test_a_row_is_the_same_from_wherever_one_comes(batch: int) -> None:
    table = opened()
    table._batch_rows = batch
    for order in (range(COUNT), range(COUNT - 1, -1, -1), [5, 199, 5, 0, 100, *range(90, 120)]):
        assert table.rows(order) == [ROWS[number] for number in order]


@pytest.mark.parametrize("number", [COUNT, COUNT + 5000, -1])
def test_a_row_that_is_not_there_is_said_in_one_line(number: int) -> None:
    with pytest.raises(ValueError, match=f"the table has 200 rows, and no row {number}"):
        opened().rows([0, number])


def test_columns_that_are_not_there_are_all_none() -> None:
    table = opened()
    assert table.columns("kind", "none") == {"kind": [row["kind"] for row in ROWS], "none": [None] * COUNT}
    assert [len(batch["kind"]) for batch in table.batches("kind", size=64)] == [64, 64, 64, 8]


def test_rows_are_found_by_a_key_and_by_other_columns() -> None:
    table = opened()
    for _ in range(2):
        assert table.find("key", 3) == [number for number, row in enumerate(ROWS) if row["key"] == 3]
        wanted = [number for number, row in enumerate(ROWS) if (row["key"], row["kind"]) == (3, "b")]
        assert table.find("key", 3, kind="b") == wanted
    assert table.find("key", 99) == []


def test_only_the_last_stretch_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollscope.formats.containers.parquet._KEPT_BYTES", 1)
    table = opened()
    table._batch_rows = 16
    table.rows(range(COUNT))
    assert len(table._batches) == 1
    assert table.rows([0]) == ROWS[:1]
