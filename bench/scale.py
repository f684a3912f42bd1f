"""How cost grows with the number of files and of rows. Each line is a ratio of two sizes measured in this run.

python -m bench.scale files 1000 10000 50000    one added file, publishing, opening, filtering, by files
python -m bench.scale rows 1e6 10e6             filter, sort with a limit and SQL, by rows
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from bench.data import write_small_steps
from bench.measure import run_python

_COMMON = """
import json, sys, time
from bench.measure import private_megabytes
from rollscope.query.library import open_run
import os
root, place, count = sys.argv[1], sys.argv[2], int(float(sys.argv[3]))
def cpu(work):
    start = time.process_time()
    work()
    return time.process_time() - start
found = {}
"""

_INDEX = (
    _COMMON
    + """
from rollscope.index.index import Index
spent = [0.0]
whole = Index.publish
def publish(self, *given):
    start = time.process_time()
    whole(self, *given)
    spent[0] += time.process_time() - start
Index.publish = publish
run = open_run(root, index_dir=place)
found["index"] = cpu(run.refresh)
found["publishing"] = spent[0]
found["private MB, indexed"] = private_megabytes(os.getpid())
print(json.dumps(found))
"""
)

_LOOK = (
    _COMMON
    + """
from rollscope.index.index import Index
from bench.data import small_step
run = open_run(root, index_dir=place)
run.refresh()
found["look, nothing new"] = min(cpu(run.refresh) for _ in range(3))
spent = []
whole = Index.publish
def publish(self, *given):
    start = time.process_time()
    whole(self, *given)
    spent.append(time.process_time() - start)
Index.publish = publish
added = []
for i in range(5):
    small_step(root, count + i)
    added.append(cpu(run.refresh))
found["one added file"] = min(added)
found["… of that publishing"] = min(spent)
print(json.dumps(found))
"""
)

_ASK = (
    _COMMON
    + """
run = open_run(root, index_dir=place)
start = time.perf_counter()
step = run.steps().steps[len(run.steps().steps) // 2].step
run.samples(split="train", step=step, limit=50, preview=True)
found["first page, s"] = time.perf_counter() - start
found["private MB, first page"] = private_megabytes(os.getpid())
found["filter"] = cpu(lambda: run.samples(where="reward > 0.5", limit=50))
found["filter again"] = min(cpu(lambda: run.samples(where="reward > 0.5", limit=50)) for _ in range(3))
found["sort -reward, 50"] = cpu(lambda: run.samples(sort="-reward", limit=50))
found["private MB, filtered"] = private_megabytes(os.getpid())
found["SQL avg by step"] = cpu(lambda: run.sql("select step, avg(reward) from samples group by step"))
found["private MB, after SQL"] = private_megabytes(os.getpid())
print(json.dumps(found))
"""
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("what", choices=["files", "rows"])
    parser.add_argument("sizes", nargs="+", type=float)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "rollscope-scale")
    options = parser.parse_args()
    sizes = sorted(int(size) for size in options.sizes)
    measured = [(by_files if options.what == "files" else by_rows)(options.data, size) for size in sizes]
    print(table(sizes, measured))
    return 0


def by_files(data: Path, count: int) -> dict[str, float]:
    """Steps of eight short samples, a file each."""
    print(f"{count:,} files …", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=_made(data)) as folder:
        root = write_small_steps(Path(folder) / "run", count, 8)
        given = (str(root), str(Path(folder) / "index"), str(count))
        return {**_ran(_INDEX, given), **_ran(_ASK, given), **_ran(_LOOK, given)}


def by_rows(data: Path, count: int) -> dict[str, float]:
    """Steps of a thousand rows in an index that is written directly: only what is asked of it is measured."""
    from bench.scale_data import write_rows

    print(f"{count:,} rows …", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=_made(data)) as folder:
        root, place = write_rows(Path(folder), count)
        return _ran(_ASK, (str(root), str(place), str(count)))


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _ran(code: str, given: tuple[str, ...]) -> dict[str, float]:
    found: dict[str, float] = json.loads(run_python(code, *given))
    return found


def table(sizes: list[int], measured: list[dict[str, float]]) -> str:
    """A line a quantity, a column a size, and how the last two compare."""
    lines = [("", *(f"{size:,}" for size in sizes), "last : before")]
    for name in measured[0]:
        values = [found[name] for found in measured]
        ratio = f"{values[-1] / max(values[-2], 1e-9):.2f} ×" if len(values) > 1 else ""
        lines.append((name, *(f"{value:.4g}" for value in values), ratio))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


if __name__ == "__main__":
    sys.exit(main())
