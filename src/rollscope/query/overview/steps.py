"""The steps of a split: how many samples, their rewards, their bytes, and whether all of them is read."""

from __future__ import annotations

from collections import Counter

from rollscope.index.snapshot import Snapshot
from rollscope.model import is_repair
from rollscope.query import answers

#: (split, step)
Key = tuple[str, int]
NOTHING = answers.Summary(count=0, mean=None, std=None, min=None, max=None)


def step_rows(snapshot: Snapshot, split: str) -> list[answers.StepRow]:
    steps = snapshot.steps
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

    The bytes of a piece that holds several steps are divided equally among them: nothing better is known."""
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
