"""The steps of a split: how many samples, their rewards, their bytes, and whether all of them is read."""

from __future__ import annotations

from collections import Counter

from rollscope.index.manifest.file_facts import UNKNOWN_BYTES, added
from rollscope.index.snapshot import Snapshot
from rollscope.model import is_repair
from rollscope.query import answers

NOTHING = answers.Summary(count=0, mean=None, std=None, min=None, max=None)


def step_rows(snapshot: Snapshot, split: str) -> list[answers.StepRow]:
    steps = snapshot.steps
    rewards = _summaries(snapshot, "reward")
    sizes, skipped, repaired, filling = _file_facts(snapshot, split)
    rows = []
    for position, item in enumerate(steps):
        if item.split != split:
            continue
        step = item.step
        rows.append(
            answers.StepRow(
                step=step,
                samples=item.samples,
                groups=item.groups,
                discarded=item.discarded,
                reward=rewards.get(position) or NOTHING,
                bytes=sizes.get(step),
                skipped_lines=skipped.get(step, 0),
                discard_reasons=item.reasons,
                pass_at=item.pass_at,
                complete=step not in filling,
                repaired_lines=repaired.get(step, 0),
            )
        )
    if snapshot.promised:
        counted = {row.step for row in rows}
        rows += [_unread_step(step) for step in snapshot.known_steps.get(split, []) if step not in counted]
        rows.sort(key=lambda row: row.step)
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


def _summaries(snapshot: Snapshot, field: str) -> dict[int, answers.Summary]:
    columns = snapshot.fields.get(field)
    if columns is None:
        return {}
    rows = zip(columns.step.tolist(), columns.count.tolist(), columns.mean.tolist(), columns.std.tolist(),
               columns.low.tolist(), columns.high.tolist())  # fmt: skip
    return {at: answers.Summary(count=n, mean=mean, std=std, min=low, max=high) for at, n, mean, std, low, high in rows}


def _file_facts(snapshot: Snapshot, split: str) -> tuple[dict[int, int], Counter[int], Counter[int], set[int]]:
    """By step of a split: bytes of the lines that became samples, where somebody knows; skipped and repaired lines; and
    the steps whose files are not read to the end. Which step a line of a file with several would have been of nobody
    knows: it is counted to none."""
    sizes: dict[int, int] = {}
    skipped: Counter[int] = Counter()
    repaired: Counter[int] = Counter()
    filling: set[int] = set()
    for part in snapshot.manifest.file_parts:
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
