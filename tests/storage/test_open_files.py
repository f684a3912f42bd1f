"""What was made of a file is used again while the file is the same, and never afterwards."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rollscope.storage import open_files
from rollscope.storage.local import LocalStore
from rollscope.storage.open_files import KeptOpen
from rollscope.storage.store import Store


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "PAUSE_SECONDS", 0)


class Opener:
    def __init__(self, limit: int = 2) -> None:
        self.opened: list[str] = []
        self.kept = KeptOpen(self._open, limit=limit)

    def _open(self, store: Store, path: str) -> bytes:
        self.opened.append(path)
        return store.read(path)


def write(path: Path, text: str, age: int = 60) -> None:
    """As old as a file that nobody is writing."""
    path.write_text(text)
    then = path.stat().st_mtime_ns - age * 1_000_000_000
    os.utime(path, ns=(then, then))


def test_a_file_is_opened_once_for_many_samples(tmp_path: Path) -> None:
    write(tmp_path / "a", "one")
    opener, store = Opener(), LocalStore(str(tmp_path))
    assert [opener.kept.use(store, "a", len) for _ in range(3)] == [3, 3, 3]
    assert opener.opened == ["a"]


def test_a_file_that_changed_is_opened_anew(tmp_path: Path) -> None:
    write(tmp_path / "a", "one")
    opener, store = Opener(), LocalStore(str(tmp_path))
    assert opener.kept.use(store, "a", bytes) == b"one"
    write(tmp_path / "a", "two", age=30)
    assert opener.kept.use(store, "a", bytes) == b"two"


def test_what_was_made_while_the_file_changed_is_thrown_away(tmp_path: Path) -> None:
    write(tmp_path / "a", "one")
    opener, store = Opener(), LocalStore(str(tmp_path))

    def work(value: bytes) -> bytes:
        if value == b"one":
            write(tmp_path / "a", "two", age=30)
        return value

    assert opener.kept.use(store, "a", work) == b"two"


def test_the_file_that_was_not_used_for_longest_is_closed(tmp_path: Path) -> None:
    for name in "abc":
        write(tmp_path / name, name)
    opener, store = Opener(limit=2), LocalStore(str(tmp_path))
    for name in "abcba":
        opener.kept.use(store, name, bytes)
    assert opener.opened == ["a", "b", "c", "a"]


def test_a_damaged_file_is_tried_again_and_then_says_so(tmp_path: Path) -> None:
    write(tmp_path / "a", "one")
    opener, store = Opener(), LocalStore(str(tmp_path))
    calls: list[bytes] = []

    def work(value: bytes) -> bytes:
        calls.append(value)
        raise ValueError("half written")

    with pytest.raises(ValueError, match="half written"):
        opener.kept.use(store, "a", work)
    assert len(calls) == 4


def test_a_file_that_is_gone_is_not_waited_for(tmp_path: Path) -> None:
    opener = Opener()
    with pytest.raises(FileNotFoundError):
        opener.kept.use(LocalStore(str(tmp_path)), "a", bytes)
    assert opener.opened == ["a"]
