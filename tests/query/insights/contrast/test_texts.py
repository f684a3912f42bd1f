"""Which text of a sample is compared, and that its words are the same wherever they are read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.runs import all_records, settle, write_relax

import rollscope
from rollscope.index.rows.row_places import RowPlaces
from rollscope.query.insights.contrast import texts as module
from rollscope.query.insights.contrast.ngrams import LONGEST
from rollscope.query.insights.contrast.texts import TextSource, phrases_of, text_of, words_of
from rollscope.query.insights.contrast.words import cut


@pytest.mark.parametrize(
    ("field", "expected"), [("response", "b"), ("prompt", "a"), ("text", "a\nb\n7"), ("golden", "7"), ("unheard", None)]
)
def test_the_text_of_a_field_or_all_of_them(field: str, expected: str | None) -> None:
    assert text_of([("prompt", "a"), ("response", "b"), ("golden", "7")], field) == expected


@pytest.fixture
def opened(tmp_path: Path) -> tuple[TextSource, RowPlaces]:
    """The texts of a run of 24 samples, and where all of them lie."""
    run = rollscope.open(settle(write_relax(tmp_path / "run")))
    snapshot = run._fresh(None, None, wait=True)
    table = snapshot.all_rows
    places = RowPlaces(table, np.arange(table.num_rows))
    return TextSource(snapshot, run._format, run.store.fresh(), run._index.engine), places


def test_words_of_every_row_are_those_of_its_text(opened: tuple[TextSource, RowPlaces]) -> None:
    words, read = words_of(*opened, "golden")
    golden = [record["label"] for record in all_records(3, 8)]
    expected = cut(golden)
    assert read == 24
    assert words.hashes.tolist() == expected.hashes.tolist()
    assert words.texts.tolist() == expected.texts.tolist()


def test_workers_read_the_same_words_as_this_process(
    opened: tuple[TextSource, RowPlaces], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, _ = words_of(*opened, "response")
    monkeypatch.setattr(module, "INLINE_BYTES", 0)
    monkeypatch.setattr(module, "TASK_BYTES", 1000)
    there, read = words_of(*opened, "response")
    assert read == 24
    assert there.hashes.tolist() == here.hashes.tolist()
    assert there.texts.tolist() == here.texts.tolist()


def test_a_phrase_is_found_in_the_rows_that_hold_it(opened: tuple[TextSource, RowPlaces]) -> None:
    wanted = np.zeros((1, LONGEST), dtype=np.uint64)
    wanted[0, :3] = cut(["The answer is"]).hashes[:3]
    found, read = phrases_of(*opened, "response", wanted)
    assert read == 24
    assert sorted(found.texts.tolist()) == list(range(24))


def test_no_rows_have_no_words(opened: tuple[TextSource, RowPlaces]) -> None:
    source, _ = opened
    none = RowPlaces(source.snapshot.all_rows, np.zeros(0, dtype=np.int64))
    words, read = words_of(source, none, "response")
    assert (len(words.hashes), read) == (0, 0)
