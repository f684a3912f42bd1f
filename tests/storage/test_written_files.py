"""What Linux reports of files that are written, before the call that wrote them returns."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.runs import append

from rollscope.storage import written_files
from rollscope.storage.local import LocalStore
from rollscope.storage.memory import MemoryStore
from rollscope.storage.written_files import MAX_NAMES, WrittenFiles, is_of_this_machine


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "run" / "train").mkdir(parents=True)
    (tmp_path / "run" / "train" / "0.jsonl").write_text("{}\n" * 100)
    return tmp_path / "run"


@pytest.fixture
def watching(root: Path) -> WrittenFiles:
    found = WrittenFiles(str(root))
    assert found.watch({"train"})
    assert not found.watch({"train"})
    assert found.take() == set()
    return found


def edit_in_the_middle(path: Path) -> None:
    with open(path, "r+b") as file:
        file.seek(100)
        file.write(b"x")
        file.flush()


WRITTEN: dict[str, tuple[Callable[[Path], object], set[str]]] = {
    "a new file": (lambda root: (root / "train/1.jsonl").write_text("{}"), {"train/1.jsonl"}),
    "an append": (lambda root: append(root / "train/0.jsonl", {}), {"train/0.jsonl"}),
    "an edit": (lambda root: edit_in_the_middle(root / "train/0.jsonl"), {"train/0.jsonl"}),
    "a truncation": (lambda root: os.truncate(root / "train/0.jsonl", 3), {"train/0.jsonl"}),
    "another time": (lambda root: os.utime(root / "train/0.jsonl", (1, 1)), {"train/0.jsonl"}),
    "no more permission": (lambda root: (root / "train/0.jsonl").chmod(0), {"train/0.jsonl"}),
    "deleted": (lambda root: (root / "train/0.jsonl").unlink(), {"train/0.jsonl"}),
    "renamed": (
        lambda root: (root / "train/0.jsonl").rename(root / "train/1.jsonl"), {"train/0.jsonl", "train/1.jsonl"},
    ),
    "moved here": (
        lambda root: shutil.move(shutil.copy(root / "train/0.jsonl", root.parent / "x"), root / "train/2.jsonl"),
        {"train/2.jsonl"},
    ),
    "a new folder": (lambda root: (root / "eval").mkdir(), {"eval"}),
    "a name that is no UTF-8": (
        lambda root: Path(os.fsdecode(os.fsencode(root / "train") + b"/\xff.jsonl")).write_text("{}"),
        {"train/\udcff.jsonl"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", WRITTEN)
def test_a_write_is_reported_as_soon_as_it_was_made(root: Path, watching: WrittenFiles, change: str) -> None:
    make, names = WRITTEN[change]
    make(root)
    assert watching.any
    assert watching.take() == names
    assert not watching.any
    assert watching.take() == set()


def test_reading_is_no_write(root: Path, watching: WrittenFiles) -> None:
    (root / "train/0.jsonl").read_bytes()
    os.listdir(root / "train")
    assert not watching.any


def swap(root: Path) -> None:
    root.rename(root.parent / "before")
    shutil.copytree(root.parent / "before", root)


LOST: dict[str, Callable[[Path], object]] = {
    "another folder has its name": swap,
    "a watched folder moved": lambda root: (root / "train").rename(root / "elsewhere"),
    "a watched folder went": lambda root: shutil.rmtree(root / "train"),
    "the run went": shutil.rmtree,
    "a link to a file, which may be written anywhere": lambda root: (root / "train/1.jsonl").symlink_to("0.jsonl"),
    "more names than are worth it": lambda root: [(root / f"train/{i}.x").write_text("") for i in range(MAX_NAMES + 1)],
}


@pytest.mark.parametrize("change", LOST)
def test_whatever_is_not_plain_makes_all_files_unknown(root: Path, watching: WrittenFiles, change: str) -> None:
    LOST[change](root)
    assert watching.take() is None
    assert watching.take() is None, "nor is it known later"
    assert watching.any


def test_reports_that_overflowed_are_not_relied_on(root: Path, watching: WrittenFiles) -> None:
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    paths = [root / "train" / name for name in ("a", "b")]
    for i in range(limit + 2):
        paths[i % 2].touch()
    assert watching.take() is None


def test_a_forked_child_takes_nothing_from_its_parent(root: Path, watching: WrittenFiles) -> None:
    (root / "train/1.jsonl").write_text("{}")
    child = os.fork()
    if child == 0:
        os._exit(0 if watching.take() is None else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert watching.take() == {"train/1.jsonl"}


def test_only_filesystems_that_no_other_machine_writes_to_are_watched(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written_files, "OF_THIS_MACHINE", frozenset())
    assert LocalStore(root).written_files({"train"}) is None
    assert not is_of_this_machine("/proc")
    monkeypatch.setattr(written_files, "OF_THIS_MACHINE", frozenset({"proc"}))
    assert is_of_this_machine("/proc/self/net")
    assert not is_of_this_machine("/"), "other filesystems are mounted below it"
    assert MemoryStore("nowhere").written_files({""}) is None


def test_a_folder_that_cannot_be_watched_leaves_the_others_unwatched_too(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written_files, "is_of_this_machine", lambda path: True)
    watched = LocalStore(root).written_files({"train"})
    assert watched is not None
    watched.close()
    assert LocalStore(root).written_files({"train", "missing"}) is None
    (root / "linked").symlink_to("train")
    assert LocalStore(root).written_files({"linked"}) is None
    (root / "train/1.jsonl").symlink_to("0.jsonl")
    assert LocalStore(root).written_files({"train"}) is None
