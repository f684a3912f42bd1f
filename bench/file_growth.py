"""How search and text filters grow with the number of files: each size beside ripgrep over the same folder."""

from __future__ import annotations

import statistics
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.data import write_small_steps
from bench.measure import Row, seconds

SAMPLES = 8
#: A file may cost this many times what it costs among 1,000.
GROWTH_BAR = 2.0


def search_by_files(data: Path, counts: tuple[int, ...] = (1_000, 10_000, 100_000)) -> Iterator[Row]:
    """The first search of an opened run, and the same as a filter. Its index exists; every file is looked at."""
    from rollscope.query.library import open_run

    per_file: dict[str, float] = {}
    for count in counts:
        root = write_small_steps(data / f"files-{count}", count, SAMPLES)
        place = str(data / "index-files")
        open_run(root, index_dir=place).refresh()

        def search(root: Path = root, place: str = place) -> None:
            assert not list(open_run(root, index_dir=place).search("a literal nobody wrote"))

        def text_filter(root: Path = root, place: str = place) -> None:
            assert not open_run(root, index_dir=place).samples(where='text contains "a literal nobody wrote"').total

        def ripgrep(root: Path = root) -> None:
            subprocess.run(["rg", "-c", "-j2", "-F", "a literal nobody wrote", str(root)], check=False)

        yield _row("literal search", count, search, ripgrep, per_file)
        yield _row("text filter", count, text_filter, ripgrep, per_file)


def _row(
    what: str, count: int, work: Callable[[], None], ripgrep: Callable[[], None], per_file: dict[str, float]
) -> Row:
    """Against ripgrep in the same minute; the bar is on what a file costs, against the smallest number of files."""
    pairs = [(seconds(ripgrep), seconds(work)) for _ in range(3)]
    theirs, mine = (statistics.median(column) for column in zip(*pairs))
    first = per_file.setdefault(what, mine / count)
    growth = mine / count / first
    return Row(
        f"{what} over {count:,} files, opened anew",
        f"{mine:.2f} s",
        f"ripgrep -F {theirs:.2f} s",
        mine / theirs,
        f"a file ≤ {GROWTH_BAR:g} × that of the first line ({growth:.2f} ×)",
        growth <= GROWTH_BAR,
    )
