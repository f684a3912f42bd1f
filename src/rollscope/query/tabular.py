"""Answers of `Run` that are tables too: iterated row by row, given as Arrow, pandas or polars, shown in a notebook or
at a prompt."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import pyarrow as pa

from rollscope import notebook
from rollscope.query import answers
from rollscope.render.aligned import aligned, column_widths
from rollscope.render.display import visible

#: Rows a notebook or a prompt shows of a table; it says how many more there are.
SHOWN_ROWS = 20
#: Characters that a prompt shows of a cell.
SHOWN_CELL = 40
_MISSING = "–"


class Tabular:
    """What every table can do."""

    __slots__ = ()

    def to_arrow(self) -> pa.Table:
        raise NotImplementedError

    def to_pandas(self) -> Any:
        from rollscope.query.sql.tables import to_pandas

        return to_pandas(self.to_arrow())

    def to_polars(self) -> Any:
        from rollscope.query.sql.tables import to_polars

        return to_polars(self.to_arrow())

    def _repr_html_(self) -> str:
        table = self.to_arrow()
        rows = [list(row.values()) for row in table.slice(0, SHOWN_ROWS).to_pylist()]
        more = table.num_rows - len(rows)
        return notebook.table(table.column_names, rows) + (f"<p>… and {more:,} more rows</p>" if more else "")

    def __repr__(self) -> str:
        """At a prompt: the first rows, and of the columns that have a value in them as many as fit beside each other."""
        table = self.to_arrow()
        shown = table.slice(0, SHOWN_ROWS)
        columns = [
            ([visible(name), *map(_cell, column.to_pylist())], _is_number(column.type))
            for name, column in zip(shown.column_names, shown.columns)
        ]
        columns = [column for column in columns if not shown.num_rows or {*column[0][1:]} != {_MISSING}]
        rows, right = list(zip(*(cells for cells, _ in columns))), [number for _, number in columns]
        ends = list(accumulate(size + 2 for size in column_widths(rows)))
        fitting = max(bisect_right(ends, get_terminal_size((120, 24)).columns + 2), 1)
        size = f"{table.num_rows:,} {'row' if table.num_rows == 1 else 'rows'}"
        hidden = {"rows": table.num_rows - shown.num_rows, "columns": len(columns) - fitting}
        left_out = " and ".join(f"{count:,} {what}" for what, count in hidden.items() if count > 0)
        end = f"<{type(self).__name__}: {size}{f'; {left_out} not shown' if left_out else ''}>"
        return "\n".join([*aligned([row[:fitting] for row in rows], right[:fitting]), end])


class StepTable(Tabular, answers.StepList):
    """The steps of a split."""

    def __iter__(self) -> Iterator[answers.StepRow]:
        return iter(self.steps)

    def __getitem__(self, place: int) -> answers.StepRow:
        return self.steps[place]

    def __len__(self) -> int:
        return len(self.steps)

    def to_arrow(self) -> pa.Table:
        from rollscope.query.sql.tables import steps_table

        return steps_table([(self.split, row) for row in self.steps])


class SampleTable(Tabular, answers.SamplePage, dict=True):
    """A page of samples."""

    if TYPE_CHECKING:
        # An attribute and not a field of the Struct: it is not part of the answer that is sent.
        _table: Any = None
        #: The column that it is sorted by, where `_table` has none of that name.
        _sort_values: Any = None

    def __iter__(self) -> Iterator[answers.SampleRow]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> answers.SampleRow:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def to_arrow(self) -> pa.Table:
        from rollscope.query.sql.tables import public

        return public(self._table)


class SqlTable(Tabular, answers.SqlResult, dict=True):
    """What a SELECT gave. `rows` may be cut for the screen; the tables have all of it."""

    if TYPE_CHECKING:
        _table: Any = None

    def __iter__(self) -> Iterator[list[Any]]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> list[Any]:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def to_arrow(self) -> pa.Table:
        table: pa.Table = self._table
        return table


class SeriesTable(Tabular, list[answers.Series]):
    """Metrics, each with its points; as a table one row for each point."""

    def to_arrow(self) -> pa.Table:
        from rollscope.query.sql.tables import metrics_table

        return metrics_table(self)

    def __repr__(self) -> str:
        """Not their points, of which there may be millions."""
        some = ", ".join(visible(series.name) for series in self[:8])
        return f"<SeriesTable: {len(self):,} series{': ' if self else ''}{some}{', …' if len(self) > 8 else ''}>"


class Hits(Tabular, Iterator[answers.Hit]):
    """What a search finds, as it is found; as a table all that has not been taken yet."""

    def __init__(self, found: Iterator[answers.Hit]) -> None:
        self._found = found

    def __next__(self) -> answers.Hit:
        return next(self._found)

    def to_arrow(self) -> pa.Table:
        return _rows_as_table(list(self._found), answers.Hit)

    def __repr__(self) -> str:
        return "<Hits: found as you iterate>"

    #: Looking at it must not use it up.
    _repr_html_ = None  # type: ignore[assignment]


def _cell(value: Any) -> str:
    """A value on a terminal: short, on one line, with nothing that a terminal would obey."""
    text = _MISSING if value in (None, []) else f"{value:.4g}" if isinstance(value, float) else str(value)
    text = visible(" ".join(text[: 10 * SHOWN_CELL].split()))
    return text if len(text) <= SHOWN_CELL else text[: SHOWN_CELL - 1] + "…"


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _rows_as_table(rows: Sequence[Any], kind: type[Any]) -> pa.Table:
    names = kind.__struct_fields__
    columns = {name: [getattr(row, name) for row in rows] for name in names}
    kinds = {int: pa.int64(), float: pa.float64(), str: pa.string()}
    types = get_type_hints(kind)
    return pa.table({name: pa.array(columns[name], kinds[_without_none(types[name])]) for name in names})


def _without_none(hint: Any) -> Any:
    """`str | None` -> `str`."""
    return next((kind for kind in get_args(hint) if kind is not type(None)), hint)
