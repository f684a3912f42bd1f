"""Which rows, in which order: filter, sort and the kept/discarded switch, over an index table."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rollscope.errors import UsageError
from rollscope.index.segment import SCHEMA, column_type
from rollscope.query.engine import query, quoted
from rollscope.query.language import Compiled, Fields, TextPredicate, compile_filter, parse

Rows = NDArray[np.int64]
#: (predicate, rows of the table) -> for each of these rows whether its text matches.
TextMatcher = Callable[[TextPredicate, Rows], NDArray[np.bool_]]

#: What users sort by -> SQL, for names that are no column.
SORT_ALIASES = {
    "index": '"index"',
    "n": '"index"',
    "address": '"index"',
    "response_length": 'coalesce("completion_tokens", "response_bytes")',
    "length": 'coalesce("completion_tokens", "response_bytes")',
    "tokens": '"total_tokens"',
}
_HIDDEN = frozenset({"offset", "length", "line", "member", "lenient", "file", "key"})


def sortable(table: pa.Table) -> list[str]:
    names = [
        name
        for name in table.column_names
        if name not in _HIDDEN and not pa.types.is_list(table.schema.field(name).type)
    ]
    return sorted({*names, "index", "response_length"})


def order_by(table: pa.Table, sort: str | None) -> str:
    """`-reward` -> an ORDER BY list; missing values come last either way, ties stay in order."""
    if not sort:
        return ""
    descending = sort.startswith("-")
    name = sort.lstrip("-+")
    columns = set(table.column_names) - _HIDDEN
    if name in SORT_ALIASES:
        key = SORT_ALIASES[name]
    elif name in columns:
        key = f"try_cast({quoted(name)} AS DOUBLE) NULLS LAST, {quoted(name)}" if name == "group" else quoted(name)
    else:
        near = difflib.get_close_matches(name, sortable(table), n=3, cutoff=0.4)
        hint = f"did you mean {', '.join(near)}?" if near else f"known keys: {', '.join(sortable(table)[:20])}"
        raise UsageError(f"cannot sort by {name!r}: no such field here", hint=hint)
    return f"{key} {'DESC' if descending else 'ASC'} NULLS LAST"


def complete(table: pa.Table, known: Sequence[str]) -> pa.Table:
    """With every column the run has anywhere: what these rows lack is missing, not unknown."""
    for name in (*SCHEMA, *known):
        if name not in table.column_names:
            table = table.append_column(name, pa.nulls(table.num_rows, column_type(name)))
    return table


def fields_of(table: pa.Table) -> Fields:
    """The columns a filter may name, as the language wants to know them."""
    return Fields.of_columns({field.name: _kind(field.type) for field in table.schema if field.name not in _HIDDEN})


def _kind(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return "list"
    if pa.types.is_boolean(kind):
        return "boolean"
    return "string" if pa.types.is_string(kind) else "number"


def select(
    table: pa.Table,
    *,
    where: str | None = None,
    sort: str | None = None,
    discarded: bool | None = False,
    known: Sequence[str] = (),
    matcher: TextMatcher | None = None,
) -> Rows:
    """Positions of the rows asked for, in the order asked for. `known` are the numeric fields of the whole run."""
    keep = _kept(table, discarded)
    if not sort and not (where and where.strip()):
        return np.flatnonzero(keep)
    table = complete(table, known)
    condition = compile_filter(parse(where), fields_of(table)) if where and where.strip() else None
    view = table.append_column("__row", pa.array(np.arange(table.num_rows, dtype=np.int64)))
    view = view.filter(pa.array(keep)) if not keep.all() else view
    if condition is not None and condition.text:
        view = _with_text_columns(view, condition, matcher)
    order = order_by(table, sort)
    filtered = f"WHERE {condition.sql}" if condition else ""
    ordered = f"{order}, __row" if order else "__row"
    rows: Rows = query(f"SELECT __row FROM rows {filtered} ORDER BY {ordered}", {"rows": view})["__row"].to_numpy()
    return rows


def _kept(table: pa.Table, discarded: bool | None) -> NDArray[np.bool_]:
    if discarded is None:
        return np.ones(table.num_rows, dtype=bool)
    kept: NDArray[np.bool_] = pc.is_null(table["discard_reason"]).to_numpy()
    return ~kept if discarded else kept


def _with_text_columns(view: pa.Table, condition: Compiled, matcher: TextMatcher | None) -> pa.Table:
    """Text is read only for the rows that the rest of the filter leaves over."""
    if matcher is None:
        raise UsageError("this list cannot be filtered by text", hint="use `search`")
    candidates = query(f"SELECT __row FROM rows WHERE {condition.candidates}", {"rows": view})["__row"].to_numpy()
    rows = view["__row"].to_numpy()
    place = np.searchsorted(rows, np.sort(candidates))
    for number, predicate in enumerate(condition.text):
        column = np.zeros(len(rows), dtype=bool)
        column[place] = matcher(predicate, np.sort(candidates))
        view = view.append_column(f"__text{number}", pa.array(column))
    return view
