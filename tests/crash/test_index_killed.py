"""A process killed at any moment while it indexes leaves an index that opens and is right."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.runs import append, relax_record, write_relax

from rollscope.formats.relax import RelaxFormat
from rollscope.index.index import Index
from rollscope.storage.open_store import open_store

#: Refreshes, and kills itself at the n-th time it touches a file of the index: opens, writes, renames, removes.
KILLED_AT_NTH_TOUCH = """
import os, signal, sys
root, nth = sys.argv[1], int(sys.argv[2])
from rollscope.index.index import Index
from rollscope.formats.relax import RelaxFormat
from rollscope.storage.open_store import open_store
import pyarrow as pa
index_dir, touched = os.environ["ROLLSCOPE_INDEX_DIR"], 0
def touch():
    global touched
    touched += 1
    if touched == nth:
        os.kill(os.getpid(), signal.SIGKILL)
def hook(event, args):
    ours = any(isinstance(argument, str) and argument.startswith(index_dir) for argument in args)
    if ours and event in ("open", "os.rename", "os.remove", "os.mkdir"):
        touch()
sys.addaudithook(hook)
opener = pa.OSFile
def counted(path, mode="rb"):  # Arrow opens files itself, unseen by audit hooks
    touch()
    file = opener(path, mode)
    touch()
    return file
pa.OSFile = counted
index = Index(open_store(root), RelaxFormat())
index.refresh()
print("survived")
"""


def expected(run: Path) -> list[tuple[int, int, float]]:
    index = Index(open_store(run), RelaxFormat(), base=str(run.parent / "reference" / str(time.monotonic_ns())))
    index.refresh()
    return contents(index)


def contents(index: Index) -> list[tuple[int, int, float]]:
    table = index.snapshot.all_rows
    return list(zip(table["step"].to_pylist(), table["index"].to_pylist(), table["reward"].to_pylist()))


def test_killed_at_every_touch_of_the_index(tmp_path: Path) -> None:
    run = write_relax(tmp_path / "run", steps=3, samples=4)
    for nth in range(1, 100):
        result = subprocess.run(
            [sys.executable, "-c", KILLED_AT_NTH_TOUCH, str(run), str(nth)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        index = Index(open_store(run), RelaxFormat())
        index.refresh()
        assert contents(index) == expected(run)
        if "survived" in result.stdout:
            break
        assert result.returncode == -signal.SIGKILL, result.stderr
        append(run / "train" / f"{nth % 3}.jsonl", relax_record(nth % 3, 100 + nth))
        if nth % 4 == 0:
            write_relax(run, steps=3, samples=4)
    else:
        pytest.fail("it never came to an end")
    assert nth > 5, "the test must have killed it at several stages"


def test_killed_at_random_moments_with_workers(tmp_path: Path) -> None:
    """Large enough for worker processes; the run grows between the kills. No worker outlives its parent."""
    run = write_relax(tmp_path / "run", steps=2, samples=2)
    filler = "x" * 20_000
    append(run / "train" / "0.jsonl", *(relax_record(0, i, response=filler) for i in range(2, 3_000)))
    chance = random.Random(7)
    script = (
        "import sys; from rollscope.index.index import Index; from rollscope.formats.relax import RelaxFormat\n"
        "from rollscope.storage.open_store import open_store\n"
        "print('started', flush=True)\nIndex(open_store(sys.argv[1]), RelaxFormat()).refresh()"
    )
    killed = 0
    for attempt in range(8):
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(run)], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.random() * 0.6)
        killed += process.poll() is None
        process.kill()
        process.wait()
        process.stdout.close()
        append(run / "train" / "0.jsonl", relax_record(0, 10_000 + attempt))
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    assert contents(index) == expected(run)
    assert killed, "no process lived long enough to be killed"
    deadline = time.monotonic() + 20
    while orphans() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not orphans()


def orphans() -> list[int]:
    """Worker processes whose parent is gone."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            if b"rollscope.index.engines.local" in command and parent == 1 and int(entry.name) != os.getpid():
                found.append(int(entry.name))
    return found
