"""Runs are found at or below a folder; what is only guessed never hides what is known."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import write_relax

from rollscope.query.library import finder
from rollscope.query.library.finder import RunFinder, each_once
from rollscope.storage.local import LocalStore

ODD = [{"prompt": "6 × 7?", "response": "42", "reward": 1.0}]


def names(root: Path) -> list[str]:
    return sorted(item.name for item in RunFinder().runs(LocalStore(root)))


def test_runs_are_named_by_their_way_from_the_root(tmp_path: Path) -> None:
    write_relax(tmp_path / "logs" / "a", steps=1)
    write_relax(tmp_path / "logs" / "user" / "b", steps=1)
    write_relax(tmp_path / "logs" / ".hidden" / "c", steps=1)
    write_relax(tmp_path / "logs" / "checkpoints" / "d", steps=1)
    assert names(tmp_path) == ["logs/a", "logs/checkpoints/d", "logs/user/b"]


def test_what_is_only_guessed_is_not_hidden_by_a_known_run_beside_it(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "odd.jsonl", ODD)
    write_jsonl(tmp_path / "beside" / "odd.jsonl", ODD)
    write_relax(tmp_path / "known", steps=1)
    found = {item.name: item.detection.format.name for item in RunFinder().runs(LocalStore(tmp_path))}
    assert found == {tmp_path.name: "jsonl", "beside": "jsonl", "known": "relax"}


def test_a_search_that_is_cut_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        (tmp_path / f"empty{number}").mkdir()
    monkeypatch.setattr(finder, "MAX_DIRECTORIES", 3)
    search = RunFinder()
    assert search.runs(LocalStore(tmp_path)) == []
    assert search.cut


def test_of_a_run_and_a_link_to_it_the_run_itself_counts(tmp_path: Path) -> None:
    write_relax(tmp_path / "run", steps=1)
    (tmp_path / "latest").symlink_to("run")
    found = RunFinder().runs(LocalStore(tmp_path))
    assert {path for path, _ in each_once(found)} == {str(tmp_path / "run")}
