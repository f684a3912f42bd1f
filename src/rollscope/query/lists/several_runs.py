"""Samples of several runs as one list: filtered by what any of them has, and sorted together."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import pyarrow as pa

from rollscope.errors import NotFoundError
from rollscope.index.segments.rows import concat
from rollscope.query.answers import SampleRow
from rollscope.query.lists.sample_selection import SampleSelection
from rollscope.query.samples.select import select

if TYPE_CHECKING:
    from rollscope.query.run import Run
    from rollscope.query.tabular import SampleTable


def samples_of_runs(
    runs: Sequence[Run],
    *,
    split: str | None = None,
    step: int | None = None,
    steps: str | None = None,
    where: str | None = None,
    sort: str | None = None,
    discarded: bool | None = False,
    limit: int | None = None,
    features: Sequence[str] = (),
) -> tuple[int, list[SampleRow]]:
    """(how many there are, the first `limit` of them). Without `sort`, run after run. A run without the split is passed
    over."""
    known = fields_of_runs(runs)
    pages: list[SampleTable] = []
    for run in runs:
        with suppress(NotFoundError):
            pages.append(
                run.samples(
                    split=split,
                    step=step,
                    steps=steps,
                    where=where,
                    sort=sort,
                    discarded=discarded,
                    limit=limit,
                    known=known,
                    features=features,
                )
            )
    asked = SampleSelection(sort=sort)
    if asked.by_place and asked.descending:
        pages.reverse()
    rows = [row for page in pages for row in page.rows]
    if sort and not asked.by_place and len(pages) > 1 and rows:
        table = concat([_sortable(page, asked.sort_field) for page in pages if page.rows])
        rows = [rows[place] for place in select(table, sort=sort, discarded=None, known=known)]
    return sum(page.total for page in pages), rows[:limit]


def fields_of_runs(runs: Sequence[Run]) -> list[str]:
    """The numeric fields that any of them has: what a filter over several runs may name."""
    return list(dict.fromkeys(field for run in runs for field in run.fields()))


def _sortable(page: SampleTable, field: str) -> pa.Table:
    """The rows of a page with what they are sorted by: it was found among all samples of their run, not these alone."""
    values = page._sort_values()
    return page._table if values is None else page._table.append_column(field, values)
