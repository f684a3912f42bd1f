"""Feature rows come in the order of the table, as many as are asked for, whatever the pieces are they were computed in."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from tests.runs import write_relax

import rollscope
from rollscope.index.features import feature_rows
from rollscope.index.features.feature_rows import FeatureRows
from rollscope.query.run import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = rollscope.open(write_relax(tmp_path / "run", steps=3, samples=8))
    run.refresh()
    return run


def rows_of(run: Run, rows: list[int], cancel: threading.Event | None = None) -> FeatureRows:
    snapshot = run._index.snapshot
    return FeatureRows(
        run._index, "", None, snapshot, snapshot.all_rows, np.array(rows, dtype=np.int64), {}, cancel=cancel
    )


def chars(run: Run) -> list[int]:
    return [len(run._reader.texts(row.address)["response"]) for row in run.samples(discarded=None)]


@pytest.mark.parametrize("task_bytes", [1, 1_500, 1 << 20])
@pytest.mark.parametrize("counts", [[24], [1, 0, 7, 16], [0, 5, 5, 5, 5, 4], [8, 8, 8]])
def test_as_many_as_are_wanted(run: Run, monkeypatch: pytest.MonkeyPatch, task_bytes: int, counts: list[int]) -> None:
    monkeypatch.setattr(feature_rows, "TASK_BYTES", task_bytes)
    rows = rows_of(run, list(range(24)))
    found = [rows.take(count) for count in counts]
    assert [part.num_rows for part in found if part is not None] == counts
    assert [value for part in found if part is not None for value in part["text.chars"].to_pylist()] == chars(run)


def test_none_is_as_many_as_are_wanted_when_all_were_taken(run: Run) -> None:
    rows = rows_of(run, [3, 4])
    assert rows.take(2) is not None
    rest = rows.take(0)
    assert rest is not None
    assert rest.num_rows == 0
    assert "text.chars" in rest.column_names
    empty = rows_of(run, []).take(0)
    assert empty is not None
    assert set(empty.column_names) == set(rest.column_names)


def test_rows_may_be_picked_from_several_files(run: Run) -> None:
    found = rows_of(run, [1, 9, 10, 23]).take(4)
    assert found is not None
    assert found["text.chars"].to_pylist() == [chars(run)[row] for row in (1, 9, 10, 23)]


def test_there_are_no_more_when_it_was_cancelled(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_rows, "TASK_BYTES", 1)
    cancel = threading.Event()
    rows = rows_of(run, list(range(24)), cancel)
    assert rows.take(1) is not None
    cancel.set()
    assert rows.take(23) is None
