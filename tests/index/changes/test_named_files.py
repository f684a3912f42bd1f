"""Files that somebody names: only they are looked at, and the index says what a look at all files would have said."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import append, relax_record, settle, write_relax

from rollscope import record
from rollscope.formats.relax import RelaxFormat
from rollscope.formats.rollscope import RollscopeFormat
from rollscope.formats.verl import VerlFormat
from rollscope.index.changes.named_files import named_stretches
from rollscope.index.index import Index
from rollscope.index.manifest import parts
from rollscope.storage.local import LocalStore

STEPS = 120


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return settle(write_relax(tmp_path / "run", steps=STEPS, samples=1))


@pytest.fixture
def index(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    """Its manifest has three parts."""
    monkeypatch.setattr(parts, "PART_SIZE", 40)
    index = Index(LocalStore(run), RelaxFormat(), base=str(tmp_path / "index"))
    index.refresh()
    return index


def add_step(run: Path, step: int) -> str:
    write_jsonl(run / "train" / f"{step}.jsonl", [relax_record(step, 0)])
    return f"train/{step}.jsonl"


def state(index: Index) -> object:
    snapshot = index.snapshot
    columns = ["reward", "index", "group", "offset", "length"]
    keys = [(split, step) for split, steps in snapshot.splits.items() for step in steps]
    return (
        [(entry.source, entry.end, entry.error) for entry in snapshot.manifest.files],
        {key: snapshot.rows_of(*key).select(columns).to_pylist() for key in keys},
    )


def is_plain(index: Index, *paths: str) -> bool:
    """Whether a look at these files would do."""
    known = index.snapshot.manifest.file_parts
    return named_stretches(known, paths, index.format, index.store.fresh(), index.listed) is not None


def test_a_new_file_is_read_without_a_look_at_the_others(run: Path, index: Index) -> None:
    append(run / "train" / "3.jsonl", relax_record(3, 1))
    assert index.refresh(named=[add_step(run, STEPS), add_step(run, STEPS + 1)])
    assert index.snapshot.splits["train"] == list(range(STEPS + 2))
    assert index.snapshot.steps[3].samples == 1, "nobody named it"
    assert index.refresh()
    assert index.snapshot.steps[3].samples == 2


def test_many_new_files_begin_parts_of_their_own(run: Path, index: Index) -> None:
    for first in range(STEPS, STEPS + 700, 100):
        assert index.refresh(named=[add_step(run, step) for step in range(first, first + 100)])
    assert max(len(part) for part in index.snapshot.manifest.file_parts) <= 512
    assert index.snapshot.splits["train"] == list(range(STEPS + 700))
    assert index.snapshot.sample_count == STEPS + 700


def add_eval(run: Path) -> None:
    write_jsonl(run / "eval" / "0.jsonl", [relax_record(0, 0, dataset="held-out")])


def link_out(run: Path) -> None:
    shutil.copy(run / "train/119.jsonl", run.parent / "outside.jsonl")
    os.symlink(run.parent / "outside.jsonl", run / "train/120.jsonl")


CHANGES: dict[str, tuple[Callable[[Path], object], list[str], bool]] = {
    "a new file": (lambda run: add_step(run, STEPS), ["train/120.jsonl"], True),
    "the last file grew": (lambda run: append(run / "train/119.jsonl", relax_record(119, 1)), ["train/119.jsonl"], True),
    "the last file was rewritten": (
        lambda run: write_jsonl(run / "train/119.jsonl", [relax_record(119, 5)]), ["train/119.jsonl"], True,
    ),
    "a name that is no step's": (lambda run: (run / "train/120.jsonl.tmp").write_text("{"), ["train/120.jsonl.tmp"], True),
    "a temporary file became one of a step": (
        lambda run: add_step(run, STEPS), ["train/120.jsonl.tmp", "train/120.jsonl"], True,
    ),
    "the first file, which may speak for all": (
        lambda run: append(run / "train/0.jsonl", relax_record(0, 1)), ["train/0.jsonl"], False,
    ),
    "a step among the others": (lambda run: add_step(run, 118), ["train/118.jsonl"], True),
    "a second file of a step": (
        lambda run: shutil.copy(run / "train/118.jsonl", run / "train/0118.jsonl"), ["train/0118.jsonl"], False,
    ),
    "a file that went": (lambda run: (run / "train/119.jsonl").unlink(), ["train/119.jsonl"], False),
    "a new folder": (add_eval, ["eval"], False),
    "a file of a new folder": (add_eval, ["eval/0.jsonl"], False),
    "a folder that went": (lambda run: (run / "train").rename(run.parent / "elsewhere"), ["train"], False),
    "a link that leads out of the run": (link_out, ["train/120.jsonl"], False),
    "a step that no column can hold": (lambda run: add_step(run, 10**30), [f"train/{10**30}.jsonl"], False),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_named_files_give_what_a_look_at_all_gives(run: Path, index: Index, tmp_path: Path, change: str) -> None:
    make, named, plain = CHANGES[change]
    make(run)
    assert is_plain(index, *named) == plain
    index.refresh(named=named)
    fresh = Index(LocalStore(run), RelaxFormat(), base=str(tmp_path / "another index"))
    fresh.refresh()
    assert state(index) == state(fresh)


def test_a_run_that_nobody_has_looked_at_as_a_whole_is(run: Path, index: Index, tmp_path: Path) -> None:
    append(run / "train" / "3.jsonl", relax_record(3, 1))
    opened = Index(LocalStore(run), RelaxFormat(), base=str(tmp_path / "index"))
    opened.refresh(named=[add_step(run, STEPS)])
    assert opened.snapshot.steps[3].samples == 2


def test_verl_and_the_recorder_name_new_files_too(tmp_path: Path) -> None:
    verl = tmp_path / "verl"
    for step in range(1, 90):
        write_jsonl(
            verl / f"{step}.jsonl", [{"input": "user\nhi\nassistant\n", "output": "a", "score": 1.0, "step": step}]
        )
    index = Index(LocalStore(verl), VerlFormat(), base=str(tmp_path / "index"))
    index.refresh()
    shutil.copy(verl / "9.jsonl", verl / "90.jsonl")
    assert is_plain(index, "90.jsonl")

    own = tmp_path / "own"
    record_steps(own, range(80))
    index = Index(LocalStore(own), RollscopeFormat(), base=str(tmp_path / "index"))
    index.refresh()
    before = set(os.listdir(own))
    record_steps(own, [80])
    written = [*sorted(set(os.listdir(own)) - before), "metrics.jsonl"]
    assert is_plain(index, *written)
    index.refresh(named=written)
    assert index.snapshot.splits["train"][-1] == 80


def record_steps(folder: Path, steps: Iterable[int]) -> None:
    recorder = record.start(folder)
    for step in steps:
        with recorder.iteration(step) as iteration, iteration.group(prompt="?") as group:
            group.add(response="!", reward=1.0)
    recorder.close()
