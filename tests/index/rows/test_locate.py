"""Where rows are on disk: the bytes that `locate` names are the sample's own line, and its number is the line's."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.formats.containers.seekable import seal
from tests.runs import relax_record, write_relax

from rollscope.formats.base import Format, Source
from rollscope.formats.lines.sealed import read_bytes
from rollscope.formats.relax import RelaxFormat
from rollscope.index.index import Index
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Store


class _SealedRelax(RelaxFormat):
    """Files of lines can be sealed in every format; this one names such a file."""

    def sources(self, store: Store) -> Iterable[Source]:
        yield Source(path="train/0.jsonl.zst", split="train", step=0)


def index_of(run: Path, format_: Format | None = None) -> Index:
    index = Index(open_store(run), format_ or RelaxFormat())
    index.refresh()
    return index


def check(index: Index, lines: list[int]) -> None:
    """Every row of step 0 is on the line given for it, and the bytes there are that sample's."""
    table = index.snapshot.rows_of("train", 0)
    places = [index.snapshot.locate(table, row) for row in range(table.num_rows)]
    assert [place.line for place in places] == lines
    for number, found in enumerate(places):
        raw = read_bytes(index.store, found.source.path, found.place.offset, found.place.length)
        assert json.loads(raw)["sample_index"] == number
        assert found.still_there(index.store)


def with_gaps(run: Path) -> list[int]:
    """A line that is no sample and an empty one between samples; the lines that the samples are on."""
    file = run / "train" / "0.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], "{broken", lines[1], "", *lines[2:]]) + "\n")
    return [1, 3, *range(5, 11)]


def test_lines_are_numbered_through_the_pieces_of_a_file(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = with_gaps(run)
    monkeypatch.setattr("rollscope.index.changes.plan.CHUNK_BYTES", 1_000)
    index = index_of(run)
    assert len(index.snapshot.manifest.files[0].pieces) > 2
    check(index, lines)


def test_lines_of_a_sealed_file_are_numbered_through_its_frames(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = with_gaps(run)
    file = run / "train" / "0.jsonl"
    seal(file.read_bytes(), file.with_name("0.jsonl.zst"), 700)
    file.unlink()
    monkeypatch.setattr("rollscope.index.changes.plan.CHUNK_BYTES", 300)
    index = index_of(run, _SealedRelax())
    (entry,) = index.snapshot.manifest.files
    assert len(entry.pieces) > 2
    check(index, lines)


def test_rows_of_an_unread_file_are_where_its_beginning_was_read(run: Path) -> None:
    lines = with_gaps(run)
    index = Index(open_store(run), RelaxFormat())
    assert index.peek(lambda source: source.step == 0)
    check(index, lines)
    table = index.snapshot.rows_of("train", 0)
    file = run / "train" / "0.jsonl"
    file.write_text("".join(json.dumps(relax_record(0, n + 1)) + "\n" for n in range(8)))
    assert not index.snapshot.locate(table, 0).still_there(open_store(run))


def test_a_row_of_the_whole_run_is_in_the_file_of_its_step(tmp_path: Path) -> None:
    index = index_of(write_relax(tmp_path / "run", steps=3, samples=2))
    table = index.snapshot.all_rows
    found = [index.snapshot.locate(table, row) for row in range(table.num_rows)]
    assert [(place.source.path, place.line) for place in found] == [
        (f"train/{step}.jsonl", line) for step in range(3) for line in (1, 2)
    ]
