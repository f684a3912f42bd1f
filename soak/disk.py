"""A disk that is full at every page: recording goes on and loses nothing, an index and an export say it in one line."""

from __future__ import annotations

import logging
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.runs import write_relax

from rollscope import record
from rollscope.errors import RollscopeError
from rollscope.query.library import Library
from soak import Figures, Violation

PAGE = 4096
RECORDED_PAGES = 64
INDEX_PAGES = 40


def run(long: bool) -> Figures:
    step = 1 if long else 2
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        disk = Path(folder) / "disk"
        disk.mkdir()
        logging.getLogger("rollscope").setLevel(logging.CRITICAL)
        recorded = [_record(disk, pages) for pages in range(2, RECORDED_PAGES, step)]
        source = write_relax(Path(folder) / "run", steps=4, samples=60)
        indexed = [_index(disk, source, pages) for pages in range(1, INDEX_PAGES, step)]
    return [
        (
            "recorders on a disk that became full",
            f"{len(recorded)}, at every {step * PAGE // 1024} KiB; {sum(recorded)} met it",
        ),
        ("samples lost, exceptions in the training loop", "0"),
        ("indexes and exports on such a disk", f"{len(indexed)}; {sum(indexed)} were refused in one sentence"),
        ("indexes that were wrong afterwards", "0"),
    ]


@contextmanager
def small(disk: Path, pages: int) -> Iterator[None]:
    """A file system of so many pages."""
    _mount("-t", "tmpfs", "-o", f"size={pages * PAGE}", "tmpfs", str(disk))
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def grow(disk: Path) -> None:
    _mount("-o", "remount,size=64m", str(disk))


def _mount(*words: str) -> None:
    done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Violation(f"this part needs to mount a tmpfs, as root can: {done.stderr.strip()}")


def _record(disk: Path, pages: int) -> bool:
    """Was the disk full before all was written?"""
    with small(disk, pages):
        recording = record.start(disk / "run", {"lr": 1}, reports=False, code_dir=None)
        for step in range(10):
            with recording.iteration(step) as iteration:
                for place in range(3):
                    iteration.add(prompt="q" * 500, response=f"{step}:{place} " * 200, reward=float(3 * step + place))
        fitted = recording.flush()
        grow(disk)
        if not recording.flush():
            raise Violation(f"{pages} pages: what was recorded could not be written when there was room again")
        recording.close()
        (run,) = Library([disk / "run"], index_dir=str(disk / "index")).runs()
        rewards = [row.reward for row in run.samples().rows]
        if rewards != [float(number) for number in range(30)]:
            raise Violation(f"{pages} pages: {rewards}")
    return not fitted


def _index(disk: Path, source: Path, pages: int) -> bool:
    refused = False
    with small(disk, pages):
        (run,) = Library([source], index_dir=str(disk / "index")).runs()
        try:
            run.refresh()
            run.export(str(disk / "all.jsonl"), text=True)
        except RollscopeError as error:
            refused = True
            if "\n" in str(error):
                raise Violation(f"{pages} pages: {error}") from error
        grow(disk)
        (run,) = Library([source], index_dir=str(disk / "index")).runs()
        if len(run.samples().rows) != 240 or run.export(str(disk / "all.jsonl"), text=True) != 240:
            raise Violation(f"{pages} pages: the index is wrong afterwards")
    return refused
