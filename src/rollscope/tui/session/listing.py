"""Asks a run for everything the screen shows about a view. Runs in a background thread: every call may touch the disk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from rollscope.errors import NotFoundError
from rollscope.query.answers import Progress, SamplePage, StepRow
from rollscope.query.run import Run
from rollscope.tui.session.sample_order import PAGE_ROWS
from rollscope.tui.session.view import View


@dataclass(frozen=True, slots=True)
class Goal:
    """Where to be after the list was read again."""

    #: Stay at the view's step, or go to the first or last one.
    step: Literal["same", "first", "last"] = "same"
    #: The sample to stay at; None for the first of the list.
    address: str | None = None


@dataclass(slots=True)
class ViewListing:
    """What a run says about a view."""

    view: View
    splits: list[str]
    steps: list[StepRow]
    pages: list[SamplePage]
    position: int
    fields: list[str]
    progress: Progress
    version: int

    @property
    def datasets(self) -> list[str]:
        """The eval sets of a run, or the datasets that occur among the samples read."""
        if self.view.split.startswith("eval/"):
            return [split.removeprefix("eval/") for split in self.splits if split.startswith("eval/")]
        return sorted({row.dataset for page in self.pages for row in page.rows if row.dataset is not None})


def read_listing(run: Run, view: View, goal: Goal) -> ViewListing:
    """Ask the run for everything the screen shows about a view."""
    version = run.version
    # Until the first samples are read, only the files' names tell of steps; then training is the best guess.
    splits = [found.split for found in run.info(wait=False).splits] or ["train"]
    if view.split not in splits:
        view = replace(view, split=splits[0], step=None)
    steps = run.steps(view.split, wait=False).steps
    view = replace(view, step=_step(view, goal, steps))
    first = read_page(run, view, 0)
    pages, position = [first], 0
    if goal.address is not None and first.total:
        position = _position(run, view, goal.address, first)
        if position >= PAGE_ROWS:
            pages.append(read_page(run, view, position // PAGE_ROWS * PAGE_ROWS))
    fields = run.fields(view.split, view.step) if view.step is not None else []
    return ViewListing(view, splits, steps, pages, position, fields, first.progress, version)


def read_page(run: Run, view: View, offset: int) -> SamplePage:
    if view.step is None:
        return SamplePage(total=0, offset=offset, rows=[], progress=run.progress())
    return run.samples(
        split=view.split,
        step=None if view.all_steps else view.step,
        steps=view.steps,
        where=view.filter,
        sort=view.sort,
        discarded=view.discarded,
        offset=offset,
        limit=PAGE_ROWS,
        wait=False,
    )


def _step(view: View, goal: Goal, steps: list[StepRow]) -> int | None:
    if not steps:
        return None
    if goal.step == "last":
        return steps[-1].step
    wanted = view.step
    if goal.step == "first" or wanted is None:
        return steps[0].step
    # Where a step is gone because its file was deleted, the nearest one is shown.
    return min((row.step for row in steps), key=lambda step: abs(step - wanted))


def _position(run: Run, view: View, address: str, first: SamplePage) -> int:
    """Where a sample is in the view; 0 when it is not in it."""
    for position, row in enumerate(first.rows):
        if row.address == address:
            return position
    if first.total <= len(first.rows):
        return 0
    try:
        around = run.neighbours(address, steps=view.steps, where=view.filter, sort=view.sort, discarded=view.discarded)
    except NotFoundError:
        return 0
    return around.position or 0
