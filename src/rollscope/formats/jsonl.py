"""Base of all formats whose samples are lines of JSON: scanning at full speed, leniently where needed.

A format names the scalars it reads in a msgspec Struct (`Row`) and leaves the texts as `Raw`: they are skipped, not
decoded. Rows are decoded in batches and turned into columns by the format; a batch with a bad line is read again line
by line. Keys that `Row` does not name are learned as they appear (`extras`), so that every number is a column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import msgspec
import xxhash
from msgspec import Raw, Struct

from rollscope.formats.base import Format, Place, Scan, Source, Texts, sample_texts
from rollscope.formats.files import Directory
from rollscope.formats.lenient import BOM, Unreadable, printable, read_record, to_raw, why_lenient
from rollscope.formats.window import Window, open_window
from rollscope.model import Sample, Skipped, as_number

BATCH_BYTES = 1 << 20
#: Distinct unnamed keys that become columns; more than this is data, not fields.
MAX_EXTRAS = 200
#: Rows held as Python objects before they are handed over: a dump of tiny lines must not fill the memory.
MAX_ROWS = 50_000

_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_UNNAMEABLE = re.compile(r'[\\"\x00-\x1f]')
_PREFIX = "x_"


class RowReader:
    """Decodes lines into `Row` structs, growing the struct by the unnamed keys it meets."""

    def __init__(self, row: type[Struct], extras: bool) -> None:
        self.base = row
        self.known = {item.encode_name for item in msgspec.structs.fields(row)}
        self.extras: dict[str, str] = {}
        self._grow = extras
        self._make()

    def _make(self) -> None:
        fields: list[tuple[str, Any, Any]] = [
            (_PREFIX + str(i), Any, None) if kind == "scalar" else (_PREFIX + str(i), Raw, Raw())
            for i, kind in enumerate(self.extras.values())
        ]
        self.row: type[Struct] = msgspec.defstruct(
            self.base.__name__,
            fields,
            bases=(self.base,),
            kw_only=True,
            forbid_unknown_fields=self._grow and len(self.extras) < MAX_EXTRAS,
            rename={_PREFIX + str(i): key for i, key in enumerate(self.extras)},
            gc=False,
        )
        self.decode: Callable[[bytes | memoryview], Any] = msgspec.json.Decoder(self.row).decode

    def extra_names(self) -> list[tuple[str, str]]:
        """(attribute, key) of the learned keys that may hold numbers."""
        return [(_PREFIX + str(i), key) for i, (key, kind) in enumerate(self.extras.items()) if kind == "scalar"]

    def batch(self, lines: list[memoryview]) -> tuple[list[Any], list[int], list[tuple[int, str]]]:
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

    def _one_by_one(self, lines: list[memoryview]) -> tuple[list[Any], list[int], list[tuple[int, str]]] | None:
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
        """Add the unknown key that stopped the decoder, and its neighbours in the first line that has it."""
        match = _UNKNOWN_FIELD.search(message)
        if match is None:
            return False
        before = len(self.extras)
        for line in lines:
            try:
                record = msgspec.json.decode(line)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                continue
            if isinstance(record, dict) and match[1] in record:
                for key, value in record.items():
                    self._add(key, value)
                break
        else:
            self._add(match[1], None)
        if len(self.extras) == before:
            return False
        self._make()
        return True

    def _add(self, key: str, value: Any) -> None:
        if _UNNAMEABLE.search(key):
            return  # msgspec takes no such names; lines that have them are read leniently
        if key not in self.known and key not in self.extras and len(self.extras) < MAX_EXTRAS:
            self.extras[key] = "raw" if isinstance(value, (str, list, dict)) and len(str(value)) > 40 else "scalar"

    def _from_record(self, record: dict[str, Any]) -> Any:
        """A row from a leniently read record: a value of the wrong type is missing, not an error."""
        for key, value in record.items():
            if self._grow:
                self._add(key, value)
        if len(self.extras) + len(self.base.__struct_fields__) != len(self.row.__struct_fields__):
            self._make()
        values: dict[str, Any] = {}
        for item in msgspec.structs.fields(self.row):
            if item.encode_name not in record:
                continue
            value = record[item.encode_name]
            if item.type is Raw:
                values[item.name] = to_raw(value)
                continue
            try:
                values[item.name] = msgspec.convert(value, item.type, strict=False)
            except (msgspec.ValidationError, ValueError, OverflowError):
                continue
        return self.row(**values)


class JsonlFormat(Format):
    """Subclasses name `Row` and write `columns` and `sample`."""

    Row: ClassVar[type[Struct]]
    #: A line holds all of its sample's text; False where other files must be read too.
    texts_in_line: ClassVar[bool] = True
    #: Numbers under keys that `Row` does not name become "metrics.KEY".
    extras: ClassVar[bool] = True

    def row_type(self, directory: Directory, source: Source) -> type[Struct]:
        return self.Row

    def columns(self, rows: list[Any], source: Source) -> dict[str, Sequence[Any]]:
        """The scalar columns of these decoded rows. Values may be of any type: the index coerces them."""
        raise NotImplementedError

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        """One record, decoded, as a sample."""
        raise NotImplementedError

    def scan(self, directory: Directory, source: Source, start: int, end: int) -> Scan:
        reader = RowReader(self.row_type(directory, source), self.extras)
        out = _ScanBuilder(source)
        with open_window(directory.path(source.path), start, end) as (window, size):
            position = _first_line_start(window, start, size)
            out.end = min(position, size)
            while position < min(end, size):
                lines, starts, position, finished = _next_lines(window, position, min(end, size), size)
                self._add_batch(out, reader, lines, starts)
                out.end = position
                if not finished:
                    break
                if out.rows >= MAX_ROWS:
                    out.more = True
                    break
        return out.result()

    def _add_batch(self, out: _ScanBuilder, reader: RowReader, lines: list[memoryview], starts: list[int]) -> None:
        first_line = out.lines
        out.lines += len(lines)
        filled = [i for i, line in enumerate(lines) if len(line) > 2 or bytes(line).strip()]
        if len(filled) < len(lines):
            lines, starts = [lines[i] for i in filled], [starts[i] for i in filled]
        if not lines:
            return
        rows, lenient, skipped = reader.batch(lines)
        repaired = _invalid_utf8(lines)
        for position, reason in skipped:
            out.skip(first_line + filled[position], reason)
        for position, reason in repaired:
            if rows[position] is not None:
                out.skip(first_line + filled[position], f"repaired: {reason}")
        kept = [i for i, row in enumerate(rows) if row is not None] if skipped else range(len(rows))
        good = [rows[i] for i in kept] if skipped else rows
        if not good:
            return
        columns = dict(self.columns(good, out.source))
        for attribute, key in reader.extra_names():
            values = [as_number(getattr(row, attribute, None)) for row in good]
            if any(value is not None for value in values):
                columns.setdefault(f"metrics.{key}", values)
        columns["offset"] = [starts[i] for i in kept]
        columns["length"] = [len(lines[i]) for i in kept]
        columns["line"] = [first_line + filled[i] for i in kept]
        odd = {*lenient, *(position for position, _ in repaired)}
        columns["lenient"] = [i in odd for i in kept] if odd else [False] * len(good)
        out.add(columns, len(good))

    def load(self, directory: Directory, source: Source, place: Place) -> Sample:
        record, strict = decode_line(directory.read(source.path, place.offset, place.length))
        sample = self.sample(record, source, place)
        sample.record = record if strict else printable(record)
        return sample

    def texts(self, directory: Directory, source: Source, place: Place) -> Texts:
        return self.line_texts(directory.read(source.path, place.offset, place.length), source, place)

    def line_texts(self, line: bytes | memoryview, source: Source, place: Place) -> Texts:
        """The searchable texts of one line; override where they can be had without building a sample."""
        return sample_texts(self.sample(decode_line(line)[0], source, place))


def decode_line(line: bytes | memoryview) -> tuple[dict[str, Any], bool]:
    """(record, whether it was strict JSON). Raises `Unreadable` for a line that holds no record."""
    try:
        value = msgspec.json.decode(line)
        if isinstance(value, dict):
            return value, True
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    return read_record(line), False


def prompt_hash(raw: Raw | bytes) -> int | None:
    """A 64-bit name for a prompt's JSON bytes, so that it can be followed over steps."""
    return int(xxhash.xxh3_64_intdigest(raw)) if len(raw) > 2 else None


def _first_line_start(window: Window, start: int, size: int) -> int:
    """Where the first line that begins at or after `start` begins (`size` when there is none)."""
    if start == 0:
        return 3 if size >= 3 and bytes(window.slice(0, 3)) == BOM else 0
    if start > size:
        return size
    newline = window.find_newline(start - 1)
    return size if newline < 0 else newline + 1


def _next_lines(window: Window, position: int, end: int, size: int) -> tuple[list[memoryview], list[int], int, bool]:
    """(lines, their starts, where the next batch begins, finished). Not finished: the file's last line has no newline
    and is not whole; it waits."""
    lines: list[memoryview] = []
    starts: list[int] = []
    stop = min(end, position + BATCH_BYTES)
    while position < stop:
        newline = window.find_newline(position)
        if newline < 0:
            if _is_whole(rest := window.slice(position, size)):
                lines.append(rest)
                starts.append(position)
                return lines, starts, size, True
            return lines, starts, position, False
        lines.append(window.slice(position, newline))
        starts.append(position)
        position = newline + 1
    return lines, starts, position, True


def _is_whole(line: memoryview) -> bool:
    """A last line without a newline counts when it is a complete object: some writers never end it."""
    tail = bytes(line[-64:]).rstrip()
    if not tail.endswith(b"}"):
        return False
    try:
        return isinstance(read_record(line), dict)
    except Unreadable:
        return False


def _invalid_utf8(lines: list[memoryview]) -> list[tuple[int, str]]:
    """Texts are skipped, not decoded, so nobody else has looked at their bytes: check the batch at memory speed."""
    found = []
    for position, line in enumerate(lines):
        try:
            str(line, "utf-8")
        except UnicodeDecodeError:
            found.append((position, why_lenient(line) or "invalid UTF-8"))
    return found


class _ScanBuilder:
    """Collects batches whose columns differ into equally long columns."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.columns: dict[str, list[Any]] = {}
        self.rows = 0
        self.lines = 0
        self.end = 0
        self.more = False
        self.skipped: list[Skipped] = []

    def skip(self, line: int, reason: str) -> None:
        self.skipped.append(Skipped(file=self.source.path, line=line + 1, reason=reason))

    def add(self, columns: dict[str, Sequence[Any]], count: int) -> None:
        for name, values in columns.items():
            column = self.columns.get(name)
            if column is None:
                column = self.columns[name] = [None] * self.rows
            column.extend(values)
        self.rows += count
        for column in self.columns.values():
            if len(column) < self.rows:
                column.extend([None] * (self.rows - len(column)))

    def result(self) -> Scan:
        return Scan(
            columns=dict(self.columns),
            rows=self.rows,
            skipped=self.skipped,
            end=self.end,
            lines=self.lines,
            more=self.more,
        )
