"""Samples of several runs as one list: filtered by what any of them has, and sorted together."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import pyarrow as pa

from rollscope.errors import NotFoundError
from rollscope.fields import SPACE_PREFIXES
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
    known = fields_of_runs(runs, where, sort)
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


def fields_of_runs(runs: Sequence[Run], *asked: str | None) -> list[str]:
    """What any of them has: a filter or an order over several runs may name it. It is looked up where one names a field
    that not every run has."""
    if len(runs) < 2 or not any(text and any(prefix in text for prefix in SPACE_PREFIXES) for text in asked):
        return []
    return list(dict.fromkeys(name for run in runs for name in run.columns()))


def _sortable(page: SampleTable, field: str) -> pa.Table:
    """The rows of a page with what they are sorted by: it was found among all samples of their run, not these alone."""
    values = page._sort_values()
    return page._table if values is None else page._table.append_column(field, values)
