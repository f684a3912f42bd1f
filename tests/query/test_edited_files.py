"""Files that are edited where nobody expects it: lists and opened samples say what is in them now, never a mix."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import append, relax_record, settle
from tests.server.client import Server, eventually, serving

import rollscope
from rollscope.index.changes import plan
from rollscope.query.run import Run
from rollscope.storage.fingerprint import Fingerprint

MIDDLE = 6
OLD, NEW = 0.111, 0.999


def write_run(root: Path, *, padding: int = 20_000) -> Path:
    """One step whose lines are so long that those in the middle are far from the file's ends."""
    noise = random.Random(1)
    records = [
        relax_record(0, i, reward=OLD, response="".join(noise.choices("abcdefgh ", k=padding))) for i in range(13)
    ]
    write_jsonl(root / "train" / "0.jsonl", records)
    return settle(root)


def edit_in_place(file: Path) -> None:
    """Another reward in the middle: same size, same inode, a new time."""
    lines = file.read_bytes().splitlines(keepends=True)
    at = sum(map(len, lines[:MIDDLE])) + lines[MIDDLE].index(b"0.111")
    with file.open("r+b") as out:
        out.seek(at)
        out.write(b"0.999")


def edit_with_sed(file: Path) -> None:
    """The same by another file of the same name."""
    inode = file.stat().st_ino
    subprocess.run(["sed", "-i", f"{MIDDLE + 1}s/0\\.111/0.999/", str(file)], check=True)
    assert file.stat().st_ino != inode


def edit_then_append(file: Path) -> None:
    edit_in_place(file)
    append(file, relax_record(0, 13, reward=0.5))


def edit_within_the_clocks_grain(file: Path) -> None:
    stat = file.stat()
    edit_in_place(file)
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


EDITS = [edit_in_place, edit_with_sed, edit_then_append]
Edit = Callable[[Path], None]


def ask(*arguments: str) -> Any:
    done = subprocess.run([sys.executable, "-m", "rollscope", *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def listed(run: Run) -> float | None:
    return run.samples(split="train", step=0).rows[MIDDLE].reward


@pytest.mark.parametrize("edit", EDITS)
def test_python_sees_the_edit_in_lists_statistics_and_samples(tmp_path: Path, edit: Edit) -> None:
    root = write_run(tmp_path / "run")
    run = rollscope.open(root)
    assert listed(run) == run.sample(f"train/0/{MIDDLE}").reward == OLD
    edit(root / "train" / "0.jsonl")
    run.refresh()
    assert listed(run) == run.sample(f"train/0/{MIDDLE}").reward == NEW
    assert run.steps().steps[0].reward.max == NEW


@pytest.mark.parametrize("edit", EDITS)
def test_an_opened_sample_and_the_list_agree_without_being_told(tmp_path: Path, edit: Edit) -> None:
    root = write_run(tmp_path / "run")
    run = rollscope.open(root)
    listed(run)
    edit(root / "train" / "0.jsonl")
    assert run.sample(f"train/0/{MIDDLE}").reward == NEW
    assert listed(run) == NEW
    assert json.loads(run.sample_json(f"train/0/{MIDDLE}"))["reward"] == NEW


@pytest.mark.parametrize("edit", EDITS)
def test_the_next_command_sees_the_edit(tmp_path: Path, edit: Edit) -> None:
    root = write_run(tmp_path / "run")
    first = ask("samples", str(root), "--step", "0", "--json")
    assert first[MIDDLE]["reward"] == OLD
    edit(root / "train" / "0.jsonl")
    again = ask("samples", str(root), "--step", "0", "--json")
    assert again[MIDDLE]["reward"] == NEW
    assert ask("show", str(root), f"train/0/{MIDDLE}", "--json")["reward"] == NEW


@pytest.mark.parametrize("edit", EDITS)
def test_a_running_server_shows_the_edit(tmp_path: Path, edit: Edit) -> None:
    root = write_run(tmp_path / "run")
    with serving(root) as server:
        run = f"/api/runs/{server.run_id()}"
        eventually(lambda: _listed(server, run) == OLD)
        assert server.json(f"{run}/sample", address=f"train/0/{MIDDLE}")["reward"] == OLD
        edit(root / "train" / "0.jsonl")
        assert server.json(f"{run}/sample", address=f"train/0/{MIDDLE}")["reward"] == NEW
        eventually(lambda: _listed(server, run) == NEW)


def _listed(server: Server, run: str) -> float | None:
    rows = server.json(f"{run}/samples", split="train", step=0)["rows"]
    return rows[MIDDLE]["reward"] if len(rows) > MIDDLE else None


def test_an_edit_that_the_clock_hides_is_seen_while_the_file_is_young(tmp_path: Path) -> None:
    root = write_run(tmp_path / "run")
    file = root / "train" / "0.jsonl"
    file.touch()
    run = rollscope.open(root)
    assert listed(run) == OLD
    edit_within_the_clocks_grain(file)
    assert run.sample(f"train/0/{MIDDLE}").reward == NEW
    run.refresh()
    assert listed(run) == NEW


def test_a_running_server_sees_an_edit_that_the_clock_hides(tmp_path: Path) -> None:
    root = write_run(tmp_path / "run")
    file = root / "train" / "0.jsonl"
    with serving(root) as server:
        run = f"/api/runs/{server.run_id()}"
        # A file from the future stays young for as long as the test takes.
        ahead = file.stat().st_mtime_ns + 7_200_000_000_000
        os.utime(file, ns=(ahead, ahead))
        eventually(lambda: _listed(server, run) == OLD)
        edit_within_the_clocks_grain(file)
        eventually(lambda: _listed(server, run) == NEW)


@pytest.mark.parametrize("old", [False, True], ids=["young", "old"])
def test_an_edit_that_the_sampled_blocks_miss_is_found_before_its_sample_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: bool
) -> None:
    root = write_run(tmp_path / "run", padding=900_000)
    run = rollscope.open(root)
    listed(run)
    edit_then_append(root / "train" / "0.jsonl")
    monkeypatch.setattr(plan, "still_begins_with", lambda *_: True)  # the drawn blocks were others
    if old:
        monkeypatch.setattr(Fingerprint, "settled", lambda *_: True)
    run.refresh()
    assert len(run.samples(split="train", step=0).rows) == 14
    assert listed(run) == OLD
    assert run.sample(f"train/0/{MIDDLE}").reward == NEW
    assert listed(run) == NEW
    assert run.sample("train/0/13").reward == 0.5


def test_previews_are_of_the_lines_that_were_listed(tmp_path: Path) -> None:
    root = write_run(tmp_path / "run")
    run = rollscope.open(root)
    snapshot = run._index.snapshot
    run.refresh()
    snapshot = run._index.snapshot
    table = snapshot.rows_of("train", 0)
    assert run._reader.starts(snapshot, table, MIDDLE)[1]
    write_jsonl(root / "train" / "0.jsonl", [relax_record(0, i, reward=0.3) for i in range(40)])
    assert run._reader.starts(snapshot, table, MIDDLE) == (None, None)
