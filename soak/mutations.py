"""Lines and files that were damaged in every way: no crash, no hang, and no good line lost.

Lines made up for the formats of lines, each compared with what Python's json says of it (`tests/fuzz`); then the runs of all
formats in `tests/data` with lines of theirs cut, edited or replaced, and bytes of their other files.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import tempfile
import time
from pathlib import Path

from tests.fixtures import DATA
from tests.fuzz import test_lines as fuzz

from rollscope.errors import RollscopeError
from rollscope.formats.lines import jsonl
from rollscope.model import is_repair
from rollscope.query.library import Library
from soak import Figures, Violation

LINES = 100_000
ROUNDS = 4
#: One file of a few hundred lines takes a fraction of a second. A process that is at one for longer hangs.
HANG_SECONDS = 120


def run(long: bool, count: int | None = None) -> Figures:
    lines = count or LINES * (10 if long else 1)
    started = time.monotonic()
    files = -(-lines // fuzz.LINES)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        waiting = [pool.apply_async(one_file, (seed,)) for seed in range(files)]
        good = sum(result.get(timeout=HANG_SECONDS + files) for result in waiting)
    rounds = max(1, ROUNDS * lines // LINES)
    mutated, opened = _fixtures(rounds)
    return [
        ("made lines, over six formats of lines", f"{files * fuzz.LINES:,} in {files:,} files"),
        ("good ones among them, all samples with their records", f"{good:,}"),
        ("damaged lines and bytes in the runs of tests/data, all formats", f"{mutated:,}; {opened:,} runs opened"),
        ("crashes, hangs, good lines lost", f"0 in {time.monotonic() - started:.0f} s"),
    ]


def one_file(seed: int) -> int:
    chance = random.Random(seed)
    kind = chance.choice(list(fuzz.KINDS.values()))
    jsonl.BATCH_BYTES = chance.choice([500, 5_000, 1 << 20])
    try:
        return fuzz.check(chance.choice(fuzz.FORMATS), fuzz.file_of(kind, chance), chance)
    except Exception as error:
        raise Violation(f"file of seed {seed}: {type(error).__name__}: {error}") from error


def _fixtures(rounds: int) -> tuple[int, int]:
    mutated = opened = 0
    for number in range(rounds):
        chance = random.Random(number)
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            root = Path(folder) / "data"
            shutil.copytree(DATA, root, copy_function=shutil.copyfile)
            touched: dict[str, set[int]] = {}
            for path in sorted(root.rglob("*")):
                if path.is_file() and path.stat().st_size and chance.random() < 0.5:
                    touched[str(path)] = _damage(path, chance)
                    mutated += len(touched[str(path)])
            opened += _open_all(root, os.path.join(folder, "index"), touched)
    return mutated, opened


def _damage(path: Path, chance: random.Random) -> set[int]:
    """Numbers of the lines that are no longer what they were; of other files 0 for every byte."""
    data = path.read_bytes()
    if path.suffix == ".jsonl":
        lines = data.split(b"\n")
        chosen = {number for number, line in enumerate(lines, 1) if line and chance.random() < 0.2}
        for number in chosen:
            line = bytearray(lines[number - 1])
            at = chance.randrange(len(line))
            line[at : at + chance.randrange(1, 9)] = chance.choice(fuzz.REPLACEMENTS)
            lines[number - 1] = bytes(line[: chance.randrange(len(line) + 1)] if chance.random() < 0.3 else line)
        path.write_bytes(b"\n".join(lines))
        return chosen
    edited = bytearray(data)
    for _ in range(chance.randrange(1, 4)):
        edited[chance.randrange(len(edited))] ^= chance.randrange(1, 256)
    path.write_bytes(edited[: chance.randrange(len(edited) + 1)] if chance.random() < 0.2 else edited)
    return {0}


def _open_all(root: Path, index: str, touched: dict[str, set[int]]) -> int:
    """Every run says what it has, every sample opens or says why not, and only damaged lines are skipped."""
    count = 0
    for run in Library([root], index_dir=index).runs():
        count += 1
        for row in run.samples(discarded=None).rows:
            try:
                run.sample_json(row.address)
            except RollscopeError:
                continue
        run.steps(next(iter(run.splits), "train")) if run.splits else None
        for item in run.doctor().skipped:
            file = os.path.join(run.root, item.file)
            if (
                item.line
                and file.endswith(".jsonl")
                and not is_repair(item.reason)
                and _was_whole(file, item.line, root)
            ) and item.line not in touched.get(file, ()):
                raise Violation(f"{file}, line {item.line} is as it was and is skipped: {item.reason}")
    return count


def _was_whole(file: str, line: int, root: Path) -> bool:
    """Before anything was damaged this line was a sample: some runs of tests/data have bad lines of their own."""
    original = DATA / Path(file).relative_to(root)
    return line not in _bad_before().get(str(original), set())


def _bad_before() -> dict[str, set[int]]:
    if not _BAD:
        _BAD[""] = set()
        with tempfile.TemporaryDirectory(prefix="soak-") as index:
            for run in Library([DATA], index_dir=index).runs():
                for item in run.doctor().skipped:
                    _BAD.setdefault(os.path.join(run.root, item.file), set()).add(item.line)
    return _BAD


_BAD: dict[str, set[int]] = {}
