"""Cutting a search into tasks: whatever the number of files, their rows are found again, and few tasks are made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.runs import write_relax

import rollscope
from rollscope.index.rows import row_places
from rollscope.index.rows.row_texts import FileRows
from rollscope.query.search import text_search


def addresses_with(root: Path, word: str) -> list[str]:
    """By reading every line with Python's json."""
    found = []
    for path in sorted((root / "train").iterdir(), key=lambda path: int(path.stem)):
        for index, line in enumerate(path.read_text().splitlines()):
            record = json.loads(line)
            if word in record["prompt"] or word in record["response"]:
                found.append(f"train/{path.stem}/{index}")
    return found


@pytest.mark.parametrize("inline_bytes", [0, 1 << 30], ids=["in workers", "in place"])
def test_rows_of_many_files_in_one_task_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inline_bytes: int
) -> None:
    monkeypatch.setattr(text_search, "INLINE_BYTES", inline_bytes)
    monkeypatch.setattr(row_places, "TASK_FILES", 7)
    root = write_relax(tmp_path / "run", steps=40, samples=3)
    run = rollscope.open(root)
    for word in ("is 7 ", "answer is 12.", "数学", "nobody wrote this"):
        expected = addresses_with(root, word)
        assert list(dict.fromkeys(hit.address for hit in run.search(word))) == expected
        assert [row.address for row in run.samples(where=f"text contains {json.dumps(word)}").rows] == expected


def test_the_table_is_taken_from_once_and_not_once_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many files are few chunks, and the table is taken from once: once a file would cost the square of their number."""
    counted: list[int] = []
    columns = row_places.RowPlaces

    class Counted(columns):  # type: ignore[misc, valid-type]
        def __init__(self, table: pa.Table, rows: Any) -> None:
            counted.append(table["file"].num_chunks)
            super().__init__(table, rows)
            assert all(isinstance(values, pa.Array) for values in self._values.values())

    monkeypatch.setattr(text_search, "RowPlaces", Counted)
    run = rollscope.open(write_relax(tmp_path / "run", steps=50, samples=2))
    assert not list(run.search("nobody wrote this"))
    assert counted == [1], "files that share a segment are one chunk"


def test_small_files_share_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    batches = row_places.file_batches

    def noting(*given: Any) -> Iterator[tuple[int, list[FileRows]]]:
        for first, files in batches(*given):
            made.append(len(files))
            yield first, files

    monkeypatch.setattr(text_search, "file_batches", noting)
    monkeypatch.setattr(row_places, "TASK_FILES", 20)
    run = rollscope.open(write_relax(tmp_path / "run", steps=50, samples=2))
    assert not list(run.search("nobody wrote this"))
    assert made == [20, 20, 10]
