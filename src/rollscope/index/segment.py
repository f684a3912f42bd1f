"""A segment: the index rows of some stretches of files as one Arrow IPC file, written once and mapped by readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from rollscope.formats.base import COLUMNS, Scan, Source
from rollscope.model import as_number, nonfinite_name
from rollscope.storage.atomic import replacing

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
_MAX_INT = 2**63 - 1
#: Scans with fewer rows than this wait for others before they become a table.
FEW_ROWS = 1_000


def column_type(name: str) -> pa.DataType:
    return SCHEMA.get(name, pa.float64())


def to_arrow(name: str, values: Sequence[Any]) -> pa.Array:
    """A column of whatever the source had: coerced where possible, missing where not."""
    kind = column_type(name)
    try:
        return pa.array(values, type=kind, from_pandas=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError, ValueError):
        pass
    if kind == pa.string() and all(type(value) is int for value in values):
        return pa.array([str(value) for value in values], kind)
    return pa.array([_coerce(value, kind) for value in values], type=kind)


def _coerce(value: Any, kind: pa.DataType) -> Any:
    if value is None:
        return None
    if kind == pa.string():
        return str(value).encode("utf-8", "backslashreplace").decode()
    if kind == pa.float64():
        return as_number(value)
    if kind == pa.bool_():
        return bool(value)
    if kind == pa.list_(pa.string()):
        return [str(item) for item in value] if isinstance(value, (list, tuple)) else [str(value)]
    number = as_number(value)
    if number is None or nonfinite_name(number) is not None or abs(number) > _MAX_INT:
        return None
    return int(value) if isinstance(value, int) else int(number)


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

        derived = pc.subtract(arrays["step"], arrays["sampling_step"])
        arrays["staleness"] = pc.coalesce(arrays["staleness"], derived) if "staleness" in arrays else derived
    return pa.table(arrays)


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


def write_segment(table: pa.Table, path: str) -> None:
    """Written under a temporary name and renamed: a reader sees the whole segment or none."""
    compact = table.combine_chunks()
    with (
        replacing(path, durable=False) as temporary,
        pa.OSFile(temporary, "wb") as sink,
        pa.ipc.new_file(sink, compact.schema) as writer,
    ):
        writer.write_table(compact)


def open_segment(path: str) -> pa.Table:
    """Mapped, not read: pages come in as they are touched."""
    with pa.memory_map(path) as source:
        return pa.ipc.open_file(source).read_all()
