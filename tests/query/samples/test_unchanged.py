"""Searches, text filters and exports never give a text of one state of a file with a row of another."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record, settle

import rollscope
from rollscope.errors import UnreadableError
from rollscope.index.index import Index
from rollscope.query.export import export_files
from rollscope.query.run import Run
from rollscope.query.search import scan, text_search

OLD = [relax_record(0, place, response=f"old needle {place}", reward=0.0) for place in range(4)]
#: Other rewards, in the other order: a row of the old file with a text of the new one is seen at once.
NEW = [relax_record(0, place, response=f"new needle {place}", reward=1.0) for place in (3, 2, 1)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = write_jsonl(tmp_path / "run" / "train" / "0.jsonl", OLD)
    write_jsonl(tmp_path / "run" / "train" / "1.jsonl", [relax_record(1, 0, response="another needle")])
    settle(tmp_path / "run")
    return path


@pytest.fixture
def run(file: Path) -> Run:
    opened = rollscope.open(file.parent.parent)
    opened.refresh()
    return opened


def once_before(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, change: Callable[[], object]) -> None:
    """The next call of a function finds the file changed."""
    whole = getattr(owner, name)
    left = [change]

    def changed_first(*args: Any, **kwargs: Any) -> Any:
        if left:
            left.pop()()
        return whole(*args, **kwargs)

    monkeypatch.setattr(owner, name, changed_first)


def rewrite(file: Path) -> Callable[[], object]:
    return lambda: write_jsonl(file, NEW)


def test_a_search_looks_through_a_changed_file_again(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    once_before(monkeypatch, text_search, "find_in_rows", rewrite(file))
    hits = {hit.address: hit.snippet for hit in run.search("needle", fields=["response"])}
    assert hits == {
        "train/1/0": "another needle",
        "train/0/0": "new needle 3",
        "train/0/1": "new needle 2",
        "train/0/2": "new needle 1",
    }


def test_a_search_survives_a_file_that_goes_while_it_is_read(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once_before(monkeypatch, text_search, "find_in_rows", file.unlink)
    assert [hit.address for hit in run.search("needle", fields=["response"])] == ["train/1/0"]


def test_a_filter_by_text_is_asked_again(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    once_before(monkeypatch, text_search, "find_in_rows", rewrite(file))
    rows = run.samples(where='response contains "new needle"').rows
    assert [(row.address, row.reward) for row in rows] == [("train/0/0", 1.0), ("train/0/1", 1.0), ("train/0/2", 1.0)]


def test_an_export_begins_again(run: Run, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    once_before(monkeypatch, export_files, "public", rewrite(file))
    target = tmp_path / "all.jsonl"
    assert run.export(str(target), text=True, where="step = 0") == 3
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    assert [(line["reward"], line["response"]) for line in lines] == [(1.0, f"new needle {i}") for i in (3, 2, 1)]


def test_a_file_that_never_rests_is_told(run: Run, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = scan.find_in_rows
    count = iter(range(100))

    def always_changed(*args: Any) -> Any:
        write_jsonl(file, [relax_record(0, 0, response=f"needle {next(count)}")])
        return whole(*args)

    monkeypatch.setattr(text_search, "find_in_rows", always_changed)
    with pytest.raises(UnreadableError, match=r"train/0\.jsonl kept changing while it was read"):
        list(run.search("needle"))


def test_whatever_a_damaged_file_makes_a_format_raise_is_one_sentence(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: Any) -> Any:
        raise zlib.error("Error -3 while decompressing data")

    monkeypatch.setattr(type(run._format), "load", damaged)
    sentence = r"train/0\.jsonl holds something that cannot be read here: error: Error -3 while decompressing data"
    with pytest.raises(UnreadableError, match=sentence):
        run.sample("train/0/0")


def test_a_file_that_only_grew_is_no_change(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def grow() -> None:
        with file.open("a") as out:
            out.write(json.dumps(relax_record(0, 4, response="later needle")) + "\n")

    once_before(monkeypatch, text_search, "find_in_rows", grow)
    monkeypatch.setattr(Index, "distrust", lambda *_: pytest.fail("the file is read again"))
    assert len(list(run.search("old needle", fields=["response"]))) == 4
