"""Where the index lies, and what is said when it cannot lie there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests.runs import append, relax_record, settle, write_relax
from tests.unprivileged import as_nobody

import rollscope
from rollscope.errors import UnreadableError
from rollscope.formats.relax import RelaxFormat
from rollscope.index.index import Index
from rollscope.storage.open_store import open_store


def command(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rollscope", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def folders_of(index_dir: Path) -> list[str]:
    return sorted(os.listdir(index_dir))


@pytest.mark.parametrize("place", ["/proc/nowhere", "a file"])
def test_an_index_dir_that_cannot_be_used_is_one_line(tmp_path: Path, place: str) -> None:
    run = write_relax(tmp_path / "run", steps=1)
    if place == "a file":
        place = str(tmp_path / "file")
        Path(place).write_text("")
    before = set(os.listdir(tempfile.gettempdir()))
    done = command("steps", run, "--index-dir", place)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"rollscope: the index cannot be kept in {place}: ")
    assert done.stderr.count("\n") == 1
    with pytest.raises(UnreadableError, match="cannot be kept"):
        rollscope.open(run, index_dir=place)
    leaked = set(os.listdir(tempfile.gettempdir())) - before
    assert not [name for name in leaked if name.startswith("rollscope-index-")]


def test_a_home_that_cannot_be_written_is_told_and_leaves_nothing_behind(tmp_path: Path) -> None:
    run = write_relax(tmp_path / "run", steps=1)
    (tmp_path / "tmp").mkdir()
    done = command(
        "steps", run, "--json", ROLLSCOPE_INDEX_DIR="", XDG_CACHE_HOME="/proc/nowhere", TMPDIR=str(tmp_path / "tmp")
    )
    assert done.returncode == 0
    assert [row["samples"] for row in json.loads(done.stdout)] == [8]
    assert "this run is read again by every command" in done.stderr
    assert os.listdir(tmp_path / "tmp") == []


SHARED = """
import json, sys
from rollscope.formats.relax import RelaxFormat
from rollscope.index.index import Index
from rollscope.storage.open_store import open_store
import rollscope.index.scan as scan
import pyarrow.compute, tempfile, shutil, random
Index(open_store(sys.argv[1]), RelaxFormat(), base=sys.argv[2] + "/warm").refresh()
"""
ASK_SHARED = """
read = []
whole = scan.scan_piece
scan.scan_piece = lambda piece, *rest: (read.append(piece.source.path), whole(piece, *rest))[1]
index = Index(open_store(sys.argv[3]), RelaxFormat(), base=sys.argv[4])
index.refresh()
print(json.dumps([read, index.snapshot.rows_of("train", 0).num_rows, index.warnings]))
"""


def test_an_index_that_may_only_be_read_is_read(open_folder: Path) -> None:
    warm = settle(write_relax(open_folder / "warm", steps=1))
    run = settle(write_relax(open_folder / "run", steps=3))
    shared = open_folder / "shared"
    Index(open_store(run), RelaxFormat(), base=str(shared)).refresh()
    for path in (shared, *shared.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    status, out, err = as_nobody(SHARED, ASK_SHARED, warm, open_folder, run, shared)
    assert (status, err) == (0, "")
    read, rows, (warning,) = json.loads(out)
    assert (read, rows) == ([], 8)
    assert "can be read but not written" in warning
    append(run / "train" / "0.jsonl", relax_record(0, 8))
    status, out, err = as_nobody(SHARED, ASK_SHARED, warm, open_folder, run, shared)
    assert (status, err) == (0, "")
    read, rows, _ = json.loads(out)
    assert (read, rows) == (["train/0.jsonl"], 9)


def test_a_run_by_a_link_is_the_same_run(tmp_path: Path, index_dir: Path) -> None:
    run = settle(write_relax(tmp_path / "run"))
    (tmp_path / "link").symlink_to("run")
    rollscope.open(run).refresh()
    first = folders_of(index_dir)
    names = sorted(path.name for path in index_dir.rglob("*.arrow"))
    rollscope.open(tmp_path / "link").refresh()
    rollscope.open(run).refresh()
    assert folders_of(index_dir) == first
    assert sorted(path.name for path in index_dir.rglob("*.arrow")) == names


def test_reading_a_run_as_something_else_keeps_its_first_index(tmp_path: Path, index_dir: Path) -> None:
    run = settle(write_relax(tmp_path / "run"))
    rollscope.open(run).refresh()
    names = {path.name for path in index_dir.rglob("*.arrow")}
    rollscope.open(run, format="jsonl").refresh()
    both = {path.name for path in index_dir.rglob("*.arrow")}
    assert names < both
    rollscope.open(run).refresh()
    rollscope.open(run, format="jsonl").refresh()
    assert {path.name for path in index_dir.rglob("*.arrow")} == both
