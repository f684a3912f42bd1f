"""Which rows: filter and the kept/discarded switch over an index table, in the order asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.arrays import Rows
from rollscope.errors import UsageError, check_utf8
from rollscope.index import compute
from rollscope.index.rows.run_order import is_large, parts_by_steps
from rollscope.index.segments.spill import NumbersOnDisk
from rollscope.query.samples.columns import Columns, with_features
from rollscope.query.samples.sort import SortOrder, order_by, sort_rows
from rollscope.query.sql.connection import one_time_limit, row_numbers

if TYPE_CHECKING:
    from rollscope.query.language.compile import Compiled, TextPredicate
    from rollscope.query.samples.feature_columns import FeatureColumns
else:
    FeatureColumns = TextPredicate = object  # what a Struct's fields are said to be must exist

#: (predicate, rows of the table) -> for each of these rows whether its text matches.
TextMatcher = Callable[[TextPredicate, Rows], NDArray[np.bool_]]


def page_slice(offset: int, limit: int | None) -> slice:
    """Rows from `offset` on, at most `limit` of them. A negative one would silently count from the end."""
    if not hasattr(offset, "__index__") or not (limit is None or hasattr(limit, "__index__")):
        raise UsageError(f"offset and limit are whole numbers, not {offset!r}, {limit!r}", hint="limit=None gives all")
    if offset < 0 or (limit is not None and limit < 0):
        raise UsageError(f"offset and limit cannot be negative: {offset}, {limit}", hint="limit=None gives all")
    return slice(offset, None if limit is None else offset + limit)


class RowFilter(Struct):
    """What is asked of a table: a filter, and what it may name."""

    where: str | None = None
    discarded: bool | None = False
    #: The numeric fields of the whole run.
    known: Sequence[str] = ()
    matcher: TextMatcher | None = None
    #: What is computed from texts.
    features: FeatureColumns | None = None

    def of_part(self, start: int, part: pa.Table) -> RowFilter:
        """The same of rows from `start` on."""
        whole = self.matcher
        return RowFilter(
            self.where,
            self.discarded,
            self.known,
            None if whole is None else lambda predicate, rows: whole(predicate, rows + start),
            None if self.features is None else self.features.of_part(part),
        )


def select(
    table: pa.Table,
    *,
    where: str | None = None,
    sort: str | None = None,
    discarded: bool | None = False,
    known: Sequence[str] = (),
    matcher: TextMatcher | None = None,
    features: FeatureColumns | None = None,
) -> Rows:
    """Positions of the selected rows, in the requested order. `known` are the numeric fields of the whole run,
    `features` what is computed from texts. A large table, whose rows are in the run's order, is processed part by
    part."""
    for text in (where, sort):
        check_utf8(text or "", "the filter" if text is where else "the name to sort by")
    asked = RowFilter(where, discarded, known, matcher, features)
    if not is_large(table):
        return _select(table, asked, sort)
    found = NumbersOnDisk(np.int64)
    with one_time_limit():
        for start, part in parts_by_steps(table):
            found.add(_select(part, asked.of_part(start, part), None) + start)
    rows = found.all()
    return sort_rows(table, rows, sort, known, features) if sort else rows


def _select(table: pa.Table, asked: RowFilter, sort: str | None) -> Rows:
    keep = _kept_or_discarded(table, asked.discarded)
    where = asked.where
    if not sort and not (where and where.strip()):
        return np.flatnonzero(keep)
    columns = Columns(table, asked.known, asked.features)
    condition = _condition(where, columns) if where and where.strip() else None
    order = order_by(columns, sort) if sort else SortOrder("", ())
    view = columns.view([*(condition.columns if condition else ()), *order.columns])
    view = compute.keep(view, keep) if not keep.all() else view
    if asked.features is not None:
        # Computed only for the rows that the rest of the filter leaves over; for an order, for all of those.
        named = {*(condition.features if condition else ()), *order.features(asked.features)}
        wanted = _rows_where(condition.feature_candidates, view) if condition is not None and named else None
        view = with_features(view, named, asked.features, wanted)
    if condition is not None and condition.text:
        view = _with_text_columns(view, condition, asked.matcher)
    filtered = f"WHERE {condition.sql}" if condition else ""
    ordered = f"{order.sql}, __row" if order.sql else "__row"
    return row_numbers(f"SELECT __row FROM rows {filtered} ORDER BY {ordered}", view)


def _condition(where: str, columns: Columns) -> Compiled:
    from rollscope.query.language.compile import compile_filter  # most lists are asked for without a filter
    from rollscope.query.language.parser import parse

    return compile_filter(parse(where), columns.fields())


def _kept_or_discarded(table: pa.Table, discarded: bool | None) -> NDArray[np.bool_]:
    if discarded is None:
        return np.ones(table.num_rows, dtype=bool)
    kept: NDArray[np.bool_] = compute.plain(compute.is_null(table["discard_reason"]))
    return ~kept if discarded else kept


def _with_text_columns(view: pa.Table, condition: Compiled, matcher: TextMatcher | None) -> pa.Table:
    """Text is read only for the rows that the rest of the filter leaves over."""
    if matcher is None:
        raise UsageError("this list cannot be filtered by text", hint="use `search`")
    candidates = _rows_where(condition.candidates, view)
    rows = compute.plain(view["__row"])
    place = np.searchsorted(rows, candidates)
    for number, predicate in enumerate(condition.text):
        column = np.zeros(len(rows), dtype=bool)
        column[place] = matcher(predicate, candidates)
        view = view.append_column(f"__text{number}", pa.array(column))
    return view


def _rows_where(sql: str, view: pa.Table) -> Rows:
    return np.sort(row_numbers(f"SELECT __row FROM rows WHERE {sql}", view))
