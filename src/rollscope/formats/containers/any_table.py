"""Tables of any writer, parquet or Arrow, and files of records that are read whole: rows as records of JSON-like values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rollscope.formats.containers import packed_records
from rollscope.formats.containers.arrow import ArrowFile
from rollscope.formats.containers.packed_records import PackedRecords
from rollscope.formats.containers.parquet import Table
from rollscope.formats.lines.lenient import Unreadable
from rollscope.storage.open_files import KeptOpen
from rollscope.storage.store import Store

if TYPE_CHECKING:
    import pyarrow as pa

ENDINGS = (".parquet", ".arrow", *packed_records.LINES, *packed_records.LIST, packed_records.CSV)
_ROWS = 256

AnyTable = Table | ArrowFile | PackedRecords


def _open(store: Store, path: str) -> AnyTable:
    if path.endswith((*packed_records.LINES, *packed_records.LIST, packed_records.CSV)):
        return PackedRecords(store, path)
    file = store.open(path)
    return ArrowFile(file) if path.endswith(".arrow") else Table(file)


TABLES: KeptOpen[AnyTable] = KeptOpen(_open, limit=4, attempts=2)


def first_records(table: AnyTable, count: int) -> list[dict[str, Any]]:
    if isinstance(table, PackedRecords):
        numbers = range(min(count, table.num_rows))
        return [found for number in numbers if isinstance(found := _packed(table, number), dict)]
    return [record(row) for row in table.rows(range(min(count, table.num_rows)))]


def one_record(table: AnyTable, number: int) -> dict[str, Any]:
    if isinstance(table, PackedRecords):
        if number >= table.num_rows:
            raise ValueError(f"it has {table.num_rows} records now, and no record {number}")
        return table.record(number)
    return record(table.rows([number])[0])


def scalar_records(table: AnyTable, wanted: Sequence[str]) -> Iterator[dict[str, Any] | str]:
    """All rows with these columns and those of numbers: images and token ids are not read to list samples. In the place of
    a row that is no record, why."""
    if isinstance(table, PackedRecords):
        yield from (_packed(table, number) for number in range(table.num_rows))
        return
    names = [name for name in table.schema.names if name in wanted or _has_numbers(table.schema.field(name).type)]
    for batch in table.batches(*names, size=_ROWS):
        for number in range(len(batch[names[0]]) if names else 0):
            yield record({name: batch[name][number] for name in names})


def _packed(table: PackedRecords, number: int) -> dict[str, Any] | str:
    try:
        return table.record(number)
    except Unreadable as error:
        return str(error)


def _has_numbers(kind: pa.DataType) -> bool:
    from pyarrow import types

    if types.is_struct(kind):
        return any(_has_numbers(kind.field(place).type) for place in range(kind.num_fields))
    return bool(types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind))


def record(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _value(value) for name, value in row.items()}


def _value(value: Any) -> Any:
    """As JSON would have it. A column gives every object the keys of all: what nobody wrote is null there and left out."""
    if isinstance(value, dict):
        return {str(key): _value(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_value(inner) for inner in value]
    if isinstance(value, bytes):
        return f"<{len(value):,} bytes>"
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
