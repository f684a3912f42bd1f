"""Rows in another order: by any field that can be sorted, in memory or on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from msgspec import Struct

from rollscope.arrays import Rows
from rollscope.errors import UsageError, check_utf8
from rollscope.index import compute
from rollscope.index.rows.run_order import between, is_large, parts_by_steps
from rollscope.index.segments.spill import NumbersOnDisk
from rollscope.query.language.sql import column_name, identifier
from rollscope.query.samples.columns import SORT_ALIASES, Columns, with_features
from rollscope.query.sql.connection import one_time_limit, row_numbers, streamed_row_numbers

if TYPE_CHECKING:
    from rollscope.query.samples.feature_columns import FeatureColumns


class SortOrder(Struct):
    """An ORDER BY list and the columns it reads."""

    sql: str
    columns: tuple[str, ...]

    def features(self, known: FeatureColumns) -> set[str]:
        """Those of its columns that are computed from texts."""
        return {name for name in self.columns if name in known.types}


def order_by(columns: Columns, sort: str) -> SortOrder:
    """`-reward` -> descending by reward. NaN and missing values come last either way, ties stay in reading order."""
    direction = "DESC" if sort.startswith("-") else "ASC"
    name = sort.lstrip("-+")
    reads = SORT_ALIASES.get(name) or ((name,) if name in columns.types else ())
    if not reads:
        import difflib

        near = difflib.get_close_matches(name, columns.sortable(), n=3, cutoff=0.4)
        hint = f"did you mean {', '.join(near)}?" if near else f"known keys: {', '.join(columns.sortable()[:20])}"
        raise UsageError(f"cannot sort by {name!r}: no such field here", hint=hint)
    quoted_names = [identifier(column_name(read)) for read in reads]
    key = f"coalesce({', '.join(quoted_names)})" if len(reads) > 1 else quoted_names[0]
    keys = [f"{key} {direction} NULLS LAST"]
    if any(pa.types.is_floating(columns.types[read]) for read in reads):
        keys.insert(0, f"isnan({key}) NULLS LAST")  # DuckDB takes NaN for the largest number
    if name == "group":  # kept as text; numbers among them sort as numbers
        keys.insert(0, f'try_cast("group" AS DOUBLE) {direction} NULLS LAST')
    return SortOrder(", ".join(keys), reads)


def sort_rows(
    table: pa.Table,
    rows: Rows,
    sort: str,
    known: Sequence[str] = (),
    features: FeatureColumns | None = None,
    first: int | None = None,
) -> Rows:
    """Selected rows (of a large table: in its order) in another order, so that a filter need not run again for each
    order. `first`: no more than this many are needed."""
    check_utf8(sort, "the name to sort by")
    if not is_large(table):
        return _sort(table, np.sort(rows), sort, known, features, first)
    parts = ((start, part, between(rows, start, start + part.num_rows)) for start, part in parts_by_steps(table))
    views = (
        (start, _sort_view(part, own, sort, known, features.of_part(part) if features is not None else None))
        for start, part, own in parts
        if len(own)
    )
    if first is None:
        return _sort_on_disk((_renumbered(view, start) for start, view in views), Columns(table, known, features), sort)
    order = order_by(Columns(table, known, features), sort)
    sql = f"SELECT __row FROM rows ORDER BY {order.sql}, __row LIMIT {first}"
    best: pa.Table | None = None
    with one_time_limit():
        for start, view in views:
            both = _renumbered(view, start) if best is None else pa.concat_tables([best, _renumbered(view, start)])
            numbers = compute.plain(both["__row"])
            ranked = np.argsort(numbers, kind="stable")
            # In the order of the rows: the next part's ties come behind them.
            chosen = np.sort(row_numbers(sql, both))
            best = compute.take(both, ranked[np.searchsorted(numbers[ranked], chosen)]).combine_chunks()
        return row_numbers(sql, best) if best is not None else np.empty(0, dtype=np.int64)


def _sort(
    table: pa.Table, rows: Rows, sort: str, known: Sequence[str], features: FeatureColumns | None, first: int | None
) -> Rows:
    order = order_by(Columns(table, known, features), sort)
    limit = "" if first is None else f" LIMIT {first}"
    view = _sort_view(table, rows, sort, known, features)
    return row_numbers(f"SELECT __row FROM rows ORDER BY {order.sql}, __row{limit}", view)


def _sort_view(
    table: pa.Table, rows: Rows, sort: str, known: Sequence[str], features: FeatureColumns | None
) -> pa.Table:
    columns = Columns(table, known, features)
    order = order_by(columns, sort)
    view = compute.take(columns.view(order.columns), rows)
    return with_features(view, order.features(features), features) if features is not None else view


def _renumbered(view: pa.Table, start: int) -> pa.Table:
    return view.set_column(0, "__row", compute.numbers(compute.plain(view["__row"]) + start))


def _sort_on_disk(views: Iterator[pa.Table], columns: Columns, sort: str) -> Rows:
    """All rows of a large run in another order: what does not fit into the memory limit is sorted on disk."""
    order = order_by(columns, sort)
    found = NumbersOnDisk(np.int64)
    for numbers in streamed_row_numbers(f"SELECT __row FROM rows ORDER BY {order.sql}, __row", views):
        found.add(numbers)
    return found.all()
