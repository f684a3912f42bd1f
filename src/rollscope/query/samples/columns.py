"""The columns that a filter or an order can name: those of the index, of people's notes, of groups and of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from rollscope.arrays import Rows
from rollscope.fields import ALIASES, BY_NAME
from rollscope.index import compute
from rollscope.index.segments.rows import SCHEMA, column_type
from rollscope.query.language.sql import column_name

if TYPE_CHECKING:
    from rollscope.query.language.fields import Fields
    from rollscope.query.samples.feature_columns import FeatureColumns


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
        from rollscope.query.language.fields import Fields

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


def with_features(view: pa.Table, names: set[str], features: FeatureColumns, wanted: Rows | None = None) -> pa.Table:
    """A view with these features of the rows that are wanted; unless given, of all."""
    if not names:
        return view
    rows = compute.plain(view["__row"])
    for name, column in features.columns(sorted(names), rows if wanted is None else wanted).items():
        place = view.column_names.index(column_name(name))
        view = view.set_column(place, column_name(name), compute.take(column, rows))
    return view
