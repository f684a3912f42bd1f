"""The index rows of some pieces of files as one table: whatever the source had, in the columns of the index."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec
import pyarrow as pa

from rollscope.fields import EMPTY_IS_MISSING
from rollscope.formats.base import COLUMNS, Scan, Source
from rollscope.formats.stop_reasons import in_our_words
from rollscope.model import MAX_INT, MIN_INT, Skipped, as_integer, as_number, as_text

_TYPES: dict[str, pa.DataType] = {
    "string": pa.string(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "uint64": pa.uint64(),
    "bool": pa.bool_(),
    "list<string>": pa.list_(pa.string()),
}
SCHEMA: dict[str, pa.DataType] = {name: _TYPES[kind] for name, kind in COLUMNS.items()}
#: Columns every segment has, so that a step can be read without asking which are there.
ALWAYS = ("split", "step", "group", "reward", "discard_reason", "status", "prompt_hash", "offset", "length", "line")
#: Scans with fewer rows than this wait for others before they become a table.
FEW_ROWS = 1_000


def column_type(name: str) -> pa.DataType:
    return SCHEMA.get(name, pa.float64())


def to_arrow(name: str, values: Sequence[Any]) -> pa.Array:
    """A column of whatever the source had: coerced where possible, missing where not."""
    kind = column_type(name)
    if name in EMPTY_IS_MISSING and "" in values:
        values = [None if value == "" else value for value in values]
    if name == "status":
        values = list(map(in_our_words, values))
    if kind == pa.int64() and float in set(map(type, values)):
        values = list(map(as_integer, values))  # Arrow would cut off what is behind the point
    try:
        return pa.array(values, type=kind, from_pandas=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError, ValueError):
        pass
    if kind == pa.string() and all(type(value) is int for value in values):
        return pa.array([as_text(value) for value in values], kind)
    return pa.array([_coerce(value, kind) for value in values], type=kind)


def _coerce(value: Any, kind: pa.DataType) -> Any:
    if value is None:
        return None
    if kind == pa.string():
        return as_text(value).encode("utf-8", "backslashreplace").decode()
    if kind == pa.float64():
        return as_number(value)
    if kind == pa.bool_():
        return bool(value)
    if kind == pa.list_(pa.string()):
        return [str(item) for item in value] if isinstance(value, (list, tuple)) else [str(value)]
    return as_integer(value)


def without_unstorable(scan: Scan) -> Scan:
    """Without the rows that say as their step what no step can be: put elsewhere they would be wrong."""
    bad: dict[int, str] = {}
    for row, value in enumerate(scan.columns.get("step", ())):
        if type(value) is int and MIN_INT <= value <= MAX_INT:
            continue
        if why := _why_no_step(value):
            bad[row] = why
    if not bad:
        return scan
    lines = scan.columns.get("line") or [-1] * scan.rows
    skipped = [Skipped(file="", line=lines[row] + 1, reason=reason) for row, reason in bad.items()]
    kept = [row for row in range(scan.rows) if row not in bad]
    return msgspec.structs.replace(
        scan,
        columns={name: [values[row] for row in kept] for name, values in scan.columns.items()},
        rows=len(kept),
        skipped=sorted([*scan.skipped, *skipped], key=lambda item: item.line),
    )


def _why_no_step(value: Any) -> str | None:
    """Why this can be no step; None for a missing one: then the file says the step."""
    if value is None or value == "" or as_integer(value) is not None:
        return None
    number = value if type(value) is int else as_number(value)
    if number is None:
        kind = "mapping" if isinstance(value, dict) else "list"
        written = _shortened(value) if isinstance(value, str) else f"a {kind}"
        return f"its step is {written}: no number"
    if abs(number) > MAX_INT and (type(number) is int or math.isfinite(number)):
        return f"its step is a number beyond {MAX_INT}"
    return f"its step is {as_text(number)}: no whole number"


def _shortened(text: str, longest: int = 40) -> str:
    shown = as_text(text[:longest]).encode("utf-8", "backslashreplace").decode()
    return f'"{shown}…"' if len(text) > longest else f'"{shown}"'


def table_from_scan(scan: Scan, source: Source) -> pa.Table:
    """The scan's rows as a table. Split and step come from the file's name where the lines do not say them."""
    arrays: dict[str, pa.Array] = {}
    for name, values in scan.columns.items():
        array = to_arrow(name, values)
        if array.null_count < len(array) or name in ALWAYS:
            arrays[name] = array
    _fill(arrays, "split", scan.rows, source.split if source.split is not None else "train")
    _fill(arrays, "step", scan.rows, source.step if source.step is not None else 0)
    for name in ALWAYS:
        if name not in arrays:
            arrays[name] = pa.nulls(scan.rows, column_type(name))
    if "sampling_step" in arrays:
        # Importing it takes 60 ms: a worker that has no use for it starts without.
        import pyarrow.compute as pc

        derived = _difference(arrays["step"], arrays["sampling_step"])
        arrays["staleness"] = pc.coalesce(arrays["staleness"], derived) if "staleness" in arrays else derived
    return pa.table(arrays)


def _difference(left: pa.Array, right: pa.Array) -> pa.Array:
    """A value too large for its column is missing; Arrow would let it overflow."""
    import pyarrow.compute as pc

    try:
        return pc.subtract_checked(left, right)
    except pa.ArrowInvalid:
        pairs = zip(left.to_pylist(), right.to_pylist())
        return pa.array([None if None in pair else as_integer(pair[0] - pair[1]) for pair in pairs], pa.int64())


def _fill(arrays: dict[str, pa.Array], name: str, rows: int, default: Any) -> None:
    scalar = pa.scalar(default, column_type(name))
    if name not in arrays:
        arrays[name] = pa.repeat(scalar, rows)
    elif arrays[name].null_count:
        arrays[name] = arrays[name].fill_null(scalar)


class RowsBuilder:
    """Puts scans together into one table. Those of few rows are joined before they become Arrow arrays: a run of 100,000
    small files would spend its time on making tables of one row."""

    def __init__(self) -> None:
        self.count = 0
        self._tables: list[pa.Table] = []
        self._columns: dict[str, list[Any]] = {}
        self._waiting = 0

    def add(self, scan: Scan, source: Source) -> None:
        if scan.rows >= FEW_ROWS:
            self._flush()
            self._tables.append(table_from_scan(scan, source))
        else:
            self._wait(scan, source)
            if self._waiting >= FEW_ROWS:
                self._flush()
        self.count += scan.rows

    def _wait(self, scan: Scan, source: Source) -> None:
        columns = dict(scan.columns)
        for name, default in (("split", source.split), ("step", source.step)):
            given = [_coerce(value, column_type(name)) for value in columns.get(name, ())] or [None] * scan.rows
            columns[name] = [default if value is None else value for value in given]
        for name, values in columns.items():
            column = self._columns.get(name)
            if column is None:
                column = self._columns[name] = [None] * self._waiting
            column.extend(values)
        self._waiting += scan.rows
        for column in self._columns.values():
            column.extend([None] * (self._waiting - len(column)))

    def _flush(self) -> None:
        if self._waiting:
            scan = Scan(columns=dict(self._columns), rows=self._waiting)
            self._tables.append(table_from_scan(scan, Source(path="")))
            self._columns, self._waiting = {}, 0

    def cut(self, count: int) -> None:
        """Forget the rows after the first `count`."""
        if count < self.count:
            kept = self.table().slice(0, count)
            self._tables = [kept] if count else []
            self.count = count

    def table(self) -> pa.Table:
        self._flush()
        return concat(self._tables).combine_chunks()


def concat(tables: Sequence[pa.Table]) -> pa.Table:
    """One table of all columns that occur in any; missing ones are null."""
    if len(tables) == 1:
        return tables[0]
    return pa.concat_tables(tables, promote_options="default")
