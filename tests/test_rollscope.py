"""The package itself: `rollscope.open` and what pressing Tab shows."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import write_relax

import rollscope
from rollscope.errors import RollscopeError


def test_a_path_or_its_text_opens_a_run(tmp_path: Path) -> None:
    path = write_relax(tmp_path / "run")
    for given in (path, str(path)):
        assert rollscope.open(given).name == "run"


def test_of_several_runs_one_is_picked_by_name(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_relax(tmp_path / name)
    assert rollscope.open(tmp_path, run="b").name == "b"
    with pytest.raises(RollscopeError, match="2 runs"):
        rollscope.open(tmp_path)


def test_keys_of_unknown_records_can_be_said(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "odd.jsonl", [{"frage": "2 + 2?", "antwort": "4", "punkte": 0.5}] * 3)
    mapping = {"prompt": "frage", "response": "antwort", "reward": "punkte"}
    assert rollscope.open(tmp_path, mapping=mapping).sample("train/0/1").reward == 0.5


def test_tab_shows_what_people_use() -> None:
    assert dir(rollscope) == ["__version__", "open", "record"]
    assert rollscope.__version__ == version("rollscope")
