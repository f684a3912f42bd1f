"""What a run is called, whether it is still being written, its splits, and what is wrong with it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from rollscope.index.manifest.step_parts import SplitTotals
from rollscope.index.snapshot import Snapshot
from rollscope.model import is_repair
from rollscope.query import answers
from rollscope.query.overview.rewards import run_reward

if TYPE_CHECKING:
    from rollscope.query.run import Run

#: A run is live while its newest file is younger than `STEPS_TO_MISS` times what its steps usually take; that time is
#: never taken as shorter than the first of these seconds or longer than the second.
LIVE_SECONDS = (30.0, 6 * 3600.0)
#: The same where there are too few files to know how long a step takes.
LIVE_AT_FIRST = 120.0
STEPS_TO_MISS = 3
#: How many of the last files say how long a step takes, and how many are looked at in a run that was never indexed.
LAST_STEPS = 12
UNREAD_FILES = 64


def run_info(run: Run, snapshot: Snapshot, progress: answers.Progress) -> answers.RunInfo:
    written = written_times(run, snapshot)
    modified = written[-1] if written else None
    return answers.RunInfo(
        id=run.id,
        run=run.name,
        name=run.name,
        path=run.path,
        format=run.format,
        state="live" if was_written_lately(written) and not run.has_ended() else "finished",
        splits=split_infos(snapshot),
        warnings=[*run.warnings(), *warnings(snapshot)],
        modified=modified,
        started=written[0] if written else None,
        reward=run_reward(snapshot),
        progress=progress,
        guessed=run.guessed(snapshot),
        mapping=run.guessed_keys(snapshot),
    )


def written_times(run: Run, snapshot: Snapshot) -> list[float]:
    """When its files were written, in order; if the run has not been read yet, only its last files."""
    seen = snapshot.manifest.written_ns
    if not len(seen):
        stats = (run.store.stat(entry.source.path) for entry in snapshot.manifest.files[-UNREAD_FILES:])
        seen = np.array([stat.mtime_ns for stat in stats if stat is not None], dtype=np.int64)
    return (np.sort(seen) / 1e9).tolist()  # type: ignore[no-any-return]


def was_written_lately(written: list[float]) -> bool:
    """Whether the next step is not long overdue."""
    if not written:
        return False
    gaps = sorted(later - before for before, later in pairwise(written[-LAST_STEPS:]) if later - before > 1)
    allowed = (
        min(max(STEPS_TO_MISS * gaps[len(gaps) // 2], LIVE_SECONDS[0]), LIVE_SECONDS[1]) if gaps else LIVE_AT_FIRST
    )
    return time.time() - written[-1] < allowed


def split_infos(snapshot: Snapshot) -> list[answers.SplitInfo]:
    """By split. Steps count as soon as a file's name says that they exist, also before the file is read."""
    if not snapshot.promised:
        return [
            answers.SplitInfo(
                split=split,
                steps=totals.steps,
                first_step=totals.first,
                last_step=totals.last,
                samples=totals.samples,
                discarded=totals.discarded,
            )
            for split, totals in snapshot.split_totals.items()
        ]
    infos = []
    for split, steps in snapshot.known_steps.items():
        read = snapshot.split_totals.get(split) or SplitTotals()
        infos.append(
            answers.SplitInfo(
                split=split,
                steps=len(steps),
                first_step=steps[0] if steps else None,
                last_step=steps[-1] if steps else None,
                samples=read.samples,
                discarded=read.discarded,
            )
        )
    return infos


def warnings(snapshot: Snapshot) -> list[str]:
    found = []
    reasons = [reason for _, reason in _reasons(snapshot)]
    repaired = sum(map(is_repair, reasons))
    skipped = len(reasons) - repaired
    broken = [entry.source.path for entry in snapshot.manifest.troubled_files if entry.error]
    if skipped:
        found.append(f"{skipped} line{'s' if skipped > 1 else ''} skipped: `rollscope doctor` lists them")
    if repaired:
        found.append(f"{repaired} line{'s' if repaired > 1 else ''} repaired: `rollscope doctor` lists them")
    if broken:
        found.append(f"{len(broken)} file{'s' if len(broken) > 1 else ''} could not be read, {broken[0]} first")
    return found


def _reasons(snapshot: Snapshot) -> Iterable[tuple[int, str]]:
    return (item for entry in snapshot.manifest.troubled_files for piece in entry.pieces for item in piece.skipped)
