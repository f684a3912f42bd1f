"""Databases that hold several runs."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from rollscope.formats.base import Claim, MetricRow
from rollscope.formats.containers.database_runs import DatabaseRuns
from rollscope.formats.containers.sqlite import Sqlite
from rollscope.model import Skipped
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Store


class Ledger(DatabaseRuns):
    name = "ledger"

    def detect(self, store: Store) -> Claim | None:
        return None

    def run_names(self, database: Sqlite) -> list[tuple[str, str]]:
        return [(str(row[0]), str(row[1])) for row in database.rows("runs", ("id", "name"), order="rowid")]

    def run_rows(
        self, store: Store, database: Sqlite, run: str, path: str
    ) -> tuple[dict[str, list[Any]], list[Skipped]]:
        return {"offset": [0], "group": [run]}, []

    def metric_rows(self, database: Sqlite, run: str) -> list[MetricRow]:
        return [MetricRow(step=0, time=None, values={run: 1.0})]


def write(path: Path, *runs: tuple[str, str]) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE runs (id, name)")
        connection.executemany("INSERT INTO runs VALUES (?, ?)", runs)
    connection.close()


def test_runs_of_one_name_are_told_apart_and_none_is_lost(tmp_path: Path) -> None:
    write(tmp_path / "a.db", ("run-00001", "base"), ("run-00002", "base"), ("run-00003", "base"), ("x", "other"))
    write(tmp_path / "b.db", ("run-00003", "base"))
    (tmp_path / "c.db").write_bytes(b"no database")
    store = open_store(tmp_path)
    names = list(Ledger().runs(store))
    assert names == ["base", "base (run-0000)", "base (run-00003)", "other", "base (run-00003 in b.db)"]
    found = []
    for name in names:
        ledger = Ledger()
        ledger.part = name
        [source] = ledger.sources(store)
        found.append((source.path, *ledger.scan(store, source, 0, 9).columns["group"]))
        assert ledger.metric_files(store) == [source.path]
        assert [list(row.values) for row in ledger.metrics(store)] == [[found[-1][1]]]
    assert found == [
        ("a.db", "run-00001"),
        ("a.db", "run-00002"),
        ("a.db", "run-00003"),
        ("a.db", "x"),
        ("b.db", "run-00003"),
    ]


def test_a_folder_without_a_database_has_nothing(tmp_path: Path) -> None:
    store, ledger = open_store(tmp_path), Ledger()
    assert (list(ledger.runs(store)), list(ledger.sources(store)), list(ledger.metrics(store))) == ([], [], [])
    assert ledger.metric_files(store) == []
