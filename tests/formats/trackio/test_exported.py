"""trackio's parquet exports say what its database says."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.fixtures import copy_fixture, fixture_path
from tests.formats.opened import opened, texts

from rollscope.query.library import Library


def exported(to: Path) -> Path:
    """The fixture's traces as `export_to_parquet` writes them: the table's columns, JSON as text."""
    connection = sqlite3.connect(f"file:{fixture_path('trackio_traces') / 'rollouts.db'}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    rows = [dict(row) for row in connection.execute("SELECT * FROM traces")]
    connection.close()
    as_text = [
        {name: value.decode() if isinstance(value, bytes) else value for name, value in row.items()} for row in rows
    ]
    to.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(as_text), to)
    return to


@pytest.mark.parametrize("name", ["rollouts_traces.parquet", "aux/traces.parquet"])
def test_an_export_has_the_samples_of_its_database(name: str, tmp_path: Path) -> None:
    exported(tmp_path / "rollouts" / name)
    ours, theirs = opened(tmp_path / "rollouts"), opened(fixture_path("trackio_traces"))
    assert [(s.address, s.reward, s.advantage, s.group, s.rewards, texts(s)) for s in ours] == [
        (s.address, s.reward, s.advantage, s.group, s.rewards, texts(s)) for s in theirs
    ]
    (run,) = Library([tmp_path / "rollouts"]).runs()
    assert (run.format, run.guessed()) == ("trackio_export", [])


def test_two_runs_of_one_name_are_two_and_older_exports_have_fewer_columns(tmp_path: Path) -> None:
    rows = pq.read_table(exported(tmp_path / "rollouts_traces.parquet")).to_pylist()
    again = [row | {"run_id": "other", "id": f"other:{row['id']}"} for row in rows]
    pq.write_table(pa.Table.from_pylist([*rows, *again]), tmp_path / "rollouts_traces.parquet")
    assert [run.samples().total for run in Library([tmp_path]).runs()] == [len(rows)] * 2
    older = [{name: row[name] for name in ("run_name", "step", "key", "messages", "metadata")} for row in rows]
    pq.write_table(pa.Table.from_pylist(older), tmp_path / "rollouts_traces.parquet")
    assert len(opened(tmp_path)) == len(rows)


def test_beside_its_database_an_export_is_not_read_again(tmp_path: Path) -> None:
    folder = copy_fixture("trackio_traces", tmp_path)
    exported(folder / "rollouts_traces.parquet")
    assert [run.format for run in Library([folder]).runs()] == ["trackio"]


def test_a_damaged_export_is_no_run_of_trackio(tmp_path: Path) -> None:
    path = exported(tmp_path / "rollouts_traces.parquet")
    (run,) = Library([tmp_path]).runs()
    run.refresh()
    path.write_bytes(path.read_bytes()[:500])
    run.refresh()
    assert [
        skipped.reason for skipped in run.doctor().skipped if "cannot be read" in skipped.reason
    ] or not run.samples().total
