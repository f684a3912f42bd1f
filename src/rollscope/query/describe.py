"""What a run consists of: its splits and steps, files, config, ranges, and what went wrong while reading it."""

from __future__ import annotations

import difflib
import os
import time
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.errors import NotFoundError, UnreadableError
from rollscope.formats.base import Format
from rollscope.formats.lines.lenient import Unreadable, printable, read_record
from rollscope.formats.registry import Detection
from rollscope.index.snapshot import Snapshot
from rollscope.model import address, is_repair
from rollscope.query import answers
from rollscope.query.samples import ranges
from rollscope.storage.store import Store

if TYPE_CHECKING:
    from rollscope.query.run import Run

#: A run is still being written while its newest file is younger than a few times what its steps take, within these.
LIVE_SECONDS = (30.0, 6 * 3600.0)
#: As long as nobody knows how long its steps take.
LIVE_AT_FIRST = 120.0
STEPS_TO_MISS = 3
#: Files whose times tell how long a step takes, and files that are looked at before any was read.
LAST_STEPS = 12
UNREAD_FILES = 64
MAX_FILES = 2_000
MAX_SKIPPED = 2_000
#: (split, step)
Key = tuple[str, int]
NOTHING = answers.Summary(count=0, mean=None, std=None, min=None, max=None)


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
        progress=progress,
        guessed=run.guessed(snapshot),
    )


def written_times(run: Run, snapshot: Snapshot) -> list[float]:
    """When its files were written, in order; of a run that nobody has read yet, those of its last files."""
    seen = [entry.seen.mtime_ns for entry in snapshot.manifest.files if entry.seen]
    if not seen:
        stats = (run.store.stat(entry.source.path) for entry in snapshot.manifest.files[-UNREAD_FILES:])
        seen = [stat.mtime_ns for stat in stats if stat is not None]
    return sorted(time_ns / 1e9 for time_ns in seen)


def was_written_lately(written: list[float]) -> bool:
    """Whether the next step is not long overdue."""
    if not written:
        return False
    gaps = sorted(later - before for before, later in pairwise(written[-LAST_STEPS:]) if later - before > 1)
    patience = (
        min(max(STEPS_TO_MISS * gaps[len(gaps) // 2], LIVE_SECONDS[0]), LIVE_SECONDS[1]) if gaps else LIVE_AT_FIRST
    )
    return time.time() - written[-1] < patience


def split_infos(snapshot: Snapshot) -> list[answers.SplitInfo]:
    """By split, with the steps that files promise and nobody has read yet."""
    infos = []
    for split, steps in snapshot.known_steps.items():
        read = [snapshot.step_stats[split, step] for step in steps if (split, step) in snapshot.step_stats]
        infos.append(
            answers.SplitInfo(
                split=split,
                steps=len(steps),
                first_step=steps[0] if steps else None,
                last_step=steps[-1] if steps else None,
                samples=sum(item.samples for item in read),
                discarded=sum(item.discarded for item in read),
            )
        )
    return infos


def warnings(snapshot: Snapshot) -> list[str]:
    found = []
    reasons = [reason for _, reason in _reasons(snapshot)]
    repaired = sum(map(is_repair, reasons))
    skipped = len(reasons) - repaired
    broken = [entry.source.path for entry in snapshot.manifest.files if entry.error]
    if skipped:
        found.append(f"{skipped} line{'s' if skipped > 1 else ''} skipped: `rollscope doctor` lists them")
    if repaired:
        found.append(f"{repaired} line{'s' if repaired > 1 else ''} repaired: `rollscope doctor` lists them")
    if broken:
        found.append(f"{len(broken)} file{'s' if len(broken) > 1 else ''} could not be read, {broken[0]} first")
    return found


def _reasons(snapshot: Snapshot) -> Iterable[tuple[int, str]]:
    return (item for entry in snapshot.manifest.files for piece in entry.pieces for item in piece.skipped)


def step_rows(snapshot: Snapshot, split: str) -> list[answers.StepRow]:
    steps = snapshot.statistics.steps
    rewards = _summaries(snapshot, "reward")
    sizes, skipped, repaired, filling = _file_facts(snapshot)
    rows = []
    for position, item in enumerate(steps):
        if item.split != split:
            continue
        key = (split, item.step)
        rows.append(
            answers.StepRow(
                step=item.step,
                samples=item.samples,
                groups=item.groups,
                discarded=item.discarded,
                reward=rewards.get(position) or NOTHING,
                bytes=sizes.get(key, 0),
                skipped_lines=skipped.get(key, 0),
                discard_reasons=item.reasons,
                pass_at=item.pass_at,
                complete=key not in filling,
                repaired_lines=repaired.get(key, 0),
            )
        )
    counted = {row.step for row in rows}
    rows += [_unread_step(step) for step in snapshot.known_steps.get(split, []) if step not in counted]
    return sorted(rows, key=lambda row: row.step)


def _unread_step(step: int) -> answers.StepRow:
    """A step whose file is there and not read yet."""
    return answers.StepRow(
        step=step,
        samples=0,
        groups=0,
        discarded=0,
        reward=NOTHING,
        bytes=0,
        skipped_lines=0,
        discard_reasons={},
        pass_at={},
        complete=False,
    )


def _summaries(snapshot: Snapshot, field: str) -> dict[int, answers.Summary]:
    columns = snapshot.fields.get(field)
    if columns is None:
        return {}
    rows = zip(columns.step.tolist(), columns.count.tolist(), columns.mean.tolist(), columns.std.tolist(),
               columns.low.tolist(), columns.high.tolist())  # fmt: skip
    return {at: answers.Summary(count=n, mean=mean, std=std, min=low, max=high) for at, n, mean, std, low, high in rows}


def _file_facts(
    snapshot: Snapshot,
) -> tuple[dict[Key, int], Counter[Key], Counter[Key], set[Key]]:
    """By step: bytes of the lines that became samples, skipped and repaired lines, and the steps whose files are not read
    to the end.

    A piece shared by several steps counts for each in proportion to nothing better than equal parts."""
    sizes: dict[Key, int] = {}
    skipped: Counter[Key] = Counter()
    repaired: Counter[Key] = Counter()
    filling: set[Key] = set()
    for entry in snapshot.manifest.files:
        unread = not entry.complete or entry.end < entry.size
        for piece in entry.pieces:
            for key in piece.keys:
                sizes[key] = sizes.get(key, 0) + (piece.end - piece.start) // len(piece.keys)
                if unread:
                    filling.add(key)
            if piece.skipped and piece.keys:
                mended = sum(is_repair(reason) for _, reason in piece.skipped)
                repaired[piece.keys[0]] += mended
                skipped[piece.keys[0]] += len(piece.skipped) - mended
    return sizes, skipped, repaired, filling


def run_details(run: Run, format_: Format, snapshot: Snapshot, progress: answers.Progress) -> answers.RunDetails:
    store = run.store.fresh()
    files = list_files(format_, store, snapshot)
    skipped = snapshot.skipped()
    return answers.RunDetails(
        info=run_info(run, snapshot, progress),
        config=format_.config(store),
        ranges=ranges.with_observed(format_.ranges(store), snapshot),
        checkpoints=format_.checkpoints(store),
        files=files[:MAX_FILES],
        files_total=len(files),
        skipped=skipped[:MAX_SKIPPED],
        skipped_total=len(skipped),
        code_diff=format_.code_diff(store),
        reports=format_.reports(store),
        limits=list(format_.limits),
        fields=list(snapshot.fields),
        envs=sorted({env for item in snapshot.statistics.steps for env in item.envs}),
    )


def list_files(format_: Format, store: Store, snapshot: Snapshot) -> list[answers.FileInfo]:
    known = {entry.source.path: entry.source for entry in snapshot.manifest.files}
    metrics = set(format_.metric_files(store))
    reports = set(format_.reports(store))
    found = []
    for path in store.walk():
        stat = store.stat(path)
        source = known.get(path)
        found.append(
            answers.FileInfo(
                path=path,
                bytes=stat.size if stat else 0,
                modified=stat.mtime_ns / 1e9 if stat else 0.0,
                role=_role(path, source is not None, path in metrics, path in reports),
                split=source.split if source else None,
                step=source.step if source else None,
            )
        )
    return found


def _role(path: str, is_source: bool, is_metrics: bool, is_report: bool) -> str:
    name = os.path.basename(path)
    if is_source:
        return "rollouts"
    if is_metrics:
        return "metrics"
    if is_report or name.endswith(".html"):
        return "report"
    if name.startswith("config."):
        return "config"
    if name.startswith("checkpoints"):
        return "checkpoints"
    return "diff" if name.endswith(".diff") else "other"


def doctor(run: Run, format_: Format, snapshot: Snapshot, detection: Detection) -> answers.DoctorReport:
    store = run.store.fresh()
    unclaimed = [
        item.path
        for item in list_files(format_, store, snapshot)
        if item.role == "other" and not format_.claims(store, item.path)
    ]
    skipped = snapshot.skipped()
    return answers.DoctorReport(
        run=run.name,
        path=run.path,
        format=run.format,
        confidence=detection.claim.confidence,
        reasons=list(detection.claim.reasons),
        others=[f"{name} ({claim.confidence:g}): {'; '.join(claim.reasons)}" for name, claim in detection.others],
        splits=split_infos(snapshot),
        limits=list(format_.limits),
        skipped=skipped,
        skipped_total=len(skipped),
        unclaimed=unclaimed[:MAX_FILES],
        unclaimed_total=len(unclaimed),
        warnings=[*run.warnings(), *(text.partition(":")[0] for text in warnings(snapshot)), *detection.broken],
    )


def neighbours(
    snapshot: Snapshot, table: pa.Table, rows: NDArray[np.int64], split: str, step: int, number: int
) -> answers.Neighbours:
    at = np.flatnonzero(rows == number)
    position = int(at[0]) if len(at) else None
    groups = table["group"].to_pylist()
    steps = snapshot.known_steps.get(split, [])
    place = steps.index(step) if step in steps else None

    def name(row: int | None) -> str | None:
        return address(split, step, int(rows[row])) if row is not None and 0 <= row < len(rows) else None

    def other_group(direction: int) -> str | None:
        """The first sample of the group before or after; going back means the start of that group."""
        if position is None:
            return None
        here = groups[number]
        row = position
        while 0 <= row < len(rows) and groups[int(rows[row])] == here:
            row += direction
        if not 0 <= row < len(rows):
            return None
        if direction < 0:
            target = groups[int(rows[row])]
            while row > 0 and groups[int(rows[row - 1])] == target:
                row -= 1
        return name(row)

    def other_step(direction: int) -> str | None:
        if place is None or not 0 <= place + direction < len(steps):
            return None
        return address(split, steps[place + direction], 0)

    return answers.Neighbours(
        previous=name(position - 1) if position else None,
        next=name(position + 1) if position is not None else None,
        previous_group=other_group(-1),
        next_group=other_group(1),
        previous_step=other_step(-1),
        next_step=other_step(1),
        position=position,
        total=len(rows),
    )


def report(run: Run, format_: Format, path: str) -> Any:
    store = run.store.fresh()
    if path not in format_.reports(store):
        raise NotFoundError(f"{run.name} has no report {path!r}", hint="the Run page lists its reports")
    try:
        return printable(read_record(store.read(path)))
    except OSError as error:
        raise UnreadableError(
            f"{path} could not be read: {error.strerror}", hint="it may still be being written"
        ) from None
    except Unreadable as error:
        raise UnreadableError(f"{path}: {error}", hint="it may still be being written") from None


def nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.3)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"there are {len(names)} of them, for example {', '.join(names[:5])}" if names else "there are none"
