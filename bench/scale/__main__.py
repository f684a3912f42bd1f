"""How cost grows with the number of files and of rows. Each line is measured in fresh processes of this run.

python -m bench.scale files 10000 50000    one added file, publishing, opening, filtering, by files
python -m bench.scale rows 10e6 50e6       filter, sort with a limit, counts, SQL, an export, groups, contrast, compare, by rows
python -m bench.scale answers 1e6          the same answers as from one table of all rows
python -m bench.scale insights 10e6        findings, once features are stored, and a prompt over all steps
python -m bench.scale open 50000           the first page of so many files, against 1,000
python -m bench.scale chunks               as many rows in 50,000 files as in 200
python -m bench.scale simulate 1e8         an index of so many rows: open, one step, filter, chart, memory
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from bench.data import write_small_steps
from bench.measure import run_python, watch_python
from bench.scale import questions
from bench.scale.bars import Bar, Measured, table

#: Of a process, while it works.
HIGHEST = "MB, most at any time"
#: A part of the parent's time, or of the memory of the smaller size.
FILES = (
    # As a live server meets it, to whom the file system names it; else all files are looked at.
    Bar("one added file that is named", ratio=1.5),
    Bar("one added file", ratio=1.5),
    Bar("publishing", of="index", share=0.2),
)
ROWS = (
    *(Bar(name, ratio=6.0) for name in ("filter", "sort -reward, 50", "SQL avg by step")),
    *(Bar(f"MB, {name}", ratio=1.3, most=400) for name in ("filter", "sort -reward, 50", "SQL avg by step")),
    Bar(HIGHEST, most=400),
)
ANSWERS = (Bar("answered otherwise as one table", most=0),)
INSIGHTS = (Bar("MB, findings", most=400), Bar("MB, prompt over all steps", most=400))
OPEN = (Bar("first page, CPU s", ratio=2.0), Bar("MB, first page", most=120))
CHUNKS = (Bar("filter again", ratio=2.0),)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.scale", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["files", "rows", "answers", "insights", "open", "chunks", "simulate"])
    parser.add_argument("sizes", nargs="*", type=float)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "rollscope-scale")
    parser.add_argument("--rows", type=float, default=400_000, help="of `chunks`")
    options = parser.parse_args()
    sizes = sorted(int(size) for size in options.sizes)
    if options.what == "files":
        print(table([(f"{size:,}", by_files(options.data, size)) for size in sizes or [10_000, 50_000]], FILES))
    elif options.what == "rows":
        print(table([(f"{size:,}", by_rows(options.data, size)) for size in sizes or [10**7, 5 * 10**7]], ROWS))
    elif options.what == "answers":
        print(table([(f"{size:,}", answers(options.data, size)) for size in sizes or [10**6]], ANSWERS))
    elif options.what == "insights":
        print(table([(f"{size:,}", insights(options.data, size)) for size in sizes or [10**7]], INSIGHTS))
    elif options.what == "open":
        measured = [(f"{size:,}", first_page(options.data, size)) for size in [1_000, *(sizes or [50_000])]]
        print(table(measured, OPEN))
    elif options.what == "chunks":
        files = sizes or [200, 50_000]
        print(table([(f"{size:,} files", chunks(options.data, size, int(options.rows))) for size in files], CHUNKS))
    else:
        print(table([(f"{size:,}", by_rows(options.data, size)) for size in sizes or [10**8]], ()))
    return 0


def by_files(data: Path, count: int) -> Measured:
    """Steps of eight short samples, a file each."""
    print(f"{count:,} files …", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=_made(data)) as folder:
        root = write_small_steps(Path(folder) / "run", count, 8)
        given = (str(root), str(Path(folder) / "index"), str(count))
        return {**_ran(questions.INDEX, given), **_ran(questions.ASK, given), **_ran(questions.LOOK, given)}


def first_page(data: Path, count: int) -> Measured:
    """Of an index that exists, in a process that was just started; the median of three."""
    print(f"{count:,} files …", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=_made(data)) as folder:
        root = write_small_steps(Path(folder) / "run", count, 8)
        given = (str(root), str(Path(folder) / "index"), str(count))
        _ran(questions.INDEX, given)
        found = [_ran(questions.FIRST_PAGE, given) for _ in range(3)]
        return {name: sorted(each[name] for each in found)[1] for name in found[0]}


def chunks(data: Path, files: int, rows: int) -> Measured:
    print(f"{rows:,} rows in {files:,} files …", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=_made(data)) as folder:
        root = write_small_steps(Path(folder) / "run", files, rows // files)
        given = (str(root), str(Path(folder) / "index"), str(files))
        _ran(questions.INDEX, given)
        found = _ran(questions.ASK, given)
        return {name: found[name] for name in ("filter", "filter again", "sort -reward, 50", "SQL avg by step")}


def by_rows(data: Path, count: int) -> Measured:
    """Steps of a thousand rows in an index that is written directly: only what is asked of it is measured."""
    from bench.scale.data import write_rows

    print(f"{count:,} rows …", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=_made(data)) as folder:
        root, place = write_rows(Path(folder), count)
        found, highest = _watched(questions.ASK, (str(root), str(place), str(count)))
        return {**found, HIGHEST: highest}


def answers(data: Path, count: int) -> Measured:
    from bench.scale.data import write_rows

    print(f"{count:,} rows …", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=_made(data)) as folder:
        root, place = write_rows(Path(folder), count)
        return _ran(questions.SAME, (str(root), str(place), str(count)))


def insights(data: Path, count: int) -> Measured:
    """Memory is the most at any time: what these questions need is gone when they are answered."""
    from bench.scale.data import write_rows

    print(f"{count:,} rows …", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=_made(data)) as folder:
        root, place = write_rows(Path(folder), count)
        given = (str(root), str(place), str(count))
        found = {"features": _ran(questions.FEATURES, given)["features"]}
        for name, code in (("findings", questions.FINDINGS), ("prompt over all steps", questions.PROMPT)):
            measured, highest = _watched(code, given)
            found |= {name: measured[name], f"MB, {name}": highest}
        return found


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _ran(code: str, given: tuple[str, ...]) -> Measured:
    found: Measured = json.loads(run_python(code, *given))
    return found


def _watched(code: str, given: tuple[str, ...]) -> tuple[Measured, float]:
    """With the most memory it had of its own at any time."""
    out, highest = watch_python(code, *given)
    found: Measured = json.loads(out)
    return found, highest


if __name__ == "__main__":
    sys.exit(main())
