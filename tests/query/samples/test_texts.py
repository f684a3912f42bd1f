"""Texts for files that are written: in batches that fit into memory, and only of bytes that were indexed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record, settle

import rollscope
from rollscope.errors import LimitError
from rollscope.query import limits
from rollscope.query.limits import Limits
from rollscope.query.samples import texts
from rollscope.query.samples.texts import RowTexts
from rollscope.query.samples.unchanged import FilesChanged

RESPONSES = ["a" * 10, "b" * 4_000, "c" * 10, "d" * 10, "e" * 9_000, "f" * 10]
ALL = np.arange(len(RESPONSES), dtype=np.int64)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    records = [relax_record(0, index, response=text) for index, text in enumerate(RESPONSES)]
    write_jsonl(tmp_path / "run" / "train" / "0.jsonl", records)
    return settle(tmp_path / "run")


def texts_of(path: Path) -> RowTexts:
    run = rollscope.open(path)
    run.refresh()
    snapshot = run._index.snapshot
    return RowTexts(snapshot, snapshot.all_rows, run._reader, run.store)


def test_texts_come_in_the_order_of_the_rows_asked_for(path: Path) -> None:
    found = texts_of(path).read(np.array([4, 0, 2], dtype=np.int64))
    assert [text["response"] for text in found] == [RESPONSES[4], RESPONSES[0], RESPONSES[2]]


def test_a_batch_ends_before_it_is_too_large_and_a_long_line_is_one_of_its_own(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "BATCH_BYTES", 3_000)
    batches = [batch.tolist() for batch in texts_of(path).batches(ALL, most=100)]
    assert batches == [[0], [1], [2, 3], [4], [5]]
    assert [batch.tolist() for batch in texts_of(path).batches(ALL[2:4], most=1)] == [[2], [3]]


def test_a_line_that_is_too_long_is_refused_before_anything_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = texts_of(path)
    monkeypatch.setattr(limits, "MB", 1_000)
    monkeypatch.setattr(limits, "_current", Limits(line_mb=3))
    rows.check_lengths(ALL[[0, 2, 3]])
    with pytest.raises(LimitError, match=r"0\.jsonl, line 2,.*\(1 more are too long as well\)"):
        rows.check_lengths(ALL)


def test_what_was_edited_since_is_not_read(path: Path) -> None:
    rows = texts_of(path)
    file = path / "train" / "0.jsonl"
    file.write_bytes(file.read_bytes().replace(b"dddd", b"DDDD"))
    with pytest.raises(FilesChanged) as error:
        rows.read(ALL)
    assert error.value.paths == {"train/0.jsonl"}
