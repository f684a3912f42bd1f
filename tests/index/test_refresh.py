"""Refreshing: only what is new is read, and whatever happens to a file, the index says what is in it now."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import append, relax_record, write_relax
from tests.unprivileged import FORBIDDEN, as_nobody, let_everybody_reach

from rollscope.formats.base import Scan, Source
from rollscope.formats.relax import RelaxFormat
from rollscope.index import refresh as refresh_module
from rollscope.index.index import Index
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Store


class Watched(RelaxFormat):
    """Relax's format, noting which bytes it was asked to read."""

    def __init__(self) -> None:
        self.read: list[tuple[str, int, int]] = []

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        self.read.append((source.path, start, end))
        return super().scan(store, source, start, end)


def rewards(index: Index, step: int = 0) -> list[float]:
    return index.snapshot.rows_of("train", step)["reward"].to_pylist()  # type: ignore[no-any-return]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_relax(tmp_path / "run")


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
    assert index.snapshot.step_stats["train", 0].samples == 9


def test_an_unfinished_last_line_waits_until_it_is_finished(run: Path) -> None:
    file = run / "train" / "0.jsonl"
    line = json.dumps(relax_record(0, 8, reward=0.25))
    with file.open("a") as out:
        out.write(line[:50])
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    assert len(rewards(index)) == 8
    assert index.snapshot.skipped() == []
    with file.open("a") as out:
        out.write(line[50:] + "\n")
    assert index.refresh()
    assert rewards(index)[8] == 0.25


def test_a_whole_last_line_without_a_newline_counts_once(run: Path) -> None:
    file = run / "train" / "0.jsonl"
    with file.open("a") as out:
        out.write(json.dumps(relax_record(0, 8, reward=0.75)))
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    assert len(rewards(index)) == 9
    with file.open("a") as out:
        out.write("\n" + json.dumps(relax_record(0, 9, reward=0.5)) + "\n")
    index.refresh()
    assert rewards(index)[8:] == [0.75, 0.5]


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


def test_large_files_are_cut_into_chunks_and_numbered_through(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollscope.index.plan.CHUNK_BYTES", 2000)
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    entry = index.snapshot.manifest.files[0]
    assert len(entry.pieces) > 1
    table = index.snapshot.rows_of("train", 0)
    assert table["index"].to_pylist() == list(range(8))
    assert [index.snapshot.locate(table, i).line for i in range(8)] == list(range(1, 9))


def test_a_file_of_several_chunks_grows_by_its_new_bytes_only(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollscope.index.plan.CHUNK_BYTES", 2000)
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
    monkeypatch.setattr("rollscope.index.plan.CHUNK_BYTES", 3000)
    there = Index(open_store(run), RelaxFormat(), base=str(run.parent / "b"))
    there.refresh()
    columns = ["split", "step", "index", "group", "reward", "offset", "length", "prompt_hash"]
    assert there.snapshot.all_rows.select(columns).to_pylist() == here.snapshot.all_rows.select(columns).to_pylist()


def test_many_small_segments_become_one(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollscope.index.segments.compaction.MAX_SMALL_SEGMENTS", 3)
    index = Index(open_store(run), RelaxFormat())
    for i in range(8, 20):
        append(run / "train" / "0.jsonl", relax_record(0, i, reward=float(i)))
        index.refresh()
    assert len(index.snapshot.manifest.segments) <= 4
    assert rewards(index)[8:] == [float(i) for i in range(8, 20)]
    assert rewards(Index(open_store(run), RelaxFormat()))[8:] == [float(i) for i in range(8, 20)]


def test_two_indexes_may_refresh_at_once(run: Path) -> None:
    """Two processes over the same index directory while the run grows: both end right."""
    script = (
        "import sys; from rollscope.index.index import Index; from rollscope.formats.relax import RelaxFormat\n"
        "from rollscope.storage.open_store import open_store\n"
        "index = Index(open_store(sys.argv[1]), RelaxFormat())\n"
        "for _ in range(60): index.refresh()\n"
        "print(index.snapshot.rows_of('train', 0).num_rows)"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", script, str(run)], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    for i in range(8, 40):
        append(run / "train" / "0.jsonl", relax_record(0, i))
    for process in processes:
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        assert 8 <= int(out) <= 40
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    assert len(rewards(index)) == 40


def test_a_torn_manifest_is_rebuilt(run: Path) -> None:
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    manifest = Path(index.location) / "manifest.msgpack"
    manifest.write_bytes(manifest.read_bytes()[:100])
    again = Index(open_store(run), RelaxFormat())
    again.refresh()
    assert len(rewards(again)) == 8


def test_a_file_without_permission_is_told_and_the_others_open(tmp_path: Path, run: Path, index_dir: Path) -> None:
    readable = write_relax(tmp_path / "readable")
    index_dir.chmod(0o777)
    let_everybody_reach(tmp_path, index_dir)
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


def test_the_beginning_of_an_unread_file_shows_at_once(run: Path) -> None:
    index = Index(open_store(run), RelaxFormat())
    index.peek(lambda source: source.step == 1)
    assert rewards(index, 1) == [relax_record(1, i)["reward"] for i in range(8)]
    assert rewards(index, 0) == []
    index.refresh()
    assert len(rewards(index, 0)) == 8


def test_the_index_never_lies_in_the_run(run: Path, index_dir: Path) -> None:
    before = sorted(str(path) for path in run.rglob("*"))
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    assert sorted(str(path) for path in run.rglob("*")) == before
    assert Path(index.location).is_relative_to(index_dir)
