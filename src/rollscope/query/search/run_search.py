"""Searching the text of a run's samples."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import islice

from rollscope import model
from rollscope.errors import UsageError
from rollscope.query import answers
from rollscope.query.lists.lists import Lists
from rollscope.query.samples.select import page_slice
from rollscope.query.search.scan import Pattern
from rollscope.query.search.text_search import TextSearch
from rollscope.query.tabular import Hits


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
        discarded: bool | None = None,
        limit: int | None = None,
        cancel: threading.Event | None = None,
    ) -> Hits:
        """Every sample whose text matches, in order, as it is found: the first match in each of its texts."""
        page_slice(0, limit)
        if not pattern:
            raise UsageError("nothing to search for", hint="give a text or a regular expression")
        wanted = Pattern(pattern, regex, ignore_case)
        return Hits(self._found(wanted, list(fields or ()), (split, step, where, None, discarded), limit, cancel))

    def _found(
        self,
        pattern: Pattern,
        fields: list[str],
        selection: tuple[str | None, int | None, str | None, None, bool | None],
        limit: int | None,
        cancel: threading.Event | None,
    ) -> Iterator[answers.Hit]:
        snapshot, table, rows = self._select(*selection, wait=True)
        search = TextSearch(snapshot, table, self._format, self.store.fresh(), self._index.engine)
        # One chunk instead of one a file: finding a row among 10,000 chunks takes longer than finding the match.
        places = table.select(["split", "step", "index"]).combine_chunks()
        for row, hit in islice(search.hits(rows, pattern, fields, cancel), limit):
            yield answers.Hit(
                run=self.name,
                address=model.address(
                    places["split"][row].as_py(), places["step"][row].as_py(), places["index"][row].as_py()
                ),
                field=hit.field,
                start=hit.start,
                end=hit.end,
                snippet=hit.snippet,
                snippet_start=hit.snippet_start,
                snippet_end=hit.snippet_end,
            )
