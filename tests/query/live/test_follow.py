"""Following runs: what changed is said once, and one that cannot be read hides no other."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.runs import append, relax_record, write_relax

from rollscope.query.library import Library
from rollscope.query.live.follow import Follower


@pytest.fixture
def library(tmp_path: Path) -> Library:
    for name in ("a", "b"):
        write_relax(tmp_path / "runs" / name, steps=2, samples=4)
    return Library([tmp_path / "runs"], index_dir=str(tmp_path / "index"))


def followed(library: Library) -> Follower:
    """A follower of all runs that has said how they stand."""
    follower = Follower(library)
    for run in library.runs():
        run.refresh()
        follower.asked_about(run.id)
    follower.look()
    return follower


def test_a_change_is_told_once(library: Library, tmp_path: Path) -> None:
    follower = followed(library)
    assert follower.look().runs == []
    (file,) = (tmp_path / "runs" / "a").rglob("1.jsonl")
    append(file, relax_record(1, 4))
    library.run("a").refresh()
    (change,) = follower.look().runs
    assert (change.run, change.splits[0].samples, change.progress.done) == ("a", 9, True)
    assert follower.look().runs == []


def test_only_what_somebody_asked_about_or_the_filesystem_names_is_looked_at(library: Library, tmp_path: Path) -> None:
    follower = Follower(library)
    assert follower.look().runs == []
    changed = str(tmp_path / "runs" / "b" / "train" / "1.jsonl")
    assert [change.run for change in follower.look([changed], refresh=False, find_runs=False).runs] == ["b"]


def test_runs_that_appear_are_told(library: Library, tmp_path: Path) -> None:
    follower = followed(library)
    write_relax(tmp_path / "runs" / "c", steps=1, samples=2)
    assert not follower.look(find_runs=False).library
    assert follower.look([str(tmp_path / "runs" / "c" / "train" / "0.jsonl")], find_runs=False).library


def test_a_run_that_cannot_be_read_does_not_hide_the_others(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    follower = followed(library)
    broken = library.run("a")

    def unreadable(**_: object) -> bool:
        raise OSError("the disk is gone")

    monkeypatch.setattr(broken, "refresh", unreadable)
    shutil.copyfile(tmp_path / "runs/b/train/1.jsonl", tmp_path / "runs/b/train/2.jsonl")
    library.run("b").refresh()
    assert [change.run for change in follower.look().runs] == ["b"]
    assert follower.look().runs == []
    assert caplog.text.count("the disk is gone") == 1
