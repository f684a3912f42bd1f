"""Base of all formats whose samples are lines of JSON: scans at full speed, and leniently where needed.

A format names the scalars it reads in a msgspec Struct (`Row`) and leaves the texts as `Raw`: they are skipped, not
decoded. Rows are decoded in batches (see `row_reader`) and turned into columns by the format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import xxhash
from msgspec import Raw, Struct

from rollscope.formats.base import Format, Place, Scan, Source, Texts, sample_texts
from rollscope.formats.lines import sealed
from rollscope.formats.lines.lenient import (
    BOM,
    Unreadable,
    all_utf8,
    decode_line,
    invalid_utf8,
    printable,
    read_record,
    why_repaired,
)
from rollscope.formats.lines.row_reader import Reader, RowReader
from rollscope.model import REPAIRED, Sample, Skipped
from rollscope.storage.store import Store
from rollscope.storage.window import LINE_BYTES, Window

if TYPE_CHECKING:
    from rollscope.formats.containers.zstd import SeekableZstd

#: Whatever follows a backslash; of a character's number its digits, and those of the other half where it has two.
_ESCAPE = re.compile(rb"\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4})|.)", re.IGNORECASE | re.DOTALL)
BATCH_BYTES = 1 << 20
#: How many rows are held as Python objects before they become columns: a dump of tiny lines must not fill the memory.
MAX_ROWS = 50_000
#: Why a line is left out that is written as it should be.
NO_SAMPLE = (
    "it tells of no sample: it has no prompt, response, reward or group under the keys that other lines have them, or none of "
    "these texts and another word for what it is."
)


class JsonlFormat(Format):
    """Subclasses name `Row` and write `columns` and `sample`."""

    Row: ClassVar[type[Struct]]
    texts_in_line: ClassVar[bool] = True
    #: Numbers under keys that `Row` does not name become "metrics.KEY".
    extras: ClassVar[bool] = True
    #: Keys whose texts are to be read as numbers: some writers turn numpy values into text.
    number_texts: ClassVar[frozenset[str]] = frozenset()

    def row_type(self, store: Store, source: Source) -> type[Struct]:
        return self.Row

    def columns(self, rows: list[Any], source: Source) -> dict[str, Sequence[Any]]:
        """The scalar columns of these decoded rows. Values may be of any type: the index coerces them."""
        raise NotImplementedError

    def samples_per_row(self, rows: list[Any]) -> list[int] | None:
        """How many samples each of these lines holds, in a format where that may not be one (and which learns no keys):
        `columns` has an entry for each, and `member` distinguishes those of one line."""
        return None

    def no_samples(self, rows: list[Any], source: Source) -> Sequence[int]:
        """Which of these rows (None: a line that was skipped) tell of something else than a sample."""
        return ()

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        """A decoded record as a sample."""
        raise NotImplementedError

    def reader(self, store: Store, source: Source) -> Reader:
        return RowReader(self.row_type(store, source), self.extras)

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        reader = self.reader(store, source)
        out = ScanBuilder(source, start)
        if sealed.is_sealed(source.path):
            self._scan_sealed(store, reader, out, end)
            return out.result()
        with store.window(source.path, start, end + LINE_BYTES) as window:
            size = window.size
            position = _first_line_start(window, start, size)
            while position < min(end, size):
                begin = position
                lines, starts, position, finished = _next_lines(window, begin, min(end, size), size)
                self._add_batch(out, reader, lines, starts, window.slice(begin, position))
                if lines:
                    out.end = position
                if not finished:
                    break
                if out.rows >= MAX_ROWS:
                    out.more = True
                    break
        return out.result()

    def _scan_sealed(self, store: Store, reader: Reader, out: ScanBuilder, end: int) -> None:
        """The lines of the frames that begin in this range of a compressed file."""

        start = out.end

        def frames(text: SeekableZstd) -> None:
            out.clear()  # it may be the second attempt at a file that was just being replaced
            last = text.frame_from(end)
            for number in range(text.frame_from(start), last):
                lines, starts, whole = sealed.frame_lines(text, number)
                self._add_batch(out, reader, lines, starts, whole)
                if out.rows >= MAX_ROWS and number + 1 < last:
                    out.end, out.more = text.packed[number + 1], True
                    return
            out.end = min(end, text.file_size)

        try:
            sealed.use(store, out.source.path, frames)
        except Unreadable as error:
            out.clear()
            out.skip(-1, f"{error}. It is read again when it changes.")
            out.end = end

    def _add_batch(
        self, out: ScanBuilder, reader: Reader, lines: list[memoryview], starts: list[int], whole: memoryview
    ) -> None:
        """Add these lines, which are contiguous in `whole`."""
        first_line = out.lines
        out.lines += len(lines)
        filled = [i for i, line in enumerate(lines) if len(line) > 2 or bytes(line).strip()]
        if len(filled) < len(lines):
            lines, starts = [lines[i] for i in filled], [starts[i] for i in filled]
        if not lines:
            return
        rows, lenient, skipped = reader.batch(lines)
        for position in self.no_samples(rows, out.source):
            rows[position] = None
            skipped.append((position, NO_SAMPLE))
        for position, reason in skipped:
            out.skip(first_line + filled[position], reason)
        # Texts are skipped, not decoded, so their bytes have not been checked elsewhere.
        odd = set(lenient)
        if not all_utf8(whole):
            odd |= {position for position, line in enumerate(lines) if invalid_utf8(line) is not None}
        for position in sorted(odd):
            if rows[position] is not None and (repair := why_repaired(lines[position])) is not None:
                out.skip(first_line + filled[position], f"{REPAIRED}{repair}")
        kept: Sequence[int] = [i for i, row in enumerate(rows) if row is not None] if skipped else range(len(rows))
        good = [rows[i] for i in kept] if skipped else rows
        if not good:
            return
        columns = dict(self.columns(good, out.source))
        counts = self.samples_per_row(good)
        if counts is not None:
            kept = [i for i, count in zip(kept, counts) for _ in range(count)]
        for name, values in reader.metrics(good, self.number_texts).items():
            columns.setdefault(f"metrics.{name}", values)
        columns["offset"] = [starts[i] for i in kept]
        columns["length"] = [len(lines[i]) for i in kept]
        columns["line"] = [first_line + filled[i] for i in kept]
        columns["lenient"] = [i in odd for i in kept] if odd else [False] * len(kept)
        out.add(columns, len(kept))

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        record, strict = decode_line(sealed.read_line(store, source, place))
        sample = self.sample(record, source, place)
        sample.record = record if strict else printable(record)
        return sample

    def texts(self, store: Store, source: Source, place: Place) -> Texts:
        return self.line_texts(sealed.read_line(store, source, place), source, place)

    def line_texts(self, line: bytes | memoryview, source: Source, place: Place) -> Texts:
        """The searchable texts of one line; override where they can be had without building a sample."""
        return sample_texts(self.sample(decode_line(line)[0], source, place))


def prompt_hash(raw: Raw | bytes) -> int | None:
    """A 64-bit name for a prompt's JSON bytes, so that it can be followed over steps, files and runs: one writer's
    `\\u00e9` is another's `é`."""
    if len(raw) <= 2:
        return None
    text = bytes(raw)
    return int(xxhash.xxh3_64_intdigest(_ESCAPE.sub(_unescaped, text) if b"\\u" in text else text))


def _unescaped(match: re.Match[bytes]) -> bytes:
    """A character that needs no escape as itself; half of a pair as `lenient` writes it."""
    text = match[3] or (match[1] and match[1] + match[2])
    if not text:
        return match[0]
    sign = bytes.fromhex(text.decode()).decode("utf-16-be", "surrogatepass")
    if "\ud800" <= sign <= "\udfff":
        return b"\\\\u" + text.lower()
    return msgspec.json.encode(sign)[1:-1]


def _first_line_start(window: Window, start: int, size: int) -> int:
    """Where the first line at or after `start` begins (`size` if there is none)."""
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
                lines.append(_without_return(rest))
                starts.append(position)
                return lines, starts, size, True
            return lines, starts, position, False
        lines.append(_without_return(window.slice(position, newline)))
        starts.append(position)
        position = newline + 1
    return lines, starts, position, True


def _without_return(line: memoryview) -> memoryview:
    """A line that ends in CRLF is as long as it was before its end arrived."""
    return line[:-1] if len(line) and line[-1] == _RETURN else line


_RETURN = ord("\r")


def _is_whole(line: memoryview) -> bool:
    """A last line without a newline counts if it is complete: some writers never end it."""
    tail = bytes(line[-64:]).rstrip(b"\r\n \t\0")
    if tail.endswith(b"]"):
        try:
            return isinstance(msgspec.json.decode(line, type=list[Raw]), list)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return False
    if not tail.endswith(b"}"):
        return False
    try:
        msgspec.json.decode(line, type=dict[str, Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        try:
            read_record(line)
        except Unreadable:
            return False
    return True


class ScanBuilder:
    """Collects batches whose columns differ into equally long columns."""

    def __init__(self, source: Source, start: int) -> None:
        self.source = source
        self.columns: dict[str, list[Any]] = {}
        self.rows = 0
        self.lines = 0
        self.end = start
        self.more = False
        self.skipped: list[Skipped] = []

    def clear(self) -> None:
        """Discard what was read from a file before it turned out to be damaged."""
        self.columns, self.rows, self.lines = {}, 0, 0

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
            skipped=sorted(self.skipped, key=lambda item: item.line),
            end=self.end,
            lines=self.lines,
            more=self.more,
        )
