"""Statistics that came with a segment count where its steps have no other rows, and are those of the rows."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
from tests.fixtures import write_jsonl
from tests.runs import append, relax_record

from rollscope.formats.relax import RelaxFormat
from rollscope.index import index as index_module
from rollscope.index import refresh as refresh_module
from rollscope.index.index import Index
from rollscope.index.manifest.step_parts import step_parts
from rollscope.index.snapshot import Snapshot
from rollscope.index.statistics.summary import Statistics, summarise
from rollscope.storage.open_store import open_store


def amounts(snapshot: Snapshot) -> object:
    fields = {
        name: {column: getattr(found, column).tolist() for column in found.__struct_fields__}
        for name, found in snapshot.fields.items()
    }
    return [msgspec.to_builtins(step) for step in snapshot.steps], fields


def test_statistics_of_workers_are_those_of_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    for name, step in (("0", 0), ("1", 1), ("2", 2), ("002", 2), ("3", 3), ("4", 4), ("5", 5)):
        rows = [relax_record(step, i, reward=len(name) * i / 7 + step) for i in range(5)]
        write_jsonl(run / "train" / f"{name}.jsonl", rows)
    monkeypatch.setattr(refresh_module, "INLINE_BYTES", 0)
    monkeypatch.setattr("rollscope.index.changes.plan.MAX_PIECES", 3)
    read_here: list[int] = []

    def noting(table: pa.Table) -> Statistics:
        read_here.extend(table["step"].to_pylist())
        return summarise(table)

    monkeypatch.setattr(index_module, "summarise", noting)
    index = Index(open_store(run), RelaxFormat(), base=str(tmp_path / "index"))
    index.refresh()
    # Tasks of three files: step 2 lies in two of them, and 5 has one of its own.
    assert set(read_here) == {2, 5}
    found = amounts(index.snapshot)
    index.snapshot.manifest.step_parts[:] = step_parts((), summarise(index.snapshot.all_rows))
    reread = Index(open_store(run), RelaxFormat(), base=str(tmp_path / "index"))
    assert found == amounts(reread.snapshot)
    assert found == amounts(index._snapshot(index.snapshot.manifest))

    append(run / "train" / "3.jsonl", relax_record(3, 5, reward=9.0))
    index.refresh()
    assert index.snapshot.steps[3].samples == 6
