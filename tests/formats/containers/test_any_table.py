"""Tables of any writer are records of JSON-like values."""

from __future__ import annotations

import datetime as dt
import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rollscope.formats.containers.any_table import TABLES, first_records, one_record, scalar_records
from rollscope.storage.memory import MemoryStore

TABLE = pa.table(
    {
        "question": ["Q", "R"],
        "score": [1.0, None],
        "parts": [{"a": 1, "b": None}, {"a": None, "b": 2}],
        "day": [dt.date(2026, 1, 2), None],
        "image": [b"123", None],
        "ids": [[1, 2], []],
    }
)
RECORDS: list[dict[str, Any]] = [
    {"question": "Q", "score": 1.0, "parts": {"a": 1}, "day": "2026-01-02", "image": "<3 bytes>", "ids": [1, 2]},
    {"question": "R", "score": None, "parts": {"b": 2}, "day": None, "image": None, "ids": []},
]


def store_of(name: str) -> MemoryStore:
    sink = io.BytesIO()
    if name.endswith(".parquet"):
        pq.write_table(TABLE, sink)
    else:
        with pa.ipc.new_stream(sink, TABLE.schema) as writer:
            writer.write_table(TABLE)
    return MemoryStore.of("any_table", {name: sink.getvalue()})


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_a_row_is_a_record_as_json_would_have_it(name: str) -> None:
    store = store_of(name)
    assert TABLES.use(store, name, lambda table: first_records(table, 5)) == RECORDS
    assert TABLES.use(store, name, lambda table: one_record(table, 1)) == RECORDS[1]
    with pytest.raises(ValueError, match="2 rows, and no row 2"):
        TABLES.use(store, name, lambda table: one_record(table, 2))


@pytest.mark.parametrize("name", ["b.parquet", "b.arrow"])
def test_what_a_list_does_not_show_is_not_read(name: str) -> None:
    found = TABLES.use(store_of(name), name, lambda table: list(scalar_records(table, ["question"])))
    assert found == [{key: record[key] for key in ("question", "score", "parts")} for record in RECORDS]
    assert TABLES.use(store_of(name), name, lambda table: list(scalar_records(table, [])))[0] == {
        "score": 1.0,
        "parts": {"a": 1},
    }


def test_of_packed_lines_the_bad_ones_say_why() -> None:
    store = MemoryStore.of("any_table", {"a.json": b'{"a": 1}\n{"a": 2}\n{\n'})
    found = TABLES.use(store, "a.json", lambda table: list(scalar_records(table, ["a"])))
    assert found[:2] == [{"a": 1}, {"a": 2}]
    assert isinstance(found[2], str)
    assert "malformed" in found[2]
    assert TABLES.use(store, "a.json", lambda table: first_records(table, 9)) == [{"a": 1}, {"a": 2}]
    with pytest.raises(ValueError, match="3 records now, and no record 3"):
        TABLES.use(store, "a.json", lambda table: one_record(table, 3))
