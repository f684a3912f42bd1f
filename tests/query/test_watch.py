"""Waiting for files that were never read, and noticing that a step must be read again."""

from __future__ import annotations

import functools
import random
import time
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import append, relax_record, settle, write_relax

import rollscope
from rollscope import record
from rollscope.errors import NotFoundError
from rollscope.query.library import Library
from rollscope.query.run import Run
from rollscope.query.watch import ask_when_read, step_changed
from rollscope.storage.local import LocalStore
from rollscope.storage.store import Listing


@pytest.fixture
def library(tmp_path: Path) -> Library:
    for name in ("a", "b"):
        write_relax(tmp_path / "runs" / name, steps=2, samples=4)
    return Library([tmp_path / "runs"], index_dir=str(tmp_path / "index"))


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


def test_a_long_look_counts_for_a_while_but_a_step_s_own_files_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_relax(tmp_path / "run", steps=2, samples=4)
    settle(tmp_path / "run")
    run = rollscope.open(tmp_path / "run", index_dir=str(tmp_path / "index"))
    run.refresh()
    monkeypatch.setattr("rollscope.query.watch.FRESH_SECONDS", -1.0)
    looks: list[bool] = []
    whole = run._index.refresh

    def noted(**asked: Any) -> bool:
        looks.append(True)
        return whole(**asked)

    monkeypatch.setattr(run._index, "refresh", noted)
    run._refresher.looked(took=100.0)
    assert run.samples(split="train", step=1).total == 4
    assert run.samples().total == 8
    assert not looks
    append(tmp_path / "run" / "train" / "1.jsonl", relax_record(1, 4))
    assert run.samples(split="train", step=1).total == 5
    run._refresher.looked(took=0.0)
    assert run.samples().total == 9
    assert len(looks) == 2


# What the file system reports


@pytest.fixture
def reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run whose process relies on reports alone, once all its files were checked."""
    monkeypatch.setattr("rollscope.storage.written_files.is_of_this_machine", lambda path: True)
    monkeypatch.setattr("rollscope.query.watch.REPORTED_FROM_FILES", 1)
    monkeypatch.setattr("rollscope.query.watch.REPORTED_FRESH_TIMES", 1e9)
    settle(write_relax(tmp_path / "run", steps=100, samples=2))
    run = rollscope.open(tmp_path / "run", index_dir=str(tmp_path / "index"))
    for _ in range(3):
        run.refresh()  # the first may be the only one; what was written before the second is found by the third
    return run


@pytest.fixture
def listings(reported: Run, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that are listed from now on: every check of all files lists some."""
    listed: list[str] = []
    whole = LocalStore._list

    def record(store: LocalStore, folder: str) -> Listing:
        listed.append(folder)
        return whole(store, folder)

    monkeypatch.setattr(LocalStore, "_list", record)
    return listed


def add_step(root: str, step: int, samples: int = 2) -> None:
    write_jsonl(Path(root) / "train" / f"{step}.jsonl", [relax_record(step, number) for number in range(samples)])


@pytest.mark.parametrize("wait", [True, False], ids=["refresh", "refresh in the background"])
def test_a_file_that_nobody_names_is_found_without_a_check_of_the_others(
    reported: Run, listings: list[str], wait: bool
) -> None:
    for step in range(100, 104):
        add_step(reported.root, step)
        append(Path(reported.root) / "train" / "90.jsonl", relax_record(90, step))
        if wait:
            assert reported.refresh()
        else:
            reported.refresh(wait=False)
            end = time.monotonic() + 30
            while reported.info(look=False).splits[0].last_step != step and time.monotonic() < end:
                time.sleep(0.01)
            assert reported.info(look=False).splits[0].last_step == step
    assert reported.samples(split="train", step=90).total == 6
    assert not reported.refresh()
    assert not reported.refresh(wait=False)
    assert listings == []


def test_a_process_that_only_looks_relies_on_reports_too(reported: Run, listings: list[str], tmp_path: Path) -> None:
    run = rollscope.open(reported.root, index_dir=str(tmp_path / "index"))
    for _ in range(4):
        assert not run.refresh(wait=False)
    listings.clear()
    assert not run.refresh(wait=False)
    assert listings == []


def test_reports_are_not_relied_on_for_longer_than_is_said(
    reported: Run, listings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollscope.query.watch.REPORTED_FRESH_TIMES", 0.0)
    monkeypatch.setattr("rollscope.query.watch.FRESH_SECONDS", 0.0)
    reported._read_again(["train/0.jsonl"])
    reported._refresher._reports._due = 0.0
    for _ in range(3):
        reported.refresh()
        assert listings, "all files were checked"
        listings.clear()


def test_nothing_is_relied_on_while_a_front_door_decides_when_files_are_checked(
    reported: Run, listings: list[str]
) -> None:
    reported.watched(False)
    assert not reported.refresh()
    assert listings


def test_a_check_that_failed_is_made_again_of_all_files(reported: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    add_step(reported.root, 100)
    with monkeypatch.context() as broken:
        broken.setattr("rollscope.index.refresh.Refresh.run", _broken)
        with pytest.raises(OSError, match="broken"):
            reported.refresh()
    assert reported.refresh()
    assert reported.info(look=False).splits[0].last_step == 100


def _broken(_refresh: object) -> None:
    raise OSError("broken")


def change_at_random(root: Path, chance: random.Random) -> None:
    steps = sorted((root / "train").glob("*.jsonl"))
    path = chance.choice(steps)
    kind = chance.randrange(8)
    if kind == 0:
        add_step(str(root), 100 + len(steps))
    elif kind == 1:
        append(path, relax_record(int(path.stem), 7))
    elif kind == 2:
        text = path.read_bytes()
        path.write_bytes(text.replace(b'"reward": 0', b'"reward": 1'))
    elif kind == 3:
        path.unlink()
    elif kind == 4:
        other = path.with_suffix(".tmp")
        other.write_bytes(path.read_bytes()[: -chance.randrange(2, 9)] + b"\n")
        other.replace(path)
    elif kind == 5:
        write_jsonl(root / "eval" / f"{chance.randrange(9)}.jsonl", [relax_record(0, 0, dataset="held-out")])
    elif kind == 6:
        path.rename(root / "train" / f"{500 + len(steps)}.jsonl")
    else:
        append(path, relax_record(int(path.stem), 8))
        add_step(str(root), 100 + len(steps), samples=1)


@pytest.mark.parametrize("seed", range(4))
def test_after_any_changes_reports_say_what_a_first_look_says(reported: Run, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(12):
        for _ in range(chance.randrange(1, 4)):
            change_at_random(Path(reported.root), chance)
        reported.refresh()
        fresh = rollscope.open(reported.root, index_dir=str(tmp_path / f"fresh {number}"))
        assert _all_of(reported) == _all_of(fresh)


def _all_of(run: Run) -> object:
    return [run.info().splits, run.samples(discarded=None, limit=10_000).rows]
