"""SQLite: what another process writes is seen without ever making it wait, and hostile databases are refused."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.formats.containers.refusal import refusal

from rollscope.formats.containers import sqlite as ours
from rollscope.formats.containers.sqlite import Sqlite, open_sqlite, wal_state
from rollscope.storage.open_store import open_store


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "a.db", timeout=0.0)
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)")
    connection.execute("INSERT INTO t (v) VALUES ('one')")
    connection.commit()
    yield connection
    connection.close()


def values(database: Sqlite) -> list[str]:
    return [row[0] for row in database.rows("t", ["v"], order="id")]


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_reader_never_makes_the_writer_wait(tmp_path: Path, writer: sqlite3.Connection, mode: str) -> None:
    writer.execute(f"PRAGMA journal_mode={mode}")
    writer.execute("INSERT INTO t (v) VALUES ('two')")
    writer.commit()
    database = open_sqlite(open_store(tmp_path), "a.db")
    rows = database.rows("t", ["v"], order="id")
    assert next(rows) == ("one",)
    # In the middle of a read; with a lock in its way this raises at once (timeout 0).
    writer.execute("INSERT INTO t (v) VALUES ('three')")
    writer.commit()
    assert values(open_sqlite(open_store(tmp_path), "a.db")) == ["one", "two", "three"]


def test_nothing_is_written_beside_a_database_with_a_wal_of_nobody(tmp_path: Path, writer: sqlite3.Connection) -> None:
    writer.execute("PRAGMA journal_mode=wal")
    writer.execute("INSERT INTO t (v) VALUES ('two')")
    writer.commit()
    assert wal_state(open_store(tmp_path), "a.db") != ""
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("a.db", "a.db-wal"):
        shutil.copyfile(tmp_path / name, copy / name)
    assert values(open_sqlite(open_store(copy), "a.db")) == ["one", "two"]
    assert sorted(path.name for path in copy.iterdir()) == ["a.db", "a.db-wal"]


def test_only_real_tables_are_read(tmp_path: Path, writer: sqlite3.Connection) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, 'x' AS v FROM n"
    writer.execute(f"CREATE VIEW traces AS {endless}")
    writer.commit()
    database = open_sqlite(open_store(tmp_path), "a.db")
    assert not database.has("traces", "id")
    with pytest.raises(ValueError, match="no table traces"):
        list(database.rows("traces", ["id"]))


def test_a_column_that_is_not_there_is_missing(tmp_path: Path, writer: sqlite3.Connection) -> None:
    assert list(open_sqlite(open_store(tmp_path), "a.db").rows("t", ["v", "spans"])) == [("one", None)]


def test_a_query_that_takes_too_much_work_ends(
    tmp_path: Path, writer: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.executemany("INSERT INTO t (v) VALUES (?)", [(str(i),) for i in range(50_000)])
    writer.commit()
    monkeypatch.setattr(ours, "MAX_STEPS", 0)
    monkeypatch.setattr(ours, "_STEPS_AT_ONCE", 1_000)
    with pytest.raises(ValueError, match="interrupted"):
        list(open_sqlite(open_store(tmp_path), "a.db").rows("t", ["v"]))


def test_damaged_files_are_refused_in_one_line(tmp_path: Path, writer: sqlite3.Connection) -> None:
    writer.executemany("INSERT INTO t (v) VALUES (?)", [("x" * 500,) for _ in range(500)])
    writer.commit()
    data = (tmp_path / "a.db").read_bytes()
    for name, bad in {
        "text.db": b"hello",
        "header.db": data[:16] + b"\xff" * 4000,
        "cut.db": data[: len(data) // 2],
        "garbled.db": data[:4096] + b"\xff" * 40_000 + data[44_096:],
    }.items():
        (tmp_path / name).write_bytes(bad)
        assert refusal(lambda name=name: list(open_sqlite(open_store(tmp_path), name).rows("t", ["v"])))  # type: ignore[misc]
