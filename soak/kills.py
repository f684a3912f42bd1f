"""Recorder and indexer are killed at random moments. At most the line in flight is lost, and every state opens."""

from __future__ import annotations

import json
import multiprocessing
import pkgutil
import random
import shutil
import tempfile
import time
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any

from tests.formats.naive import naive_records
from tests.runs import append, relax_record, write_relax

import rollscope.formats
from rollscope.formats.registry import detect
from rollscope.query.library import Library
from rollscope.storage.open_store import open_store
from soak import Figures, Violation

KILLS = 1_000
BEGUN, DONE = 1, 2


def run(long: bool) -> Figures:
    kills = KILLS * (10 if long else 1)
    # Forked from a process that has imported everything and has no threads: a start costs 10 ms instead of 500.
    context = multiprocessing.get_context("forkserver")
    formats = [item.name for item in pkgutil.walk_packages(rollscope.formats.__path__, "rollscope.formats.")]
    context.set_forkserver_preload(["soak.kills", "rollscope.record", "pyarrow", *formats])
    return [*_recorder(context, kills), *_indexer(context, kills)]


def record_for_ever(directory: str, flushed: Any, seal: bool) -> None:
    from rollscope import record

    flushed.value = 0
    recording = record.start(directory, {"lr": 1}, seal=seal, reports=False, code_dir=None)
    number = 0
    for step in range(10_000):
        with recording.iteration(step) as iteration:
            for _ in range(6):
                iteration.add(prompt="question " * 20, response=f"answer {number} " * 100, reward=float(number))
                number += 1
        recording.flush()
        flushed.value = number


def _recorder(context: ForkServerContext, kills: int) -> Figures:
    chance = random.Random(11)
    on_disk = torn = 0
    for number in range(kills):
        folder = Path(tempfile.mkdtemp(prefix="soak-"))
        flushed = context.RawValue("q", -1)  # one with a lock would be held for ever by a process that is killed
        process = context.Process(target=record_for_ever, args=(str(folder / "run"), flushed, number % 3 == 0))
        process.start()
        while flushed.value < 0 and process.is_alive():
            time.sleep(0.0005)
        time.sleep(chance.uniform(0.0, 0.1))
        process.kill()
        process.join()
        lines, half = _recorded(folder / "run")
        if lines < flushed.value or half > 1:
            raise Violation(
                f"kill {number}: {flushed.value} samples were flushed, {lines} are there, {half} torn lines"
            )
        on_disk += lines
        torn += half
        shutil.rmtree(folder)
    return [
        ("kills of the recorder", f"{kills:,}"),
        ("samples on disk after them", f"{on_disk:,}, all that were flushed, in order, without a gap"),
        ("half lines at the end of a file", f"{torn:,}, never more than one a kill"),
    ]


def _recorded(directory: Path) -> tuple[int, int]:
    """(samples that open, half lines). Raises Violation where one in the middle is missing or a file does not open."""
    half = 0
    if not directory.exists():
        return 0, 0
    for path in directory.glob("*_rollouts.jsonl"):
        whole, _, rest = path.read_bytes().rpartition(b"\n")
        half += bool(rest)
        for line in whole.splitlines():
            json.loads(line)
    if not any(path.stat().st_size for path in directory.glob("*_rollouts.jsonl*")):
        return 0, half
    if detect(open_store(directory)) is None:
        return 0, half
    (run,) = Library([directory], index_dir=str(directory.parent / "index")).runs()
    rewards = [row.reward for row in run.samples().rows]
    if rewards != [float(number) for number in range(len(rewards))]:
        raise Violation(f"{directory}: samples {rewards[:50]} are not those that were recorded")
    if skipped := [item for item in run.doctor().skipped if "malformed" not in item.reason]:
        raise Violation(f"{directory}: {skipped[0]}")
    return len(rewards), half


def index_once(root: str, index: str, state: Any) -> None:
    (run,) = Library([root], index_dir=index).runs()
    state.value = BEGUN
    run.refresh()
    state.value = DONE


def _indexer(context: ForkServerContext, kills: int) -> Figures:
    chance = random.Random(7)
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    root = write_relax(folder / "run", steps=6, samples=40)
    index = folder / "index"
    usual = 0.0
    for _ in range(2):  # the first of them also pays for what is done once
        shutil.rmtree(index, ignore_errors=True)
        process, _ = _begun(context, root, index)
        started = time.monotonic()
        process.join()
        usual = time.monotonic() - started
    alive = 0
    for number in range(kills):
        if number % 5 == 0:
            shutil.rmtree(index, ignore_errors=True)
        step = chance.randrange(6)
        if chance.random() < 0.2:
            write_relax(root, steps=6, samples=chance.randrange(20, 60))
        else:
            append(root / "train" / f"{step}.jsonl", relax_record(step, 1_000 + number))
        process, state = _begun(context, root, index)
        time.sleep(chance.uniform(0.0, 0.7 * usual))
        process.kill()
        process.join()
        alive += state.value != DONE
        if _indexed(root, index) != _expected(root):
            raise Violation(f"kill {number}: the index says something else than the files")
    shutil.rmtree(folder)
    return [
        ("kills of the indexer", f"{kills:,}, {alive:,} of them before it was done"),
        ("indexes that did not open or were wrong", "0"),
    ]


def _begun(context: ForkServerContext, root: Path, index: Path) -> tuple[ForkServerProcess, Any]:
    """A process that has just begun to index."""
    state = context.RawValue("q", 0)
    process = context.Process(target=index_once, args=(str(root), str(index), state))
    process.start()
    while state.value == 0 and process.is_alive():
        time.sleep(0.0005)
    return process, state


def _indexed(root: Path, index: Path) -> list[tuple[int, int, float | None]]:
    (run,) = Library([root], index_dir=str(index)).runs()
    return [(row.step, row.index, row.reward) for row in run.samples().rows]


def _expected(root: Path) -> list[tuple[int, int, float | None]]:
    return [
        (step, place, record["reward"])
        for step in range(6)
        for place, record in enumerate(naive_records(root / "train" / f"{step}.jsonl"))
    ]
