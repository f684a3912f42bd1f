"""Timing by turns: reference and candidate alternate, the median of the ratios counts, the spread is shown."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table: what, how it compares, and the bar it should stay under."""

    what: str
    value: str
    reference: str
    ratio: float | None
    bar: str
    ok: bool


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def against(
    what: str,
    reference_name: str,
    reference: Callable[[], object],
    work: Callable[[], object],
    bar: float,
    times: int = 3,
) -> Row:
    """Ratio of `work` to `reference`, measured in turns in this run."""
    pairs = [(seconds(reference), seconds(work)) for _ in range(times)]
    ratios = [mine / theirs for theirs, mine in pairs]
    ratio = statistics.median(ratios)
    mine, theirs = statistics.median(m for _, m in pairs), statistics.median(t for t, _ in pairs)
    spread = f"{min(ratios):.2f}–{max(ratios):.2f}"
    return Row(
        what, f"{mine:.3f} s", f"{reference_name} {theirs:.3f} s", ratio, f"≤ {bar:g} × ({spread})", ratio <= bar
    )


def within(what: str, work: Callable[[], object], bar_ms: float, times: int = 5, reference: str = "") -> Row:
    """Median milliseconds against a fixed bar."""
    found = [seconds(work) * 1e3 for _ in range(times)]
    median = statistics.median(found)
    return Row(
        what,
        f"{median:.1f} ms",
        reference,
        None,
        f"≤ {bar_ms:g} ms ({min(found):.1f}–{max(found):.1f})",
        median <= bar_ms,
    )


def run_python(code: str, *arguments: str, cores: int | None = None) -> str:
    """In a fresh interpreter, on that many cores."""

    def pin() -> None:
        if cores is not None and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, set(list(os.sched_getaffinity(0))[:cores]))

    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], preexec_fn=pin, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def watch_python(code: str, *arguments: str) -> tuple[str, float]:
    """In a fresh interpreter: what it prints, and the most memory that it had of its own at any time."""
    highest = 0.0
    with subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            with suppress(OSError):  # it has just ended
                highest = max(highest, private_megabytes(process.pid))
            time.sleep(0.05)
        out, _ = process.communicate()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return out, highest


def private_megabytes(pid: int) -> float:
    """Memory of its own, without what it maps from files, written to disk yet or not."""
    total = 0
    with open(f"/proc/{pid}/smaps_rollup") as file:
        for line in file:
            if line.startswith(("Anonymous", "SwapPss")):
                total += int(line.split()[1])
    return total / 1024


def show(rows: list[Row]) -> str:
    head = ("what", "measured", "reference", "ratio", "bar (spread)", "")
    body = [
        (
            row.what,
            row.value,
            row.reference,
            "" if row.ratio is None else f"{row.ratio:.2f} ×",
            row.bar,
            "ok" if row.ok else "OVER",
        )
        for row in rows
    ]
    widths = [max(len(line[i]) for line in [head, *body]) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in [head, *body]
    )
