"""Rows from the beginnings of files: there until the file itself is read."""

from __future__ import annotations

from pathlib import Path

from rollscope.formats.relax import RelaxFormat
from rollscope.index.index import Index
from rollscope.index.rows.first_rows import FirstRows, waiting_rows
from rollscope.storage.open_store import open_store


def test_first_rows_wait_only_while_nothing_of_their_file_is_indexed(run: Path) -> None:
    index = Index(open_store(run), RelaxFormat())
    assert index.peek(lambda source: source.step == 1)
    first: dict[str, FirstRows] = index._first_rows
    before = index.snapshot.manifest
    ((position, table),) = waiting_rows(before, first)
    assert before.files[position].source.path == "train/1.jsonl"
    assert table["step"].to_pylist() == [1] * 8

    kept = dict(first)
    index.refresh()
    assert waiting_rows(index.snapshot.manifest, kept) == []
