"""Columns made for a large run lie in a file that nobody sees, and say what they said in memory."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from rollscope.index.segments.spill import spilled


def test_the_table_is_the_same_and_the_folder_is_empty(tmp_path: Path) -> None:
    table = pa.table({"own": [1, 2, 3], "made": pa.chunked_array([["a"], [None, "c"]]), "other": [0.5, None, 1.0]})
    found = spilled(table, {"own"}, str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    assert found.equals(table)
    assert found.column_names == table.column_names


def test_what_is_mapped_already_is_not_written_again(tmp_path: Path) -> None:
    table = pa.table({"own": [1, 2], "made": [3, 4]})
    found = spilled(table, {"own"}, str(tmp_path))
    buffers = [found["own"].chunk(0).buffers()[1].address, found["made"].chunk(0).buffers()[1].address]
    assert buffers[0] == table["own"].chunk(0).buffers()[1].address
    assert buffers[1] != table["made"].chunk(0).buffers()[1].address
