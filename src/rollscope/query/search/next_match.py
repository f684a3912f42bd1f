"""The next sample whose text matches, in the order in which a person lists the samples: how "find" goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from rollscope.model import parse_address
from rollscope.query.answers import Hit
from rollscope.query.search.scan import Pattern

if TYPE_CHECKING:
    from rollscope.query.run import Run

#: Steps searched with one question: few at first, so that a near match comes at once, then more, because every
#: question has its price. Progress is reported after each.
FIRST_BATCH, LARGEST_BATCH = 1, 64
#: Addresses read at once from the list of a step that has a match.
PAGE_ROWS = 256


class SampleList(msgspec.Struct, frozen=True):
    """The samples of one step, or of all steps in one list, as a person lists them."""

    split: str
    step: int | None
    where: str | None = None
    sort: str = "index"
    discarded: bool | None = False

    def where_steps(self, first: int, last: int) -> str:
        """The filter for a range of steps instead of this one."""
        steps = f"step >= {first} and step <= {last}"
        return f"({self.where}) and {steps}" if self.where else steps


class NextMatch:
    """One search through the samples that follow."""

    def __init__(self, run: Run, pattern: Pattern, cancel: threading.Event, report: Callable[[str], None]) -> None:
        self.run = run
        self.pattern = pattern
        self.cancel = cancel
        self.report = report

    def find(self, listed: SampleList, steps: list[int], address: str, position: int) -> str | None:
        """The first sample behind `position` that matches; after the last of `steps` it goes on from the first. None
        when no sample but the one at `address` does."""
        if listed.step is None:
            found = self._in_list(listed, position + 1, None, steps) or self._in_list(listed, 0, position, steps)
            return None if found == address else found
        if listed.step not in steps:
            return None
        here = steps.index(listed.step)
        found = self._in_step(listed, position + 1, None)
        found = found or self._in_steps(listed, steps[here + 1 :])
        found = found or self._in_steps(listed, steps[:here])
        found = found or self._in_step(listed, 0, position)
        return None if found == address else found

    def _in_step(self, listed: SampleList, start: int, end: int | None) -> str | None:
        """The first match of the step at the positions from `start` to before `end`."""
        assert listed.step is not None
        self.report(f"step {listed.step}")
        return self._in_list(listed, start, end, [listed.step])

    def _in_list(self, listed: SampleList, start: int, end: int | None, steps: list[int]) -> str | None:
        """The next match within a list of these steps."""
        if listed.step is None:
            self.report("all steps")
        matching = {hit.address for hit in self._hits(listed, steps[0], steps[-1])} if steps else set()
        if not matching:
            return None
        return next((found for found in self._addresses(listed, start, end) if found in matching), None)

    def _in_steps(self, listed: SampleList, steps: list[int]) -> str | None:
        batch, start = FIRST_BATCH, 0
        while start < len(steps) and not self.cancel.is_set():
            chunk = steps[start : start + batch]
            self.report(f"step {chunk[0]}, {len(steps) - start:,} to go")
            step = _first_step(self._hits(listed, chunk[0], chunk[-1]))
            if step is not None:
                return self._in_step(msgspec.structs.replace(listed, step=step), 0, None)
            start += len(chunk)
            batch = min(batch * 2, LARGEST_BATCH)
        return None

    def _hits(self, listed: SampleList, first: int, last: int) -> Iterator[Hit]:
        return self.run.search(
            self.pattern.text,
            regex=self.pattern.regex,
            ignore_case=self.pattern.ignore_case,
            where=listed.where_steps(first, last),
            split=listed.split,
            discarded=listed.discarded,
            cancel=self.cancel,
        )

    def _addresses(self, listed: SampleList, start: int, end: int | None) -> Iterator[str]:
        """The addresses of the list, in its order."""
        position = start
        while not self.cancel.is_set():
            page = self.run.samples(
                split=listed.split,
                step=listed.step,
                steps=":" if listed.step is None else None,
                where=listed.where,
                sort=listed.sort,
                discarded=listed.discarded,
                offset=position,
                limit=PAGE_ROWS,
                wait=False,
            )
            for row in page.rows:
                if end is not None and position >= end:
                    return
                yield row.address
                position += 1
            if position >= page.total or not page.rows:
                return


def _first_step(hits: Iterable[Hit]) -> int | None:
    hit = next(iter(hits), None)
    return None if hit is None else parse_address(hit.address)[1]
