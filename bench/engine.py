"""The engine's lines of the speed table: index, re-open, one step, statistics, refresh, search."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.data import lines, write_small_steps, write_step
from bench.measure import Row, against, run_python, seconds, within

ORJSON_PASS = """
import sys, orjson
with open(sys.argv[1], "rb") as file:
    for line in file: orjson.loads(line)
"""
INDEX = """
import sys, time
from rollscope.storage.open_store import open_store
from rollscope.formats.relax import RelaxFormat
from rollscope.index.index import Index
index = Index(open_store(sys.argv[1]), RelaxFormat(), base=sys.argv[2])
start = time.perf_counter()
index.refresh()
print(time.perf_counter() - start, index.snapshot.sample_count)
"""
#: Steps of a long run that are asked for one by one, each for the first time, and their samples.
ASKED_STEPS, ASKED_SAMPLES = 16, 1024


def fresh(directory: Path) -> str:
    shutil.rmtree(directory, ignore_errors=True)
    return str(directory)


def index_speed(data: Path, megabytes: int) -> Iterator[Row]:
    run = data / f"index-{megabytes}"
    file = write_step(run / "train" / "0.jsonl", megabytes)
    timed_orjson = "import time; start = time.perf_counter()\n" + ORJSON_PASS + "print(time.perf_counter() - start)"
    for cores, bar in ((1, 0.7), (2, 0.5)):
        pairs = []
        for _ in range(3):
            reference = float(run_python(timed_orjson, str(file), cores=1))
            mine = float(run_python(INDEX, str(run), fresh(data / "index"), cores=cores).split()[0])
            pairs.append((reference, mine))
        ratios = sorted(mine / reference for reference, mine in pairs)
        reference, mine = sorted(pairs)[1]
        yield Row(
            f"index {megabytes / 1000:g} GB, all in, {cores} core{'s' if cores > 1 else ''}",
            f"{mine:.2f} s",
            f"orjson pass, 1 core {reference:.2f} s",
            ratios[1],
            f"≤ {bar:g} × ({ratios[0]:.2f}–{ratios[2]:.2f})",
            ratios[1] <= bar,
        )


def many_samples(data: Path, steps: int = 2000, samples: int = 500) -> Iterator[Row]:
    from rollscope.query.library import open_run

    asked = range(1000, 1000 + ASKED_STEPS)
    root = write_small_steps(data / f"many-{steps}-{samples}-{ASKED_SAMPLES}", steps, samples, asked, ASKED_SAMPLES)
    place = str(data / "index-many")
    open_run(root, index_dir=place).refresh()
    total = f"{steps * samples + ASKED_STEPS * (ASKED_SAMPLES - samples):,} samples in {steps:,} steps"

    def reopen() -> float:
        code = (
            "import sys, time; from rollscope.startup import without_pandas; without_pandas()\n"
            "import rollscope, rollscope.query.library, numpy.ma; start = time.perf_counter()\n"
            "run = rollscope.open(sys.argv[1], index_dir=sys.argv[2])\n"
            "run.samples(split='train', step=1000, limit=50, wait=False); print(time.perf_counter() - start)"
        )
        return float(run_python(code, str(root), place))

    reopened = sorted(reopen() * 1e3 for _ in range(5))
    yield Row(f"re-open {total}, first answer", f"{reopened[2]:.0f} ms", "modules loaded", None,
              f"≤ 300 ms ({reopened[0]:.0f}–{reopened[-1]:.0f})", reopened[2] <= 300)  # fmt: skip
    run = open_run(root, index_dir=place)
    run.refresh()
    step = iter(asked)

    def one_step() -> object:
        return run.samples(
            split="train", step=next(step), where="reward > 0.3 and metrics.acc = 1", sort="-reward", wait=False
        )

    one_step()
    yield within(f"one step's {ASKED_SAMPLES:,} rows of it, filtered and sorted", one_step, 10, times=ASKED_STEPS - 1)

    def statistics() -> object:
        run._curves = None
        return run.metrics("rollouts/*")

    yield within("per-step statistics of every metric of it", statistics, 100)


def refresh_cost(data: Path, megabytes: int, steps: int = 10) -> Iterator[Row]:
    from rollscope.formats.relax import RelaxFormat
    from rollscope.index.index import Index
    from rollscope.storage.open_store import open_store

    run = data / f"steps-{megabytes}"
    for step in range(steps):
        write_step(run / "train" / f"{step}.jsonl", megabytes / steps, step)
    small = data / "small"
    write_step(small / "train" / "0.jsonl", 10)
    appended = b"".join(lines(9, 0, 900))[:10_000_000].rsplit(b"\n", 1)[0] + b"\n"
    index = Index(open_store(run), RelaxFormat(), base=fresh(data / "index-refresh"))
    index.refresh()
    file = run / "train" / f"{steps - 1}.jsonl"
    size = file.stat().st_size
    pairs = []
    for _ in range(5):
        with file.open("ab") as out:
            out.write(appended)
        mine = seconds(index.refresh)
        pairs.append((seconds(Index(open_store(small), RelaxFormat(), base=fresh(data / "index-small")).refresh), mine))
    with file.open("r+b") as out:
        out.truncate(size)
    ratios = sorted(mine / reference for reference, mine in pairs)
    reference, mine = sorted(pairs)[len(pairs) // 2]
    yield Row(
        f"refresh after 10 MB were appended to {megabytes / 1000:g} GB",
        f"{mine:.3f} s",
        f"index 10 MB alone {reference:.3f} s",
        ratios[len(ratios) // 2],
        f"≤ 2 × ({ratios[0]:.2f}–{ratios[-1]:.2f})",
        ratios[len(ratios) // 2] <= 2,
    )


def search_speed(data: Path, megabytes: int) -> Iterator[Row]:
    from rollscope.query.library import open_run

    run = data / f"index-{megabytes}"
    file = write_step(run / "train" / "0.jsonl", megabytes)
    opened = open_run(run, index_dir=str(data / "index-search"))
    opened.refresh()
    list(opened.search("warm up the workers 1"))

    def ripgrep(*pattern: str) -> object:
        return subprocess.run(["rg", "-c", "-j2", *pattern, str(file)], capture_output=True, check=False)

    def literal() -> None:
        assert not list(opened.search("a literal nobody wrote"))

    yield against(
        f"literal search over {megabytes / 1000:g} GB",
        "ripgrep -F",
        lambda: ripgrep("-F", "a literal nobody wrote"),
        literal,
        3,
    )

    def regex() -> None:
        assert not list(opened.search(r"[0-9]{4}[a-z]{3}[0-9]", regex=True))

    yield against(
        f"regex without a literal over {megabytes / 1000:g} GB",
        "ripgrep",
        lambda: ripgrep(r"[0-9]{4}[a-z]{3}[0-9]"),
        regex,
        10,
    )


def growth(data: Path, gigabytes: list[float], files: list[int]) -> str:
    """How cost grows with bytes and with files."""
    out = ["", "How cost grows", f"{'size':>14}  {'index s':>8}  {'s / GB':>7}  {'re-open ms':>10}"]
    for size in gigabytes:
        run = data / f"index-{round(size * 1000)}"
        write_step(run / "train" / "0.jsonl", size * 1000)
        first, again = _index_twice(run, data)
        out.append(f"{size:>11g} GB  {first:>8.2f}  {first / size:>7.2f}  {again * 1e3:>10.1f}")
    for count in files:
        run = write_small_steps(data / f"files-{count}", count, 8)
        first, again = _index_twice(run, data)
        out.append(f"{count:>8,} files  {first:>8.2f}  {'':>7}  {again * 1e3:>10.1f}")
    return "\n".join(out)


def _index_twice(run: Path, data: Path) -> tuple[float, float]:
    from rollscope.formats.relax import RelaxFormat
    from rollscope.index.index import Index
    from rollscope.storage.open_store import open_store

    place = fresh(data / "index-growth")
    first = seconds(Index(open_store(run), RelaxFormat(), base=place).refresh)
    start = time.perf_counter()
    index = Index(open_store(run), RelaxFormat(), base=place)
    index.refresh()
    return first, time.perf_counter() - start


def references(data: Path, megabytes: int) -> str:
    """Other readers over the same file, for orientation: the newline scan is the limit."""
    file = write_step(data / f"index-{megabytes}" / "train" / "0.jsonl", megabytes)
    newline = "import sys\nwith open(sys.argv[1], 'rb') as file:\n    for line in file: pass\n"
    duck = (
        'import sys, duckdb; duckdb.sql("SELECT count(*), avg(reward) FROM read_json(\'" + sys.argv[1] + "\', '
        "format='newline_delimited', columns={reward: 'DOUBLE', response_length: 'BIGINT', status: 'VARCHAR'})\").fetchall()"
    )
    found = {name: seconds(lambda code=code: run_python(code, str(file))) for name, code in  # type: ignore[misc]
             (("newline scan", newline), ("orjson", ORJSON_PASS), ("DuckDB's JSON reader", duck))}  # fmt: skip
    return "\n".join(
        [
            "",
            f"Readers of the same {megabytes / 1000:g} GB, with start-up:",
            *(f"  {name:<22} {s:.2f} s" for name, s in found.items()),
        ]
    )


def startup() -> Iterator[Row]:
    command = [str(Path(sys.executable).with_name("rollscope")), "--help"]
    yield within("rollscope --help", lambda: subprocess.run(command, capture_output=True, check=True), 150, times=7)


def temporary() -> Path:
    return Path(tempfile.gettempdir()) / "rollscope-bench"
