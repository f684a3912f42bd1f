"""Moves through a run: which step, which sample, in which order; reads in the background and tells the screen.

Everything that may touch the disk runs in a thread of its own. What a person sees changes only when an answer has arrived, so a
filter that fails or a step that is still being read never leaves a half-changed screen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, Protocol

from textual.message_pump import MessagePump

from rollscope.model import Sample
from rollscope.query.answers import Progress, RunDetails, SamplePage
from rollscope.query.library import Library
from rollscope.query.live.watch import ask_when_read
from rollscope.query.run import Run
from rollscope.tui.session.background_jobs import JobThread
from rollscope.tui.session.listing import Goal, ViewListing, read_listing, read_page
from rollscope.tui.session.sample_order import PAGE_ROWS, SampleOrder
from rollscope.tui.session.state import BrowserState, same_content
from rollscope.tui.session.view import DISCARDED_NAMES, View

#: Seconds between looks at the disk: while a run is being indexed, and when it may only grow.
BUSY_SECONDS, QUIET_SECONDS = 0.3, 1.0
#: New runs under the root are looked for with every tenth look.
LOOKS_PER_RESCAN = 10
#: A new run is waited for this long before it is shown as it is: empty, and filling.
FIRST_LOOK_SECONDS = 0.5


class BrowserListener(Protocol):
    """The screen, as the browser knows it."""

    def list_changed(self) -> None: ...

    def sample_opened(self, sample: Sample | None, *, again: bool) -> None:
        """A sample is to be shown; `again` when it is the one that was shown, with other content."""

    def problem(self, error: Exception) -> None: ...

    def notice(self, text: str) -> None: ...


class Browser:
    """The state of the viewer and the ways to change it."""

    def __init__(
        self, library: Library, listener: BrowserListener, pump: MessagePump, *, first_step: bool = False
    ) -> None:
        self.library = library
        #: Runs and splits open at their first step; else at their last, where training is.
        self._opens_at: Literal["first", "last"] = "first" if first_step else "last"
        self.listener = listener
        self.state = BrowserState()
        self._run: Run | None = None
        self._version = -1
        #: The sample one went to last; it may still be on its way.
        self._going_to: str | None = None
        self._looks = 0
        self._list = JobThread("list", pump)
        self._sample = JobThread("sample", pump)
        self._pages = JobThread("pages", pump)
        self._watch = JobThread("watch", pump)
        self._details = JobThread("details", pump)
        self.job_threads = [self._list, self._sample, self._pages, self._watch, self._details]

    @property
    def run(self) -> Run:
        assert self._run is not None, "no run is open yet"
        return self._run

    @property
    def up_to_date(self) -> bool:
        """Whether the screen shows all that the index has, and the index has all that the files held at the last look."""
        return self._run is not None and self._version == self._run.version and self.state.progress.done

    # Going somewhere

    def open_run(self, run: Run) -> None:
        self._run, self._version, self._going_to = run, -1, None
        follow = self.state.follow
        self.state = BrowserState(follow=follow)

        def start() -> ViewListing:
            run.refresh(wait=False)
            goal = Goal(step="last" if follow else self._opens_at)
            # A run never seen before has no steps for the moment it takes to list its files.
            return ask_when_read(
                run,
                FIRST_LOOK_SECONDS,
                lambda: read_listing(run, View(split=""), goal),
                lambda listing: bool(listing.steps),
            )

        self._list.submit(start, self._arrived, self.listener.problem)
        self._read_details()

    def go(
        self,
        view: View,
        goal: Goal,
        *,
        failed: Callable[[Exception], None] | None = None,
        then: Callable[[], None] | None = None,
    ) -> None:
        """Show another view. If that is not possible, `failed` is called with the reason, and the old view stays."""
        run = self.run

        def done(listing: ViewListing) -> None:
            self._arrived(listing)
            if then is not None:
                then()

        self._list.submit(lambda: read_listing(run, view, goal), done, failed or self.listener.problem)

    def choose_split(self, split: str) -> None:
        self.go(replace(self.state.view, split=split, step=None, dataset=None), Goal(step=self._opens_at))

    def choose_run(self, identity: str) -> None:
        self.open_run(self.library.run(identity))
        self.listener.list_changed()

    def choose_dataset(self, dataset: str) -> None:
        """An eval set is a split of its own; in training data a dataset is a filter, and empty means all."""
        view = self.state.view
        if view.split.startswith("eval/"):
            self.choose_split(f"eval/{dataset}")
        else:
            self.go(replace(view, dataset=dataset or None), Goal())

    def choose_sort(self, sort: str) -> None:
        self.go(replace(self.state.view, sort=sort), Goal())

    def choose_discarded(self, name: str) -> None:
        which = next(which for which, its_name in DISCARDED_NAMES.items() if its_name == name)
        self.go(replace(self.state.view, discarded=which), Goal())

    def choose_step(self, step: int) -> None:
        if step != self.state.view.step or self.state.view.all_steps:
            self.go(replace(self.state.view, step=step, all_steps=False), Goal())

    def choose_step_or_all(self, chosen: int | str) -> None:
        if isinstance(chosen, int):
            self.choose_step(chosen)
        else:
            self.set_all_steps(True)

    def set_all_steps(self, all_steps: bool) -> None:
        """List the samples of all steps, or of the step of the sample that is read; stay at that sample."""
        self.go(replace(self.state.view, all_steps=all_steps), Goal(address=self._going_to))

    def choose_position(self, position: int) -> None:
        """Open the sample at a position of the order."""
        state = self.state
        if not 0 <= position < state.order.total:
            return
        state.position = position
        row = state.order.row(position)
        if row is None:
            self.read_pages(then=lambda: self.choose_position(position))
            return
        # The next page is read before it is needed.
        state.order.row(min(position + 32, state.order.total - 1))
        self.read_pages()
        self._open(row.address)

    def go_to(self, address: str, split: str, step: int, then: Callable[[], None] | None = None) -> None:
        """Open a sample of any step, in the current order and filter."""
        self.go(replace(self.state.view, split=split, step=step), Goal(address=address), then=then)

    def next_sample(self, by: int) -> None:
        goal = self.state.position + by
        if 0 <= goal < self.state.order.total:
            self.choose_position(goal)
        elif self.state.order.total:
            where, key = ("last", "N: next step") if by > 0 else ("first", "P: previous step")
            of_what = "all steps" if self.state.view.all_steps else f"the step · {key}"
            self.listener.notice(f"this is the {where} sample of {of_what}")

    def next_step(self, by: int) -> None:
        if self.state.view.all_steps:
            self._go_to_other_step(by)
            return
        place = self.state.step_place()
        if place is None:
            return
        if 0 <= place + by < len(self.state.steps):
            self.choose_step(self.state.steps[place + by].step)
        else:
            self.listener.notice(f"this is the {'last' if by > 0 else 'first'} step")

    def _go_to_other_step(self, by: int) -> None:
        """In a list of all steps: the first sample, in its order, of the next or previous step."""
        self._go_to_neighbour("next_step" if by > 0 else "previous_step", by, "step")

    def next_group(self, by: int) -> None:
        self._go_to_neighbour("next_group" if by > 0 else "previous_group", by, "group of the list")

    def _go_to_neighbour(self, which: str, by: int, what: str) -> None:
        sample, view, run = self.state.sample, self.state.view, self.run
        if sample is None:
            return
        address = sample.address

        def look() -> str | None:
            around = run.neighbours(
                address, steps=view.steps, where=view.filter, sort=view.sort, discarded=view.discarded
            )
            found: str | None = getattr(around, which)
            return found

        def done(found: str | None) -> None:
            if found is None:
                self.listener.notice(f"this is the {'last' if by > 0 else 'first'} {what}")
            else:
                self.go(self.state.view, Goal(address=found))

        self._list.submit(look, done, self.listener.problem)

    def set_follow(self, follow: bool) -> None:
        self.state.follow = follow
        if follow:
            self.go(self.state.view, Goal(step="last"))

    def reload(self) -> None:
        """Look at the files again, and say what came of it."""
        before = self._version
        self._read_again(
            refresh=True,
            then=lambda: self.listener.notice(
                "nothing new on disk" if self._version == before else "read again from disk"
            ),
        )
        self._read_details()

    # What happens by itself

    def tick(self) -> None:
        """Look whether the run grew. Called by a timer; skipped while the last look is still on its way."""
        if self._run is None or not self._watch.idle:
            return
        run = self._run

        self._looks += 1
        look_for_runs = self._looks % LOOKS_PER_RESCAN == 0

        def look() -> tuple[int, Progress]:
            if look_for_runs:
                self.library.rescan()
            run.refresh(wait=False)
            return run.version, run.progress()

        self._watch.submit(look, self._looked, self.listener.problem)

    def read_pages(self, then: Callable[[], None] | None = None) -> None:
        """Read the pages of the order that were looked at and are missing."""
        order, view, run = self.state.order, self.state.view, self.run
        if then is None and not self._pages.idle:
            return  # asking again would only start over
        missing = order.take_missing_pages()
        if not missing:
            return

        def work() -> list[SamplePage]:
            return [read_page(run, view, number * PAGE_ROWS) for number in missing]

        def done(pages: list[SamplePage]) -> None:
            if order is self.state.order:
                for page in pages:
                    order.add(page)
                self.listener.list_changed()
                if then is not None:
                    then()

        self._pages.submit(work, done, self.listener.problem)

    def _looked(self, answer: tuple[int, Progress]) -> None:
        version, progress = answer
        was_done = self.state.progress.done
        self.state.progress = progress
        if version != self._version and self._list.idle:
            self._read_again()
        if progress.done and not was_done:
            self._read_details()
        self.listener.list_changed()

    def _read_again(self, *, refresh: bool = False, then: Callable[[], None] | None = None) -> None:
        """Show the same view as it is now, at the sample one is at (or, following, at the newest step)."""
        run, state, address = self.run, self.state, self._going_to
        newest = state.steps[-1].step if state.steps else None
        leaves = state.follow and state.view.step != newest
        goal = Goal(step="last" if state.follow else "same", address=None if leaves else address)

        def work() -> ViewListing:
            if refresh:
                run.refresh(wait=False)
            return read_listing(run, state.view, goal)

        def done(listing: ViewListing) -> None:
            if self._going_to != address:
                self._read_again(then=then)  # one went on meanwhile, and must not be called back
                return
            self._arrived(listing)
            if then is not None:
                then()

        self._list.submit(work, done, self.listener.problem)

    def _arrived(self, listing: ViewListing) -> None:
        state = self.state
        self._version = listing.version
        order = SampleOrder()
        for page in listing.pages:
            order.add(page)
        state.view, state.splits, state.steps = listing.view, listing.splits, listing.steps
        state.order, state.position, state.progress = order, listing.position, listing.progress
        state.fields = listing.fields
        state.datasets = listing.datasets
        state.loaded = True
        row_of_step = state.step_row()
        if row_of_step is not None:
            order.reward_range = (row_of_step.reward.min, row_of_step.reward.max)
        self.listener.list_changed()
        if order.total and order.row(state.position) is None:
            state.position = 0  # the list was cut short between two questions
        row = order.row(state.position) if order.total else None
        if row is not None:
            self._open(row.address)
        elif not order.total:
            state.sample = None
            self.listener.sample_opened(None, again=False)

    def _open(self, address: str) -> None:
        run = self.run
        self._going_to = address

        def done(sample: Sample) -> None:
            before = self.state.sample
            if before is not None and same_content(before, sample):
                return  # read again and the same: what one is reading does not move
            self.state.sample = sample
            if self.state.view.all_steps:
                self.state.view = replace(self.state.view, step=sample.step)
            self.listener.sample_opened(sample, again=before is not None and before.address == sample.address)

        self._sample.submit(lambda: run.sample(address), done, self.listener.problem)

    def _read_details(self) -> None:
        run = self.run

        def done(details: RunDetails) -> None:
            self.state.details = details
            self.listener.list_changed()

        self._details.submit(lambda: run.details(wait=False), done, self.listener.problem)
