"""Which rows, in which order: filter, sort and the kept/discarded switch, over an index table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.errors import UsageError, check_utf8
from rollscope.fields import ALIASES, BY_NAME
from rollscope.index import compute
from rollscope.index.rows.run_order import between, is_large, parts_by_steps
from rollscope.index.segments.rows import SCHEMA, column_type
from rollscope.index.segments.spill import NumbersOnDisk
from rollscope.query.language.sql import column_name, identifier
from rollscope.query.sql.connection import one_time_limit, row_numbers, streamed_row_numbers

if TYPE_CHECKING:
    from rollscope.query.language import Compiled, Fields, TextPredicate
    from rollscope.query.samples.feature_columns import FeatureColumns
else:
    FeatureColumns = TextPredicate = object  # what a Struct's fields are said to be must exist

Rows = NDArray[np.int64]
#: (predicate, rows of the table) -> for each of these rows whether its text matches.
TextMatcher = Callable[[TextPredicate, Rows], NDArray[np.bool_]]

#: Sort key -> the columns of which the first value that is present counts.
SORT_ALIASES: dict[str, tuple[str, ...]] = {
    **{alias: (name,) for alias, name in ALIASES.items()},
    "address": ("index",),
    "response_length": ("completion_tokens", "response_bytes"),
    "length": ("completion_tokens", "response_bytes"),
    "tokens": ("total_tokens",),
}
#: Columns that say where a sample is: not for filters.
_HIDDEN = frozenset({*SCHEMA, "file"} - {*BY_NAME, "prompt_hash"})

#: Computed from the rows of a group, when a filter or sort needs it.
_OF_GROUPS = {"reward_spread": pa.float64()}
#: People's notes are joined to the rows when a filter or sort needs them.
_NOTED = {"label": pa.list_(pa.string()), "rating": pa.float64(), "noted": pa.bool_()}
#: What no table of the index has.
JOINED = frozenset({*_OF_GROUPS, *_NOTED})


class Columns:
    """All columns of a run: a column that these rows lack is missing, not unknown."""

    def __init__(self, table: pa.Table, known: Sequence[str], features: FeatureColumns | None = None) -> None:
        self._table = table
        types = {name: column_type(name) for name in (*SCHEMA, *known)}
        types.update(_NOTED | _OF_GROUPS)
        types.update(features.types if features is not None else {})
        types.update({field.name: field.type for field in table.schema})
        self.types = {name: kind for name, kind in types.items() if name not in _HIDDEN}

    def fields(self) -> Fields:
        """As the filter language needs them."""
        from rollscope.query.language import Fields

        return Fields.of_columns({name: _kind(kind) for name, kind in self.types.items()})

    def sortable(self) -> list[str]:
        return sorted([*(name for name, kind in self.types.items() if not pa.types.is_list(kind)), *SORT_ALIASES])

    def view(self, names: Sequence[str]) -> pa.Table:
        """Row numbers and only these columns, with nulls for those the rows lack."""
        rows = self._table.num_rows
        named = {column_name(name): self.column(name) for name in names}
        return pa.table({"__row": pa.array(np.arange(rows, dtype=np.int64)), **named})

    def column(self, name: str) -> pa.ChunkedArray:
        if name in self._table.column_names:
            return self._table[name]
        if name in _OF_GROUPS:
            from rollscope.query.samples.group_columns import reward_spread

            return reward_spread(self._table)
        # The same block of nulls repeated: nulls for a large run would take memory for every row.
        piece = pa.nulls(min(self._table.num_rows, compute.BLOCK_ROWS), self.types[name])
        whole, rest = divmod(self._table.num_rows, max(1, len(piece)))
        return pa.chunked_array([*[piece] * whole, piece.slice(0, rest)], self.types[name])


def _kind(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return "list"
    if pa.types.is_boolean(kind):
        return "boolean"
    return "string" if pa.types.is_string(kind) else "number"


class SortOrder(Struct):
    """An ORDER BY list and the columns it reads."""

    sql: str
    columns: tuple[str, ...]


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


def page_slice(offset: int, limit: int | None) -> slice:
    """Rows from `offset` on, at most `limit` of them. A negative one would silently count from the end."""
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
    keep = _kept(table, asked.discarded)
    where = asked.where
    if not sort and not (where and where.strip()):
        return np.flatnonzero(keep)
    columns = Columns(table, asked.known, asked.features)
    condition = _condition(where, columns) if where and where.strip() else None
    order = order_by(columns, sort) if sort else SortOrder("", ())
    view = columns.view([*(condition.columns if condition else ()), *order.columns])
    view = compute.keep(view, keep) if not keep.all() else view
    if asked.features is not None:
        view = _with_features(view, condition, order, asked.features)
    if condition is not None and condition.text:
        view = _with_text_columns(view, condition, asked.matcher)
    filtered = f"WHERE {condition.sql}" if condition else ""
    ordered = f"{order.sql}, __row" if order.sql else "__row"
    return row_numbers(f"SELECT __row FROM rows {filtered} ORDER BY {ordered}", view)


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
        return _sort_on_disk((_moved(view, start) for start, view in views), Columns(table, known, features), sort)
    order = order_by(Columns(table, known, features), sort)
    sql = f"SELECT __row FROM rows ORDER BY {order.sql}, __row LIMIT {first}"
    best: pa.Table | None = None
    with one_time_limit():
        for start, view in views:
            both = _moved(view, start) if best is None else pa.concat_tables([best, _moved(view, start)])
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
    return _with_features(view, None, order, features) if features is not None else view


def _moved(view: pa.Table, start: int) -> pa.Table:
    return view.set_column(0, "__row", compute.numbers(compute.plain(view["__row"]) + start))


def _sort_on_disk(views: Iterator[pa.Table], columns: Columns, sort: str) -> Rows:
    """All rows of a large run in another order: what does not fit into the memory limit is sorted on disk."""
    order = order_by(columns, sort)
    found = NumbersOnDisk(np.int64)
    for numbers in streamed_row_numbers(f"SELECT __row FROM rows ORDER BY {order.sql}, __row", views):
        found.add(numbers)
    return found.all()


def _condition(where: str, columns: Columns) -> Compiled:
    from rollscope.query.language import compile_filter, parse  # most lists are asked for without a filter

    return compile_filter(parse(where), columns.fields())


def _kept(table: pa.Table, discarded: bool | None) -> NDArray[np.bool_]:
    if discarded is None:
        return np.ones(table.num_rows, dtype=bool)
    kept: NDArray[np.bool_] = compute.plain(compute.is_null(table["discard_reason"]))
    return ~kept if discarded else kept


def _with_features(view: pa.Table, condition: Compiled | None, order: SortOrder, features: FeatureColumns) -> pa.Table:
    """Features are computed only for the rows that the rest of the filter leaves over; for an order, for all of those."""
    named = {*(condition.features if condition else ()), *(name for name in order.columns if name in features.types)}
    if not named:
        return view
    rows = compute.plain(view["__row"])
    wanted = rows
    if condition is not None:
        wanted = np.sort(row_numbers(f"SELECT __row FROM rows WHERE {condition.feature_candidates}", view))
    for name, column in features.columns(sorted(named), wanted).items():
        place = view.column_names.index(column_name(name))
        view = view.set_column(place, column_name(name), compute.take(column, rows))
    return view


def _with_text_columns(view: pa.Table, condition: Compiled, matcher: TextMatcher | None) -> pa.Table:
    """Text is read only for the rows that the rest of the filter leaves over."""
    if matcher is None:
        raise UsageError("this list cannot be filtered by text", hint="use `search`")
    candidates = np.sort(row_numbers(f"SELECT __row FROM rows WHERE {condition.candidates}", view))
    rows = compute.plain(view["__row"])
    place = np.searchsorted(rows, candidates)
    for number, predicate in enumerate(condition.text):
        column = np.zeros(len(rows), dtype=bool)
        column[place] = matcher(predicate, candidates)
        view = view.append_column(f"__text{number}", pa.array(column))
    return view
