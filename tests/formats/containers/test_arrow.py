"""Arrow files: both variants say the same, batch by batch and row by row."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pytest

from rollscope.formats.containers.arrow import ArrowFile
from rollscope.storage.open_files import DAMAGED

TABLE = pa.table({"a": list(range(10)), "b": [None if number % 3 else str(number) for number in range(10)]})


def written(table: pa.Table, *, footer: bool) -> bytes:
    sink = io.BytesIO()
    with (pa.ipc.new_file if footer else pa.ipc.new_stream)(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=4)
    return sink.getvalue()


@pytest.mark.parametrize("footer", [False, True])
def test_rows_come_in_any_order_and_batches_in_theirs(footer: bool) -> None:
    table = ArrowFile(io.BytesIO(written(TABLE, footer=footer)))
    rows = TABLE.to_pylist()
    assert (table.num_rows, sorted(table.names)) == (10, ["a", "b"])
    assert table.rows([9, 0, 4, 3]) == [rows[9], rows[0], rows[4], rows[3]]
    batches = list(table.batches("a", "none", size=3))
    assert [batch["a"] for batch in batches] == [[0, 1, 2], [3], [4, 5, 6], [7], [8, 9]]
    assert batches[0]["none"] == [None] * 3
    for missing in (10, -1):
        with pytest.raises(ValueError, match="the table has 10 rows, and no row"):
            table.rows([missing])


def test_a_table_without_rows_opens() -> None:
    table = ArrowFile(io.BytesIO(written(TABLE.slice(0, 0), footer=False)))
    assert (table.num_rows, list(table.batches("a"))) == (0, [])


def test_columns_of_dictionaries_are_refused_in_one_line() -> None:
    table = pa.table({"a": pa.array(["x", "y"]).dictionary_encode()})
    with pytest.raises(ValueError, match="dictionaries, which are not read"):
        ArrowFile(io.BytesIO(written(table, footer=False)))


@pytest.mark.parametrize("bad", [b"", b"ARROW1", b"x" * 100, written(TABLE, footer=False)[:-40]])
def test_damaged_arrow_files_raise_what_readers_expect(bad: bytes) -> None:
    opened: Any = None
    with pytest.raises(DAMAGED):
        opened = ArrowFile(io.BytesIO(bad))
    assert opened is None
