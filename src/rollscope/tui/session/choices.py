"""The lists behind the dropdowns, made from what the run says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rollscope.query.answers import StepRow
from rollscope.tui.palette import height, number, share_of
from rollscope.tui.session.view import DISCARDED, DISCARDED_NAMES, View, sort_name
from rollscope.tui.text.document import one_line
from rollscope.tui.widgets.dropdown import Choice, Choices

#: Always there; the step's numeric fields follow.
_SORTS = ("index", "reward", "response_length")


#: Chosen from the list of steps: all of them in one list.
ALL_STEPS = "all steps"


class NamedRun(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def format(self) -> str: ...


def run_choices(runs: Sequence[NamedRun]) -> Choices:
    return Choices([Choice(run.id, [(one_line(run.name), "text"), (f"  {run.format}", "note")]) for run in runs])


def text_choices(values: Sequence[str]) -> Choices:
    return Choices([Choice(value, [(one_line(value), "text")]) for value in values])


def dataset_choices(values: Sequence[str], *, all_together: bool) -> Choices:
    """The datasets by name; in training data, also all of them (the empty name)."""
    choices = [Choice(value, [(one_line(value), "text")]) for value in values]
    return Choices([Choice("", [("all", "text")]), *choices] if all_together else choices)


def step_choices(steps: Sequence[StepRow]) -> Choices:
    means = [row.reward.mean for row in steps if row.reward.mean is not None]
    low, high = (min(means), max(means)) if means else (None, None)
    every = [Choice(ALL_STEPS, [("all steps", "text")])] if len(steps) > 1 else []
    return Choices([*every, *(Choice(row.step, _step_pieces(row, low, high)) for row in steps)])


def sort_choices(fields: Sequence[str]) -> Choices:
    """Every way to sort, up and down."""
    names = [*_SORTS, *(name for name in fields if name not in _SORTS)]
    return Choices(
        [
            Choice(sort, [(one_line(sort_name(sort)), "text"), (f"  {direction}", "note")])
            for name in names
            for sort, direction in ((name, "ascending"), (f"-{name}", "descending"))
        ]
    )


def discarded_choices() -> Choices:
    """Kept, discarded, all; the value is the name, because None means that nothing was chosen."""
    return Choices([Choice(DISCARDED_NAMES[which], [(DISCARDED_NAMES[which], "text")]) for which in DISCARDED])


def shown_view(view: View) -> str:
    return DISCARDED_NAMES[view.discarded]


def _step_pieces(row: StepRow, low: float | None, high: float | None) -> list[tuple[str, str]]:
    pieces = [
        (f"{row.step:<8}", "text"),
        (f"{height(share_of(row.reward.mean, low, high)):1} {number(row.reward.mean):>8}", "strong"),
        (f"  {row.samples:,} samples{'' if row.bytes is None else '  ' + size(row.bytes)}", "note"),
    ]
    if row.discarded:
        pieces.append((f"  {row.discarded:,} discarded", "note"))
    if not row.complete:
        pieces.append(("  filling", "warning"))
    return pieces


def size(count: float) -> str:
    """Bytes as people read them."""
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.0f} GB"
