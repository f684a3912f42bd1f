"""A sample is shown only from the bytes it was indexed from."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.runs import relax_record, settle

from rollscope.formats.relax import RelaxFormat
from rollscope.index.index import Index
from rollscope.index.indexed_place import IndexedPlace
from rollscope.storage.open_store import open_store


@pytest.fixture
def place(run: Path) -> IndexedPlace:
    """The fourth sample of a file that was written long ago."""
    settle(run)
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    return index.snapshot.locate(index.snapshot.rows_of("train", 0), 3)


def test_it_is_there_while_the_file_is_unchanged_or_has_only_grown(run: Path, place: IndexedPlace) -> None:
    assert place.still_there(open_store(run))
    with (run / place.source.path).open("a") as file:
        file.write(json.dumps(relax_record(0, 8, reward=0.25)) + "\n")
    assert place.still_there(open_store(run))


def test_it_is_not_there_in_a_file_that_grew_and_was_edited(run: Path, place: IndexedPlace) -> None:
    file = run / place.source.path
    content = bytearray(file.read_bytes())
    content[place.place.offset + 1] ^= 1
    with file.open("r+b") as edited:
        edited.write(content + b"{}\n")
    assert not place.still_there(open_store(run))


def test_it_is_not_there_in_a_file_that_was_replaced_or_is_gone(run: Path, place: IndexedPlace) -> None:
    file = run / place.source.path
    copy = file.with_suffix(".copy")
    copy.write_bytes(file.read_bytes())
    os.replace(copy, file)
    assert not place.still_there(open_store(run))
    file.unlink()
    assert not place.still_there(open_store(run))
