"""Lines into rows: decoded in batches at full speed, one by one and leniently where a line is bad.

Keys that a format's `Row` does not name are learned as they appear, so that every number in a record is a column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from functools import lru_cache
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Raw, Struct

from rollscope.formats.lines.lenient import Unreadable, decode_line, read_record, to_raw
from rollscope.model import as_number, numbers

#: Distinct unnamed keys that become columns; more than this is data, not fields.
MAX_EXTRAS = 2_000
#: Bytes of JSON. What is longer is text, and an object that is longer is data: both are passed over undecoded.
MAX_NUMBER = 40
MAX_MAPPING = 4096

_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
#: In no name that msgspec takes: lines that have such keys are read leniently.
_UNNAMEABLE = re.compile(r'[\\"\x00-\x1f]')
_PREFIX = "x_"
#: How numbers begin.
_DIGITS = frozenset({b"-", *(b"%d" % digit for digit in range(10))})

_Row = TypeVar("_Row", bound=Struct)
Batch = tuple[list[Any], list[int], list[tuple[int, str]]]
_members = msgspec.json.Decoder(dict[str, Raw]).decode


#: Evaluates every annotation of the class: a millisecond, and a record may need it.
_fields = lru_cache(maxsize=64)(msgspec.structs.fields)


@lru_cache(maxsize=64)
def _encoded_names(row: type[Struct]) -> frozenset[str]:
    return frozenset(item.encode_name for item in _fields(row))


@lru_cache(maxsize=64)
def _grown(
    base: type[Struct], extras: tuple[tuple[str, Any], ...], grow: bool
) -> tuple[type[Struct], Callable[[bytes | memoryview], Any]]:
    """The struct with these keys besides its own, and its decoder. Making one takes as long as reading 100 small files."""
    fields: list[tuple[str, Any, Any]] = [
        (_PREFIX + str(i), kind, None if kind is Any else Raw()) for i, (_, kind) in enumerate(extras)
    ]
    row = msgspec.defstruct(
        base.__name__,
        fields,
        bases=(base,),
        kw_only=True,
        forbid_unknown_fields=grow and len(extras) < MAX_EXTRAS,
        rename={_PREFIX + str(i): _nameable(key) for i, (key, _) in enumerate(extras)},
        gc=False,
    )
    return row, msgspec.json.Decoder(row).decode


class Reader(Protocol):
    """What makes rows of lines."""

    def batch(self, lines: list[memoryview]) -> Batch: ...

    def metrics(self, rows: list[Any], number_texts: Set[str] = frozenset()) -> dict[str, list[float | None]]: ...


class RecordReader:
    """Lines as what `made` makes of their records: for formats that must look into them to know what is in a line."""

    def __init__(
        self,
        made: Callable[[dict[str, Any]], Any],
        decode: Callable[[bytes | memoryview], tuple[dict[str, Any], bool]] = decode_line,
    ) -> None:
        self._made = made
        self._decode = decode

    def batch(self, lines: list[memoryview]) -> Batch:
        rows: list[Any] = []
        lenient: list[int] = []
        skipped: list[tuple[int, str]] = []
        for position, line in enumerate(lines):
            try:
                record, strict = self._decode(line)
            except Unreadable as reason:
                rows.append(None)
                skipped.append((position, str(reason)))
                continue
            rows.append(self._made(record))
            if not strict:
                lenient.append(position)
        return rows, lenient, skipped

    def metrics(self, rows: list[Any], number_texts: Set[str] = frozenset()) -> dict[str, list[float | None]]:
        return {}


class RowReader:
    """Decodes lines into `Row` structs, growing the struct by the unnamed keys it meets."""

    def __init__(self, row: type[Struct], extras: bool) -> None:
        self.base = row
        self.known = _encoded_names(row)
        #: Learned key -> its type: Any where it was short when first seen, Raw where it was long.
        self.extras: dict[str, Any] = {}
        self._grow = extras
        self._make()

    def _make(self) -> None:
        self.row, self.decode = _grown(self.base, tuple(self.extras.items()), self._grow)

    def batch(self, lines: list[memoryview]) -> Batch:
        """(rows, positions of those read leniently, (position, reason) of those skipped). A skipped row is None."""
        while True:
            try:
                return list(map(self.decode, lines)), [], []
            except msgspec.ValidationError as error:
                if self._learn(str(error), lines):
                    continue
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                pass
            result = self._one_by_one(lines)
            if result is not None:
                return result

    def _one_by_one(self, lines: list[memoryview]) -> Batch | None:
        """None when a key was learned on the way: the rows before it lack it."""
        rows: list[Any] = []
        lenient: list[int] = []
        skipped: list[tuple[int, str]] = []
        for position, line in enumerate(lines):
            try:
                rows.append(self.decode(line))
                continue
            except msgspec.ValidationError as error:
                if self._learn(str(error), [line]):
                    return None
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                pass
            try:
                rows.append(self._from_record(read_record(line)))
                lenient.append(position)
            except Unreadable as reason:
                rows.append(None)
                skipped.append((position, str(reason)))
        return rows, lenient, skipped

    def _learn(self, message: str, lines: list[memoryview]) -> bool:
        """Add the unknown key that stopped the decoder, and all others of these lines: learning them one at a time would
        read the lines as often as there are keys."""
        match = _UNKNOWN_FIELD.search(message)
        if match is None:
            return False
        before = len(self.extras)
        for line in lines:
            try:
                record = _members(line)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                continue
            for key, value in record.items():
                self._add(key, value)
        if not _UNNAMEABLE.search(match[1]):  # else it is written otherwise than in the line
            self._add(match[1], Raw())
        if len(self.extras) == before:
            return False
        self._make()
        return True

    def _add(self, key: str, value: Raw) -> None:
        if key not in self.known and key not in self.extras and len(self.extras) < MAX_EXTRAS:
            first = bytes(memoryview(value)[:1])
            longest = MAX_MAPPING if first == b"{" else MAX_NUMBER
            # A number may have as many digits as its writer liked.
            self.extras[key] = Any if len(value) <= longest or first in _DIGITS else Raw

    def _from_record(self, record: dict[str, Any]) -> Any:
        if self._grow:
            for key, value in record.items():
                if key not in self.known and key not in self.extras:
                    self._add(key, to_raw(value))
        if len(self.extras) + len(self.base.__struct_fields__) != len(self.row.__struct_fields__):
            self._make()
        if any(map(_UNNAMEABLE.search, record)):
            record = {_nameable(key): value for key, value in record.items()}
        return convert(record, self.row)

    def metrics(self, rows: list[Any], number_texts: Set[str] = frozenset()) -> dict[str, list[float | None]]:
        """The numbers under learned keys, by name; those inside an object as `key/name` (inside `metrics`: as `name`)."""
        found: dict[str, list[float | None]] = {}
        mappings: list[tuple[str, list[Any]]] = []
        for place, (key, kind) in enumerate(self.extras.items()):
            attribute = _PREFIX + str(place)
            values = [getattr(row, attribute, None) for row in rows]
            if kind is Raw:
                values = [_short(value) for value in values]
            plain = [metric_number(key, value, number_texts) for value in values]
            if any(value is not None for value in plain):
                found[key] = plain
            if any(isinstance(value, dict) for value in values):
                mappings.append((nested_prefix(key), values))
        for prefix, values in mappings:
            _flatten(found, prefix, values)
        return found


def _nameable(key: str) -> str:
    """The key, or what stands for it in a row's type."""
    return f"<key {key.encode('utf-8', 'surrogatepass').hex()}>" if _UNNAMEABLE.search(key) else key


def convert(record: dict[str, Any], row: type[_Row]) -> _Row:
    """A row from a decoded record: a value of the wrong type is missing, not an error. Raw may be a row's own field, not
    one of structs inside it."""
    values: dict[str, Any] = {}
    for item in _fields(row):
        if item.encode_name not in record:
            continue
        value = record[item.encode_name]
        if item.type is Raw:
            # No JSON says a number that is not finite: a learned key keeps it as it is.
            learned = item.name.startswith(_PREFIX) and isinstance(value, float)
            values[item.name] = value if learned else to_raw(value)
            continue
        try:
            values[item.name] = msgspec.convert(value, item.type, strict=False)
        except (msgspec.ValidationError, ValueError, OverflowError):
            continue
    return row(**values)


def metric_number(key: str, value: Any, number_texts: Set[str]) -> float | None:
    """A number or a truth value; text is none (`"pred": "46"` is an answer), but for keys that are known to be numbers."""
    return None if isinstance(value, str) and key not in number_texts else as_number(value)


def nested_prefix(key: str) -> str:
    """Under which name the numbers of an object are known: `timing/total`, but `correct` for `metrics`."""
    return "" if key == "metrics" else f"{key}/"


def _short(value: Raw | float | None) -> Any:
    """What a key that was long when first seen holds now, where that may be a number."""
    if isinstance(value, float):
        return value
    if value is None or not (0 < len(value) <= MAX_NUMBER or bytes(memoryview(value)[:1]) in _DIGITS):
        return None
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError):  # its bytes were passed over, not looked at
        return None


def _flatten(found: dict[str, list[float | None]], prefix: str, values: list[Any]) -> None:
    for position, value in enumerate(values):
        for name, number in numbers(value, prefix) if isinstance(value, dict) else ():
            column = found.get(name)
            if column is None:
                if len(found) >= MAX_EXTRAS:
                    continue
                column = found[name] = [None] * len(values)
            if column[position] is None:
                column[position] = number
