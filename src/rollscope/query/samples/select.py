"""Which rows, in which order: filter, sort and the kept/discarded switch, over an index table."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.errors import UsageError, check_utf8
from rollscope.fields import ALIASES, BY_NAME
from rollscope.index import compute
from rollscope.index.segments.rows import SCHEMA, column_type
from rollscope.query.language.sql import column_name
from rollscope.query.sql.connection import quoted, row_numbers

if TYPE_CHECKING:
    from rollscope.query.language import Compiled, Fields, TextPredicate
    from rollscope.query.samples.feature_columns import FeatureColumns

Rows = NDArray[np.int64]
#: (predicate, rows of the table) -> for each of these rows whether its text matches.
TextMatcher = Callable[["TextPredicate", Rows], NDArray[np.bool_]]

#: What users sort by -> the columns whose first present value counts.
SORT_ALIASES: dict[str, tuple[str, ...]] = {
    **{alias: (name,) for alias, name in ALIASES.items()},
    "address": ("index",),
    "response_length": ("completion_tokens", "response_bytes"),
    "length": ("completion_tokens", "response_bytes"),
    "tokens": ("total_tokens",),
}
#: Columns that say where a row lies: not for filters.
_HIDDEN = frozenset({*SCHEMA, "file"} - {*BY_NAME, "prompt_hash"})

#: What people wrote is joined to the rows when a filter or sort asks for it.
_NOTED = {"label": pa.list_(pa.string()), "rating": pa.float64(), "noted": pa.bool_()}


class Columns:
    """The columns a run has anywhere: what these rows lack is missing, not unknown."""

    def __init__(self, table: pa.Table, known: Sequence[str], features: FeatureColumns | None = None) -> None:
        self._table = table
        types = {name: column_type(name) for name in (*SCHEMA, *known)}
        types.update(_NOTED)
        types.update(features.types if features is not None else {})
        types.update({field.name: field.type for field in table.schema})
        self.types = {name: kind for name, kind in types.items() if name not in _HIDDEN}

    def fields(self) -> Fields:
        """As the filter language wants to know them."""
        from rollscope.query.language import Fields

        return Fields.of_columns({name: _kind(kind) for name, kind in self.types.items()})

    def sortable(self) -> list[str]:
        return sorted([*(name for name, kind in self.types.items() if not pa.types.is_list(kind)), *SORT_ALIASES])

    def view(self, names: Sequence[str]) -> pa.Table:
        """Row numbers and only these columns, with nulls for those the rows lack."""
        rows = self._table.num_rows
        columns = {
            name: self._table[name] if name in self._table.column_names else pa.nulls(rows, self.types[name])
            for name in names
        }
        named = {column_name(name): column for name, column in columns.items()}
        return pa.table({"__row": pa.array(np.arange(rows, dtype=np.int64)), **named})


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
        near = difflib.get_close_matches(name, columns.sortable(), n=3, cutoff=0.4)
        hint = f"did you mean {', '.join(near)}?" if near else f"known keys: {', '.join(columns.sortable()[:20])}"
        raise UsageError(f"cannot sort by {name!r}: no such field here", hint=hint)
    quoted_names = [quoted(column_name(read)) for read in reads]
    key = f"coalesce({', '.join(quoted_names)})" if len(reads) > 1 else quoted_names[0]
    keys = [f"{key} {direction} NULLS LAST"]
    if any(pa.types.is_floating(columns.types[read]) for read in reads):
        keys.insert(0, f"isnan({key}) NULLS LAST")  # DuckDB takes NaN for the largest number
    if name == "group":  # kept as text; numbers among them sort as numbers
        keys.insert(0, f'try_cast("group" AS DOUBLE) {direction} NULLS LAST')
    return SortOrder(", ".join(keys), reads)


def page_slice(offset: int, limit: int | None) -> slice:
    """Rows from `offset` on, at most `limit` of them. A negative one would count from the end, without a word."""
    if offset < 0 or (limit is not None and limit < 0):
        raise UsageError(f"offset and limit cannot be negative: {offset}, {limit}", hint="limit=None gives all")
    return slice(offset, None if limit is None else offset + limit)


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
    """Positions of the rows asked for, in the order asked for. `known` are the numeric fields of the whole run,
    `features` what is computed from texts."""
    keep = _kept(table, discarded)
    if not sort and not (where and where.strip()):
        return np.flatnonzero(keep)
    for text in (where, sort):
        check_utf8(text or "", "the filter" if text is where else "the name to sort by")
    columns = Columns(table, known, features)
    condition = _condition(where, columns) if where and where.strip() else None
    order = order_by(columns, sort) if sort else SortOrder("", ())
    view = columns.view([*(condition.columns if condition else ()), *order.columns])
    view = compute.keep(view, keep) if not keep.all() else view
    if features is not None:
        view = _with_features(view, condition, order, features)
    if condition is not None and condition.text:
        view = _with_text_columns(view, condition, matcher)
    filtered = f"WHERE {condition.sql}" if condition else ""
    ordered = f"{order.sql}, __row" if order.sql else "__row"
    return row_numbers(f"SELECT __row FROM rows {filtered} ORDER BY {ordered}", view)


def sort_rows(
    table: pa.Table, rows: Rows, sort: str, known: Sequence[str] = (), features: FeatureColumns | None = None
) -> Rows:
    """Chosen rows in another order: what a filter found need not be found again to be sorted."""
    check_utf8(sort, "the name to sort by")
    columns = Columns(table, known, features)
    order = order_by(columns, sort)
    view = compute.take(columns.view(order.columns), np.sort(rows))
    if features is not None:
        view = _with_features(view, None, order, features)
    return row_numbers(f"SELECT __row FROM rows ORDER BY {order.sql}, __row", view)


def _condition(where: str, columns: Columns) -> Compiled:
    from rollscope.query.language import compile_filter, parse  # most lists are asked for without a filter

    return compile_filter(parse(where), columns.fields())


def _kept(table: pa.Table, discarded: bool | None) -> NDArray[np.bool_]:
    if discarded is None:
        return np.ones(table.num_rows, dtype=bool)
    kept: NDArray[np.bool_] = compute.is_null(table["discard_reason"]).to_numpy()
    return ~kept if discarded else kept


def _with_features(view: pa.Table, condition: Compiled | None, order: SortOrder, features: FeatureColumns) -> pa.Table:
    """Features are computed only for the rows that the rest of the filter leaves over; for an order, for all of those."""
    named = {*(condition.features if condition else ()), *(name for name in order.columns if name in features.types)}
    if not named:
        return view
    rows = view["__row"].to_numpy()
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
    rows = view["__row"].to_numpy()
    place = np.searchsorted(rows, candidates)
    for number, predicate in enumerate(condition.text):
        column = np.zeros(len(rows), dtype=bool)
        column[place] = matcher(predicate, candidates)
        view = view.append_column(f"__text{number}", pa.array(column))
    return view
