"""What the file system reports as written is all that is checked, as long as that is relied on."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import append, relax_record, settle, write_relax

import rollscope
from rollscope.query.run import Run
from rollscope.storage.local import LocalStore
from rollscope.storage.store import Listing


@pytest.fixture
def reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run whose process relies on reports alone, once all its files were checked."""
    monkeypatch.setattr("rollscope.storage.written_files.is_of_this_machine", lambda path: True)
    monkeypatch.setattr("rollscope.query.live.reported_files.REPORTED_FROM_FILES", 1)
    monkeypatch.setattr("rollscope.query.live.reported_files.REPORTED_FRESH_TIMES", 1e9)
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


def _all_of(run: Run) -> object:
    return [run.info().splits, run.samples(discarded=None, limit=10_000).rows]


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
    monkeypatch.setattr("rollscope.query.live.reported_files.REPORTED_FRESH_TIMES", 0.0)
    monkeypatch.setattr("rollscope.query.live.watch.FRESH_SECONDS", 0.0)
    monkeypatch.setattr("rollscope.query.live.reported_files.FRESH_SECONDS", 0.0)
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


@pytest.mark.parametrize("seed", range(4))
def test_after_any_changes_reports_say_what_a_first_look_says(reported: Run, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(12):
        for _ in range(chance.randrange(1, 4)):
            change_at_random(Path(reported.root), chance)
        reported.refresh()
        fresh = rollscope.open(reported.root, index_dir=str(tmp_path / f"fresh {number}"))
        assert _all_of(reported) == _all_of(fresh)
