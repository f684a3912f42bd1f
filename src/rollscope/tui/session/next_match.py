"""Find goes on: the next sample of the run, in the order one looks at it, whose text matches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from rollscope.model import parse_address
from rollscope.query.answers import Hit
from rollscope.query.run import Run
from rollscope.tui.session.listing import read_page
from rollscope.tui.session.sample_order import PAGE_ROWS
from rollscope.tui.session.view import View
from rollscope.tui.text.matches import Wanted

#: Steps searched with one question: few at first, so that a near match comes at once, then more, because every
#: question has its price. Progress is told after each.
FIRST_BATCH, LARGEST_BATCH = 1, 64


class Search:
    """One search through the samples that follow."""

    def __init__(self, run: Run, wanted: Wanted, cancel: threading.Event, report: Callable[[str], None]) -> None:
        self.run = run
        self.wanted = wanted
        self.cancel = cancel
        self.report = report

    def next_sample(self, view: View, steps: list[int], address: str, position: int) -> str | None:
        """The first sample behind `position` that matches; after the run's end it goes on from its beginning. None when
        no other sample does."""
        if view.step not in steps:
            return None
        here = steps.index(view.step)
        found = self._in_step(view, position + 1, None)
        found = found or self._in_steps(view, steps[here + 1 :])
        found = found or self._in_steps(view, steps[:here])
        found = found or self._in_step(view, 0, position)
        return None if found == address else found

    def _in_step(self, view: View, start: int, end: int | None) -> str | None:
        """The first match of the view's step at the positions from `start` to before `end`."""
        if view.step is None:
            return None
        self.report(f"step {view.step}")
        matching = {hit.address for hit in self._hits(view, view.step, view.step)}
        return (
            next((found for found in self._addresses(view, start, end) if found in matching), None)
            if matching
            else None
        )

    def _in_steps(self, view: View, steps: list[int]) -> str | None:
        batch, start = FIRST_BATCH, 0
        while start < len(steps) and not self.cancel.is_set():
            chunk = steps[start : start + batch]
            self.report(f"step {chunk[0]}, {len(steps) - start:,} to go")
            step = _first_step(self._hits(view, chunk[0], chunk[-1]))
            if step is not None:
                return self._in_step(replace(view, step=step), 0, None)
            start += len(chunk)
            batch = min(batch * 2, LARGEST_BATCH)
        return None

    def _hits(self, view: View, first: int, last: int) -> Iterator[Hit]:
        return self.run.search(
            self.wanted.pattern,
            regex=self.wanted.regex,
            ignore_case=self.wanted.ignore_case,
            where=view.with_steps(first, last),
            split=view.split,
            discarded=view.discarded,
            cancel=self.cancel,
        )

    def _addresses(self, view: View, start: int, end: int | None) -> Iterator[str]:
        """The addresses of the view in its order."""
        position = start
        while not self.cancel.is_set():
            page = read_page(self.run, view, position // PAGE_ROWS * PAGE_ROWS)
            for row in page.rows[position % PAGE_ROWS :]:
                if end is not None and position >= end:
                    return
                yield row.address
                position += 1
            if position >= page.total or not page.rows:
                return


def _first_step(hits: Iterable[Hit]) -> int | None:
    hit = next(iter(hits), None)
    return None if hit is None else parse_address(hit.address)[1]
