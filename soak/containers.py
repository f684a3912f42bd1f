"""Files that are no lines, damaged at any byte: zip, parquet, Arrow, SQLite, zstd, pickles and Inspect's logs.

Each damage is done to one file of a run of `tests/data`; the run is then opened, listed, counted and every sample of it read,
in a process of its own, so that a crash is one.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fixtures import DATA

from rollscope.errors import RollscopeError
from rollscope.query.library import Library
from soak import Figures, Violation

ENDINGS = (".zip", ".parquet", ".arrow", ".db", ".zst", ".pt", ".pkl", ".eval")
#: Ten of each kind, in about two minutes: a run is opened, and everything read, for each.
DAMAGES = 70
LONG_DAMAGES = 60_000
#: Of one process: what a damaged file leaves open or in memory ends with it.
BATCH = 7
#: A run takes a fraction of a second. A process that is at so many for longer hangs.
HANG_SECONDS = 300


def run(long: bool, count: int | None = None) -> Figures:
    damages = count or (LONG_DAMAGES if long else DAMAGES)
    started = time.monotonic()
    told: Counter[str] = Counter()
    chosen = _victims(damages)
    with multiprocessing.get_context("spawn").Pool(2, maxtasksperchild=1) as pool:
        batches = [chosen[first : first + BATCH] for first in range(0, damages, BATCH)]
        waiting = [pool.apply_async(one_batch, (batch,)) for batch in batches]
        for result in waiting:
            told += result.get(timeout=HANG_SECONDS + 10 * damages)
    kinds = ", ".join(f"{told[ending]:,} {ending[1:]}" for ending in ENDINGS if told[ending])
    return [
        ("damaged files that are no lines", f"{damages:,}: {kinds}"),
        ("samples still opened, and refused in a sentence", f"{told['opened']:,} and {told['refused']:,}"),
        ("crashes, hangs, internal errors", f"0 in {time.monotonic() - started:.0f} s"),
    ]


def _victims(count: int) -> list[tuple[int, str, str]]:
    """(seed, a run's folder, a file of it). Kinds of files are damaged equally often."""
    roots = {run.root for run in Library([DATA]).runs()}
    found: dict[str, list[tuple[str, str]]] = {}
    for root in sorted(roots):
        for path in sorted(Path(root).rglob("*")):
            if path.suffix in ENDINGS and path.stat().st_size:
                found.setdefault(path.suffix, []).append((root, str(path.relative_to(root))))
    chance = random.Random(0)
    endings = sorted(found)
    return [(seed, *chance.choice(found[endings[seed % len(endings)]])) for seed in range(count)]


def one_batch(victims: list[tuple[int, str, str]]) -> Counter[str]:
    told: Counter[str] = Counter()
    for seed, root, name in victims:
        chance = random.Random(seed)
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            copy = Path(folder) / Path(root).name
            shutil.copytree(root, copy, copy_function=shutil.copyfile)
            (copy / name).write_bytes(damaged((copy / name).read_bytes(), chance))
            try:
                told += _opened(copy, os.path.join(folder, "index"))
            except RollscopeError:  # too damaged to be known for what it was
                told["refused"] += 1
            except Exception as error:
                raise Violation(f"{root}/{name}, seed {seed}: {type(error).__name__}: {error}") from error
        told[Path(name).suffix] += 1
    return told


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Bytes changed, cut off, doubled, left out or filled with nothing."""
    edited = bytearray(data)
    for _ in range(chance.randrange(1, 4)):
        at, size = chance.randrange(len(edited)), chance.choice([1, 1, 1, 4, 64, 4096])
        match chance.randrange(6):
            case 0:
                del edited[at : at + size]
            case 1:
                edited[at:at] = edited[at : at + size]
            case 2:
                edited[at : at + size] = bytes(len(edited[at : at + size]))
            case _:
                edited[at] ^= chance.randrange(1, 256)
        if not edited:
            break
    return bytes(edited[: chance.randrange(len(edited) + 1)] if chance.random() < 0.15 else edited)


def _opened(root: Path, index: str) -> Counter[str]:
    """Every question about the run is answered, or refused in a sentence."""
    told: Counter[str] = Counter()
    for run in Library([root], index_dir=index).runs():
        rows = run.samples(discarded=None).rows
        for row in rows:
            try:
                run.sample_json(row.address)
                told["opened"] += 1
            except RollscopeError:
                told["refused"] += 1
        for split in run.splits:
            run.steps(split)
        for ask in (lambda run=run: list(run.search("the", limit=20)), run.doctor, run.metrics, run.details):
            try:
                ask()
            except RollscopeError:
                told["refused"] += 1
    return told
