"""Refreshing: only what is new is read, and whatever happens to a file, the index says what is in it now."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import append, relax_record, write_relax
from tests.unprivileged import FORBIDDEN, as_nobody

from rollscope.errors import UnreadableError
from rollscope.formats.base import Scan, Source
from rollscope.formats.relax import RelaxFormat
from rollscope.index import refresh as refresh_module
from rollscope.index.index import Index
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Store, StoreUnavailableError


class Watched(RelaxFormat):
    """Relax's format, noting which bytes it was asked to read."""

    def __init__(self) -> None:
        self.read: list[tuple[str, int, int]] = []

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        self.read.append((source.path, start, end))
        return super().scan(store, source, start, end)


def rewards(index: Index, step: int = 0) -> list[float]:
    return index.snapshot.rows_of("train", step)["reward"].to_pylist()  # type: ignore[no-any-return]


def test_every_sample_is_in_the_index_with_its_reward(run: Path) -> None:
    index = Index(open_store(run), RelaxFormat())
    assert index.refresh()
    assert index.snapshot.splits == {"train": [0, 1, 2]}
    assert rewards(index, 1) == [relax_record(1, i)["reward"] for i in range(8)]


def test_a_second_look_reads_nothing(run: Path) -> None:
    for path in (run / "train").iterdir():
        os.utime(path, (1, 1))
    Index(open_store(run), RelaxFormat()).refresh()
    watched = Watched()
    assert not Index(open_store(run), watched).refresh()
    assert watched.read == []


def test_only_appended_bytes_are_read(run: Path) -> None:
    file = run / "train" / "0.jsonl"
    before = file.stat().st_size
    Index(open_store(run), RelaxFormat()).refresh()
    append(file, relax_record(0, 8, reward=0.5))
    watched = Watched()
    index = Index(open_store(run), watched)
    assert index.refresh()
    assert watched.read == [("train/0.jsonl", before, file.stat().st_size)]
    assert rewards(index)[8] == 0.5
    assert index.snapshot.steps[0].samples == 9


class CutOff(Watched):
    """A store that goes away when a certain file is read."""

    gone_from = "train/1.jsonl"

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        found = super().scan(store, source, start, end)
        if source.path >= self.gone_from:
            raise StoreUnavailableError(errno.EIO, "the store does not answer", source.path)
        return found


def test_a_store_that_goes_away_is_an_error_asked_once_and_the_rest_is_read_later(run: Path) -> None:
    format_ = CutOff()
    index = Index(open_store(run), format_)
    with pytest.raises(UnreadableError, match="the store does not answer"):
        index.refresh()
    assert [path for path, _, _ in format_.read] == ["train/0.jsonl", "train/1.jsonl"]
    assert index.snapshot.splits == {"train": [0]}
    assert index.snapshot.known_steps == {"train": [0, 1, 2]}
    assert not index.snapshot.skipped(), "nothing is wrong with the files"
    format_.gone_from = "x"
    assert index.refresh()
    assert [path for path, _, _ in format_.read[2:]] == ["train/1.jsonl", "train/2.jsonl"]
    assert index.snapshot.sample_count == 24


def test_a_file_that_shrank_is_read_anew(run: Path) -> None:
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    write_jsonl(run / "train" / "0.jsonl", [relax_record(0, 0, reward=0.125)])
    assert index.refresh()
    assert rewards(index) == [0.125]


def test_a_rewrite_of_the_same_size_is_noticed(run: Path) -> None:
    """Same size, same inode, and the clock's grain may hide the change: only the hash of the ends tells."""
    file = run / "train" / "0.jsonl"
    write_jsonl(file, [relax_record(0, i, reward=0.1) for i in range(8)])
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    stat = file.stat()
    write_jsonl(file, [relax_record(0, i, reward=0.2) for i in range(8)])
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert file.stat().st_size == stat.st_size
    index.refresh()
    assert rewards(index) == [0.2] * 8


def test_a_longer_rewrite_is_never_a_mix(run: Path) -> None:
    file = run / "train" / "0.jsonl"
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    write_jsonl(file, [relax_record(0, i, reward=0.9) for i in range(20)])
    index.refresh()
    assert rewards(index) == [0.9] * 20


def test_a_replaced_and_a_deleted_file_are_noticed(run: Path, tmp_path: Path) -> None:
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    other = write_jsonl(tmp_path / "other.jsonl", [relax_record(0, i, reward=0.3) for i in range(3)])
    os.replace(other, run / "train" / "0.jsonl")
    (run / "train" / "2.jsonl").unlink()
    assert index.refresh()
    assert rewards(index) == [0.3] * 3
    assert index.snapshot.splits == {"train": [0, 1]}


def test_statistics_follow_what_is_in_the_files(run: Path) -> None:
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    append(run / "train" / "1.jsonl", relax_record(1, 8, reward=5.0))
    index.refresh()
    field = index.snapshot.fields["reward"]
    expected = [relax_record(1, i)["reward"] for i in range(8)] + [5.0]
    at = field.step.tolist().index(1)
    assert field.mean[at] == pytest.approx(sum(expected) / 9)
    assert field.high[at] == 5.0
    assert field.histogram[at].sum() == 9


def test_a_file_of_several_chunks_grows_by_its_new_bytes_only(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollscope.index.changes.plan.CHUNK_BYTES", 2000)
    file = run / "train" / "0.jsonl"
    before = file.stat().st_size
    Index(open_store(run), RelaxFormat()).refresh()
    append(file, relax_record(0, 8, reward=0.5))
    watched = Watched()
    index = Index(open_store(run), watched)
    index.refresh()
    assert [start for _, start, _ in watched.read] == [before]
    assert len(rewards(index)) == 9


def test_large_runs_are_scanned_by_other_processes(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Index(open_store(run), RelaxFormat(), base=str(run.parent / "a"))
    here.refresh()
    monkeypatch.setattr(refresh_module, "INLINE_BYTES", 0)
    monkeypatch.setattr("rollscope.index.changes.plan.CHUNK_BYTES", 3000)
    there = Index(open_store(run), RelaxFormat(), base=str(run.parent / "b"))
    there.refresh()
    columns = ["split", "step", "index", "group", "reward", "offset", "length", "prompt_hash"]
    assert there.snapshot.all_rows.select(columns).to_pylist() == here.snapshot.all_rows.select(columns).to_pylist()


def test_many_small_segments_become_one(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollscope.index.segments.compaction.MAX_SMALL_SEGMENTS", 3)
    monkeypatch.setattr("rollscope.index.segments.compaction.CHANGES", 1)
    index = Index(open_store(run), RelaxFormat())
    for i in range(8, 20):
        append(run / "train" / "0.jsonl", relax_record(0, i, reward=float(i)))
        index.refresh()
    assert len(index.snapshot.manifest.segments) <= 4
    assert rewards(index)[8:] == [float(i) for i in range(8, 20)]
    assert rewards(Index(open_store(run), RelaxFormat()))[8:] == [float(i) for i in range(8, 20)]


def test_small_segments_of_many_files_become_several_large_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few at a time, so that not all files are held in memory: the rows stay what they were, and where they were."""
    monkeypatch.setattr("rollscope.index.manifest.parts.PART_SIZE", 2)
    monkeypatch.setattr("rollscope.index.changes.plan.MAX_PIECES", 1)
    for step in range(12):
        write_jsonl(tmp_path / "train" / f"{step}.jsonl", [relax_record(step, i, reward=step + i) for i in range(3)])
    index = Index(open_store(tmp_path), RelaxFormat())
    index.refresh()
    before = index.snapshot.all_rows.to_pylist()
    for name, value in {"CHANGES": 1, "MAX_SMALL_SEGMENTS": 3, "LARGE_ROWS": 12, "SMALL_ROWS": 12}.items():
        monkeypatch.setattr(f"rollscope.index.segments.compaction.{name}", value)
    append(tmp_path / "train" / "11.jsonl", relax_record(11, 3, reward=7.0))
    index.refresh()
    assert len(index.snapshot.manifest.segments) == 3
    for state in (index, Index(open_store(tmp_path), RelaxFormat())):
        assert state.snapshot.all_rows.to_pylist()[:36] == before
        assert rewards(state, 11) == [11.0, 12.0, 13.0, 7.0]


def test_a_file_without_permission_is_told_and_the_others_open(open_folder: Path) -> None:
    readable, run = write_relax(open_folder / "readable"), write_relax(open_folder / "run")
    (run / "train" / "0.jsonl").chmod(FORBIDDEN)
    load = """
import json, sys
from rollscope.formats.relax import RelaxFormat
from rollscope.index.index import Index
from rollscope.storage.open_store import open_store
Index(open_store(sys.argv[1]), RelaxFormat()).refresh()
"""
    ask = """
index = Index(open_store(sys.argv[2]), RelaxFormat())
index.refresh()
told = [item.file for item in index.snapshot.skipped()]
print(json.dumps([told, len(index.snapshot.rows_of("train", 1))]))
"""
    status, out, err = as_nobody(load, ask, readable, run)
    assert (status, err) == (0, "")
    assert json.loads(out) == [["train/0.jsonl"], 8]


def test_paths_of_any_characters(tmp_path: Path) -> None:
    for name in ("with space", "数学 ünïcode", "quote'\"x", "new\nline", os.fsdecode(b"bad\xff")):
        try:
            root = write_relax(tmp_path / name, steps=1)
        except OSError:  # a filesystem that takes no such name
            continue
        index = Index(open_store(root), RelaxFormat())
        index.refresh()
        assert len(rewards(index)) == 8
