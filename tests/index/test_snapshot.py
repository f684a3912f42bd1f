"""Whole-run tables of large runs: the same rows as those of small ones, in no memory of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pytest
from tests.fixtures import REPOSITORY, write_jsonl
from tests.runs import relax_record, write_relax

import rollscope
from rollscope.index import snapshot as module
from rollscope.query.library import Library


def both(run: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[pa.Table, pa.Table]:
    small = rollscope.open(run)
    small.refresh()
    as_whole = small._index.snapshot.all_rows
    monkeypatch.setattr(module, "WHOLE_ROWS", 0)
    monkeypatch.setattr(module, "BATCH_ROWS", 7)
    large = rollscope.open(run)
    return as_whole, large._index.snapshot.all_rows


def test_a_run_in_batches_of_steps_is_the_run_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, batches = both(write_relax(tmp_path / "run", steps=9, samples=5), monkeypatch)
    assert batches.equals(whole)


def test_every_run_of_the_tests_is_the_same_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among them are resumed runs, samples in several archives, and several splits."""
    data = REPOSITORY / "tests" / "data"
    whole = {run.id: run for run in Library([data]).runs()}
    for run in whole.values():
        run.refresh()
    tables = {name: run._index.snapshot.all_rows for name, run in whole.items()}
    monkeypatch.setattr(module, "WHOLE_ROWS", 0)
    monkeypatch.setattr(module, "BATCH_ROWS", 7)
    for run in Library([data]).runs():
        columns = tables[run.id].column_names
        found = run._index.snapshot.all_rows
        assert set(found.column_names) == set(columns)
        # As text: NaN is not equal to itself.
        assert repr(found.select(columns).to_pylist()) == repr(tables[run.id].to_pylist()), run.id


def test_what_is_made_for_a_large_run_lies_on_disk_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_relax(tmp_path / "run", steps=40, samples=50)
    monkeypatch.setattr(module, "WHOLE_ROWS", 0)
    opened = rollscope.open(run, index_dir=str(tmp_path / "index"))
    opened.refresh()
    before = pa.total_allocated_bytes()
    table = opened._index.snapshot.all_rows
    assert pa.total_allocated_bytes() - before < table.nbytes / 10
    assert not [name for _, _, files in os.walk(tmp_path / "index") for name in files if name.startswith("spill")]
    write_jsonl(run / "train" / "40.jsonl", [relax_record(40, index) for index in range(3)])
    opened.refresh()
    assert opened.samples().total == 40 * 50 + 3
