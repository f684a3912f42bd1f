"""Searching the text of a run's samples."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rollscope.errors import UsageError
from rollscope.fields import TEXT_FIELDS
from rollscope.query import answers
from rollscope.query.lists.lists import Lists
from rollscope.query.lists.sample_selection import SampleSelection
from rollscope.query.samples.reader import ATTEMPTS
from rollscope.query.samples.select import page_slice
from rollscope.query.samples.unchanged import kept_changing
from rollscope.query.tabular import Hits

if TYPE_CHECKING:
    from rollscope.query.search.scan import Pattern


class RunSearch(Lists):
    """The part of a run that finds text."""

    def search(
        self,
        pattern: str,
        *,
        regex: bool = False,
        ignore_case: bool = False,
        fields: Sequence[str] | None = None,
        where: str | None = None,
        split: str | None = None,
        step: int | None = None,
        steps: str | None = None,
        discarded: bool | None = None,
        limit: int | None = None,
        cancel: threading.Event | None = None,
        known: Sequence[str] = (),
    ) -> Hits:
        """Every sample whose text matches, in order, as it is found: the first match in each of its texts. `known`:
        numeric fields of other runs; a filter may name them, although this run has none of them."""
        from rollscope.query.search.scan import Pattern  # every run can search; few commands do

        page_slice(0, limit)
        if not pattern:
            raise UsageError("nothing to search for", hint="give a text or a regular expression")
        # A worker takes bools and nothing like them; a refused task would be done here instead, slowly and unnoticed.
        wanted = Pattern(pattern, bool(regex), bool(ignore_case))
        asked = SampleSelection(
            split=split, step=step, steps=steps, where=where, discarded=discarded, known=tuple(known)
        )
        return Hits(self._hits(wanted, _texts_named(fields or ()), asked, limit, cancel))

    def _hits(
        self,
        pattern: Pattern,
        fields: list[str],
        asked: SampleSelection,
        limit: int | None,
        cancel: threading.Event | None,
    ) -> Iterator[answers.Hit]:
        # Files that were met changed: they are read again, and only they are looked through again.
        again: set[str] = set()
        given: set[tuple[str, str]] = set()
        for _ in range(ATTEMPTS):
            snapshot, table, rows = self._select(asked, wait=True)
            search = self._text_search(snapshot, table)
            found = search.in_files(rows, again) if again else rows
            for hit in search.answers(self.name, found, pattern, fields, cancel):
                if (hit.address, hit.field) not in given:
                    given.add((hit.address, hit.field))
                    yield hit
                    if len(given) == limit:
                        return
            again = search.changed
            if not again or (cancel is not None and cancel.is_set()):
                search.check_long_lines()
                return
            self._read_again(again)
        raise kept_changing(again)


def _texts_named(fields: Sequence[str]) -> list[str]:
    """The texts to look into; none is all of them."""
    if unknown := [name for name in fields if name not in TEXT_FIELDS]:
        raise UsageError(f"there is no text {unknown[0]!r} to search", hint=f"texts are {', '.join(TEXT_FIELDS)}")
    return [] if "text" in fields else list(fields)
