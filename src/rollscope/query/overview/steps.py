"""The steps of a split: how many samples, their rewards, their bytes, and whether all of them is read."""

from __future__ import annotations

from collections import Counter

import numpy as np

from rollscope.index.manifest.file_facts import UNKNOWN_BYTES, added
from rollscope.index.snapshot import Snapshot
from rollscope.model import is_repair
from rollscope.query import answers

NOTHING = answers.Summary(count=0, mean=None, std=None, min=None, max=None)


def step_rows(snapshot: Snapshot, split: str, offset: int = 0, limit: int | None = None) -> list[answers.StepRow]:
    """All steps of a split in order, or some that follow each other: only these are made."""
    places = snapshot.places_of(split)
    wanted = slice(offset, None if limit is None else offset + limit)
    if not snapshot.promised:
        return _read_steps(snapshot, split, places[wanted])
    rows = _read_steps(snapshot, split, places)
    counted = {row.step for row in rows}
    rows += [_unread_step(step) for step in snapshot.known_steps.get(split, []) if step not in counted]
    rows.sort(key=lambda row: row.step)
    return rows[wanted]


def _read_steps(snapshot: Snapshot, split: str, places: range) -> list[answers.StepRow]:
    rewards = _summaries(snapshot, "reward", places)
    counted = list(snapshot.counts_of(places))
    steps = [step for counts in counted for step in counts.numbers]
    sizes, skipped, repaired, filling = _file_facts(snapshot, split, steps)
    rows: list[answers.StepRow] = []
    place = places.start
    for counts in counted:
        numbers = counts.numbers
        # A column at a time and by position: a third of what a call by name for each step takes.
        rows += map(
            answers.StepRow,
            numbers,
            counts.samples,
            counts.groups,
            counts.discarded,
            [rewards.get(at, NOTHING) for at in range(place, place + len(numbers))],
            [sizes.get(step) for step in numbers],
            [skipped.get(step, 0) for step in numbers],
            counts.reasons,
            counts.pass_at,
            [step not in filling for step in numbers],
            [repaired.get(step, 0) for step in numbers],
        )
        place += len(numbers)
    return rows


def _unread_step(step: int) -> answers.StepRow:
    """A step whose file is there and not read yet."""
    return answers.StepRow(
        step=step,
        samples=0,
        groups=0,
        discarded=0,
        reward=NOTHING,
        bytes=None,
        skipped_lines=0,
        discard_reasons={},
        pass_at={},
        complete=False,
    )


def _summaries(snapshot: Snapshot, field: str, places: range) -> dict[int, answers.Summary]:
    """By position among all steps."""
    columns = snapshot.fields.get(field)
    if columns is None:
        return {}
    first, last = np.searchsorted(columns.step, (places.start, places.stop)).tolist()
    numbers = (columns.count, columns.mean, columns.std, columns.low, columns.high)
    summaries = map(answers.Summary, *(column[first:last].tolist() for column in numbers))
    return dict(zip(columns.step[first:last].tolist(), summaries))


def _file_facts(
    snapshot: Snapshot, split: str, steps: list[int]
) -> tuple[dict[int, int], Counter[int], Counter[int], set[int]]:
    """By step of a split, at least for these, which are in order: bytes of the lines that became samples, where somebody
    knows; skipped and repaired lines; and the steps whose files are not read to the end. Which step a line of a file with
    several would have been of nobody knows: it is counted to none."""
    sizes: dict[int, int] = {}
    skipped: Counter[int] = Counter()
    repaired: Counter[int] = Counter()
    filling: set[int] = set()
    for _, part in snapshot.manifest.near({split: steps}):
        for step, size in part.facts.bytes_of_steps(split):
            sizes[step] = added(sizes.get(step, 0), size)
        filling.update(step for name, step in part.facts.filling if name == split)
    for entry in snapshot.manifest.troubled_files:
        source = entry.source
        keys = {key for piece in entry.pieces for key in piece.keys}
        if source.split is not None and source.step is not None:
            keys = {(source.split, source.step)}
        # A piece whose steps are too many to be named has none.
        if len(keys) != 1 or any(piece.rows and not piece.keys for piece in entry.pieces):
            continue
        ((name, step),) = keys
        for piece in entry.pieces if name == split else ():
            mended = sum(is_repair(reason) for _, reason in piece.skipped)
            repaired[step] += mended
            skipped[step] += len(piece.skipped) - mended
    if snapshot.manifest.rows_anywhere:
        sizes = {}
    sizes = {step: size for step, size in sizes.items() if size != UNKNOWN_BYTES}
    return sizes, skipped, repaired, filling
