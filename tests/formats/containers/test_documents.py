"""Files that are read whole and hold some samples each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from rollscope.formats.base import Place, Source
from rollscope.formats.containers import documents
from rollscope.formats.containers.documents import DocumentFormat, read_json
from rollscope.formats.lines.lenient import Unreadable
from rollscope.model import Sample
from rollscope.storage import open_files
from rollscope.storage.memory import MemoryStore


class Crates(DocumentFormat):
    name = "crates"

    def records(self, document: Any, source: Source) -> Sequence[Any]:
        if not isinstance(document, list):
            raise Unreadable("it is no list")
        return document

    def sample(self, record: Any, source: Source) -> Sample:
        return Sample(reward=record["reward"], step=record.get("step", 0))


SOURCE = Source(path="a.json", appendable=False)


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "PAUSE_SECONDS", 0.0)


def store_of(content: bytes) -> MemoryStore:
    return MemoryStore.of("documents", {"a.json": content})


def test_the_records_of_a_document_are_samples_by_number() -> None:
    store = store_of(b'[{"reward": 1}, {"reward": 0.5, "step": 4}]')
    scan = Crates().scan(store, SOURCE, 0, 50)
    assert (scan.rows, scan.end) == (2, 50)
    assert (list(scan.columns["offset"]), list(scan.columns["step"])) == ([0, 1], [0, 4])
    sample = Crates().load(store, SOURCE, Place(offset=1, length=0))
    assert (sample.reward, sample.record) == (0.5, {"reward": 0.5, "step": 4})
    with pytest.raises(ValueError, match="it holds 2 samples"):
        Crates().load(store, SOURCE, Place(offset=2, length=0))


def test_what_the_name_of_a_file_says_is_not_said_again_by_its_samples() -> None:
    scan = Crates().scan(store_of(b'[{"reward": 1}]'), Source(path="a.json", split="train", step=7), 0, 9)
    assert not {"split", "step"} & scan.columns.keys()


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"{}", "it is no list"), (b"[", "no JSON"), (b'[{"a": 1}]', "'reward'"), (b"[1]", "subscript")],
)
def test_a_document_that_is_none_is_one_line_among_what_was_skipped(content: bytes, why: str) -> None:
    scan = Crates().scan(store_of(content), SOURCE, 0, len(content))
    assert (scan.rows, scan.end) == (0, len(content))
    assert why in scan.skipped[0].reason
    assert scan.skipped[0].reason.endswith("It is read again when it changes.")


def test_a_document_that_changes_is_read_again() -> None:
    store, crates = store_of(b'[{"reward": 1}]'), Crates()
    place = Place(offset=0, length=0)
    assert crates.load(store, SOURCE, place).reward == 1
    store.write("a.json", b'[{"reward": 2}]')
    assert crates.load(store, SOURCE, place).reward == 2


def test_json_that_strict_readers_refuse_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    found = read_json(store_of(b'{"nan": NaN, "half": "\\ud83d", "bad": "\xff"}'), "a.json")
    assert math.isnan(found["nan"])
    assert (found["half"], found["bad"]) == ("\\ud83d", "\ufffd")
    monkeypatch.setattr(documents, "MAX_DOCUMENT_BYTES", 5)
    with pytest.raises(Unreadable, match="a document of 7 bytes; more than 5 are not read"):
        read_json(store_of(b"[1,2,3]"), "a.json")
