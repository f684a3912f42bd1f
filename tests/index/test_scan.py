"""What one scan reads of a file: whole lines, cut into chunks, numbered through."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.index.test_refresh import rewards
from tests.runs import relax_record

from rollscope.formats.relax import RelaxFormat
from rollscope.index.index import Index
from rollscope.storage.open_store import open_store


def test_an_unfinished_last_line_waits_until_it_is_finished(run: Path) -> None:
    file = run / "train" / "0.jsonl"
    line = json.dumps(relax_record(0, 8, reward=0.25))
    with file.open("a") as out:
        out.write(line[:50])
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    assert len(rewards(index)) == 8
    assert index.snapshot.skipped() == []
    with file.open("a") as out:
        out.write(line[50:] + "\n")
    assert index.refresh()
    assert rewards(index)[8] == 0.25


def test_a_whole_last_line_without_a_newline_counts_once(run: Path) -> None:
    file = run / "train" / "0.jsonl"
    with file.open("a") as out:
        out.write(json.dumps(relax_record(0, 8, reward=0.75)))
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    assert len(rewards(index)) == 9
    with file.open("a") as out:
        out.write("\n" + json.dumps(relax_record(0, 9, reward=0.5)) + "\n")
    index.refresh()
    assert rewards(index)[8:] == [0.75, 0.5]


def test_large_files_are_cut_into_chunks_and_numbered_through(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollscope.index.changes.plan.CHUNK_BYTES", 2000)
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    entry = index.snapshot.manifest.files[0]
    assert len(entry.pieces) > 1
    table = index.snapshot.rows_of("train", 0)
    assert table["index"].to_pylist() == list(range(8))
    assert [index.snapshot.locate(table, i).line for i in range(8)] == list(range(1, 9))
