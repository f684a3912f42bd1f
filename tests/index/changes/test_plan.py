"""What must be read of files, and how it is put into tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollscope.formats.base import Source
from rollscope.index.changes import plan
from rollscope.index.changes.plan import FilePlan, batches, pieces, plan_file
from rollscope.index.manifest.entries import FileEntry
from rollscope.storage.fingerprint import Fingerprint
from rollscope.storage.local import LocalStore

SOURCE = Source(path="1.jsonl", split="train", step=1)
WHOLE = Source(path="1.parquet", split="train", step=1, appendable=False)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "CHUNK_BYTES", 10)
    monkeypatch.setattr(plan, "MAX_PIECES", 3)


def test_a_file_of_lines_is_cut_and_a_container_is_not() -> None:
    seen = Fingerprint(size=25)
    assert [(piece.start, piece.end) for piece in pieces(SOURCE, 0, seen)] == [(0, 10), (10, 20), (20, 25)]
    assert [(piece.start, piece.end) for piece in pieces(SOURCE, 21, seen)] == [(21, 25)]
    assert [(piece.start, piece.end) for piece in pieces(WHOLE, 0, seen)] == [(0, 25)]
    assert pieces(SOURCE, 25, seen) == []


def test_small_files_share_a_task_up_to_its_size_and_their_number() -> None:
    plans = [
        FilePlan(FileEntry(SOURCE, None, 0, []), pieces(SOURCE, 0, Fingerprint(size=size)), False, None)
        for size in (4, 4, 4, 25, 1, 1, 1, 1)
    ]
    assert [[piece.end - piece.start for _, piece in batch] for batch in batches(plans)] == [
        [4, 4],
        [4],
        [10],
        [10],
        [5, 1, 1],
        [1, 1],
    ]


def test_a_file_that_is_gone_has_a_reason_and_nothing_to_read(tmp_path: Path) -> None:
    found = plan_file(LocalStore(str(tmp_path)), SOURCE, None, 0)
    assert (found.pieces, found.rebuilt) == ([], False)
    assert "cannot be read" in found.entry.error
    again = plan_file(LocalStore(str(tmp_path)), SOURCE, found.entry, 0)
    assert not again.rebuilt, "nothing changed"


def test_a_file_that_a_reader_distrusts_is_read_anew(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(b"{}\n")
    store = LocalStore(str(tmp_path))
    seen = store.stat("1.jsonl")
    later = 10**19  # long after it was written
    known = FileEntry(SOURCE, seen, later, [], complete=True)
    assert plan_file(store, SOURCE, known, later).pieces == []
    anew = plan_file(store, SOURCE, known, later, distrusted=True)
    assert anew.rebuilt
    assert [(piece.start, piece.end) for piece in anew.pieces] == [(0, 3)]
