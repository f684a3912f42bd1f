"""Choices that last from one start to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollscope.userdata.preferences import Preferences, load_preferences, save_preferences


def test_what_was_remembered_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "state" / "terminal.json"
    assert load_preferences(path) == Preferences()
    assert save_preferences(path, Preferences(fields={"reward": False}, fold_thinking=True))
    assert load_preferences(path) == Preferences(fields={"reward": False}, fold_thinking=True)
    assert [entry.name for entry in path.parent.iterdir()] == ["terminal.json"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"fields": 3}', b"\xff\xfe"])
def test_broken_preferences_are_the_usual_ones(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "terminal.json"
    path.write_bytes(content)
    assert load_preferences(path) == Preferences()


def test_preferences_that_cannot_be_written_is_said_and_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not save_preferences(tmp_path / "file" / "terminal.json", Preferences())
