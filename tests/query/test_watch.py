"""Waiting for files that were never read, and noticing what changed."""

from __future__ import annotations

import functools
import shutil
from pathlib import Path

import pytest
from tests.runs import append, relax_record, settle, write_relax

import rollscope
from rollscope import record
from rollscope.errors import NotFoundError
from rollscope.query.library import Library
from rollscope.query.run import Run
from rollscope.query.watch import Watch, ask_when_read, step_changed


@pytest.fixture
def library(tmp_path: Path) -> Library:
    for name in ("a", "b"):
        write_relax(tmp_path / "runs" / name, steps=2, samples=4)
    return Library([tmp_path / "runs"], index_dir=str(tmp_path / "index"))


def followed(library: Library) -> Watch:
    """A watch over all runs, which has told how they stand."""
    watch = Watch(library)
    for run in library.runs():
        run.refresh()
        watch.asked_about(run.id)
    watch.look()
    return watch


def steps_of(run: Run) -> int:
    return len(run.steps(wait=False).steps)


def test_an_answer_waits_for_files_that_were_never_read(library: Library) -> None:
    run = library.runs()[0]
    assert len(ask_when_read(run, 60, lambda: run.samples(wait=False)).rows) == 8


def test_what_is_not_there_is_told_once_all_is_read(library: Library) -> None:
    run = library.runs()[0]
    run.refresh()

    def missing() -> None:
        raise NotFoundError("no such thing")

    with pytest.raises(NotFoundError):
        ask_when_read(run, 60, missing)


def test_a_first_answer_is_enough_where_that_is_said(library: Library) -> None:
    run = library.runs()[0]
    run.refresh(wait=False)
    assert ask_when_read(run, 60, lambda: steps_of(run), lambda steps: steps > 0) > 0


def test_a_step_is_read_again_when_something_is_learned_of_its_samples(tmp_path: Path) -> None:
    """Annotations lie in a file beside the samples, which stays as it is."""
    with record.start(str(tmp_path / "run")) as writing:
        with writing.iteration(0) as iteration, iteration.group("g") as group:
            group.add(prompt="p", response="a", reward=1.0)
        writing.flush()
        settle(tmp_path / "run")
        run = rollscope.open(tmp_path / "run", index_dir=str(tmp_path / "index"))
        run.refresh()
        assert run.samples(split="train", step=0, wait=False).rows[0].advantage is None
        assert not step_changed(run._index, "train", 0)
        for advantage in (0.25, 0.5):
            writing.annotate(0, "g", 0, advantage=advantage)
            writing.flush()
            assert step_changed(run._index, "train", 0)
            wanted = functools.partial(run.samples, split="train", step=0, wait=False)
            assert ask_when_read(run, 30, wanted).rows[0].advantage == advantage
            assert run.sample("train/0/0").advantage == advantage


def test_a_change_is_told_once(library: Library, tmp_path: Path) -> None:
    watch = followed(library)
    assert watch.look().runs == []
    (file,) = (tmp_path / "runs" / "a").rglob("1.jsonl")
    append(file, relax_record(1, 4))
    library.run("a").refresh()
    (change,) = watch.look().runs
    assert (change.run, change.splits[0].samples, change.progress.done) == ("a", 9, True)
    assert watch.look().runs == []


def test_only_what_somebody_asked_about_or_the_filesystem_names_is_looked_at(library: Library, tmp_path: Path) -> None:
    watch = Watch(library)
    assert watch.look().runs == []
    changed = str(tmp_path / "runs" / "b" / "train" / "1.jsonl")
    assert [change.run for change in watch.look([changed], refresh=False, find_runs=False).runs] == ["b"]


def test_runs_that_appear_are_told(library: Library, tmp_path: Path) -> None:
    watch = followed(library)
    write_relax(tmp_path / "runs" / "c", steps=1, samples=2)
    assert not watch.look(find_runs=False).library
    assert watch.look([str(tmp_path / "runs" / "c" / "train" / "0.jsonl")], find_runs=False).library


def test_a_run_that_cannot_be_read_does_not_hide_the_others(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    watch = followed(library)
    broken = library.run("a")

    def unreadable(**_: object) -> bool:
        raise OSError("the disk is gone")

    monkeypatch.setattr(broken, "refresh", unreadable)
    shutil.copyfile(tmp_path / "runs/b/train/1.jsonl", tmp_path / "runs/b/train/2.jsonl")
    library.run("b").refresh()
    assert [change.run for change in watch.look().runs] == ["b"]
    assert watch.look().runs == []
    assert caplog.text.count("the disk is gone") == 1
