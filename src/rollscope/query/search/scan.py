"""Looking into the samples' text: which ones match a pattern, and where. Lines that cannot match are not decoded.

Runs in a worker over a stretch of a file, or in place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress

import msgspec
import re2
from msgspec import Struct

from rollscope.errors import UnreadableError, UsageError, check_utf8
from rollscope.formats.base import Format, Texts
from rollscope.formats.lines import sealed
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.registry import from_reference
from rollscope.index.engines.base import Task
from rollscope.index.rows.row_texts import (
    FileRows,
    are_lines,
    bytes_of,
    is_sparse,
    lines_one_by_one,
    place_of_row,
    without_long,
)
from rollscope.query.search.prefilter import Needle, candidates, needle
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Store

FUNCTION = "rollscope.query.search.scan:scan_texts"
SNIPPET = 60
#: How much of a line that is too long to be decoded is looked at at once, and how much of it again with the next piece.
LONG_PIECE = 8 << 20
LONG_OVERLAP = 64 << 10


class Pattern(Struct, array_like=True, frozen=True):
    """What to look for. A literal unless `regex`."""

    text: str
    regex: bool = False
    ignore_case: bool = False


class TextTask(Struct, array_like=True):
    """Rows of one or several files to look into. Small files share a task: 100,000 files must not be 100,000 tasks."""

    format: str
    #: The store's address.
    address: bytes
    pattern: Pattern
    #: Fields to look in ("prompt", "response", "golden"); empty: all.
    fields: list[str]
    files: list[FileRows]
    #: Longer lines are not decoded (None: all are).
    max_line: int | None = None


#: The field of a hit that is none: the line may hold a match, and is too long to be decoded.
TOO_LONG = ""


class TextHit(Struct, array_like=True):
    """A match in the row at `position` of the task, counted over all its files."""

    position: int
    field: str
    start: int
    end: int
    snippet: str
    snippet_start: int
    snippet_end: int


_tasks = msgspec.msgpack.Decoder(TextTask)
_hits = msgspec.msgpack.Decoder(list[TextHit])


def engine_task(task: TextTask) -> Task:
    return Task(FUNCTION, msgspec.msgpack.encode(task))


def decode_hits(data: bytes) -> list[TextHit]:
    return _hits.decode(data)


def scan_texts(payload: bytes) -> bytes:
    task = _tasks.decode(payload)
    return msgspec.msgpack.encode(
        list(find_in_rows(task, from_reference(task.format), open_store(os.fsdecode(task.address))))
    )


def find_in_rows(task: TextTask, format_: Format, store: Store) -> Iterator[TextHit]:
    """The first match in each field of each row that matches. Raises UnreadableError for a file that has gone."""
    finder = matcher(task.pattern)
    wanted = frozenset(task.fields)
    required = _required(task, format_, store)
    before = 0
    for rows in task.files:
        rows_here, places, long = without_long(rows, task.max_line)
        for position in long:
            if _may_match(rows, position, required, format_, store):
                yield TextHit(before + position, TOO_LONG, 0, 0, "", 0, 0)
        for place, texts in texts_of_rows(rows_here, format_, store, required):
            position = places[place]
            for field, text in texts:
                if wanted and field not in wanted:
                    continue
                span = finder(text)
                if span is not None:
                    yield _hit(before + position, field, text, *span)
        before += len(rows.offsets)


def _may_match(rows: FileRows, position: int, wanted: Needle | None, format_: Format, store: Store) -> bool:
    """Looks at the bytes of a long line, a piece at a time: most hold no match, and then nothing is left out."""
    if wanted is None or not are_lines(rows, format_):
        return True
    start, length = rows.offsets[position], rows.lengths[position]
    for at in range(0, length, LONG_PIECE):
        piece = sealed.read_bytes(store, rows.source.path, start + at, min(LONG_PIECE + LONG_OVERLAP, length - at))
        if wanted.may_be_in(piece, 0, len(piece)):
            return True
    return False


def texts_of_rows(
    rows: FileRows, format_: Format, store: Store, wanted: Needle | None = None
) -> Iterator[tuple[int, Texts]]:
    """(position, texts) of the rows that may match, or of all. Rows that are no longer there are passed over; raises
    UnreadableError for a file that has gone."""
    if not rows.offsets:
        return
    try:
        yield from _candidates(rows, wanted, format_, store)
    except OSError as error:
        raise UnreadableError(
            f"{rows.source.path} could not be read: {error.strerror}", hint="refresh and try again"
        ) from None


def _hit(position: int, field: str, text: str, start: int, end: int) -> TextHit:
    left = max(0, start - SNIPPET)
    right = min(len(text), max(end, min(end, start + 200)) + SNIPPET)
    shown_end = min(end, right)
    return TextHit(position, field, start, end, text[left:right], start - left, shown_end - left)


def matcher(pattern: Pattern) -> Callable[[str], tuple[int, int] | None]:
    """text -> the span of its first match. Raises UsageError for a bad regular expression, or none that is UTF-8."""
    check_utf8(pattern.text, "the pattern")
    if not pattern.regex and not pattern.ignore_case:
        needle = pattern.text

        def find(text: str) -> tuple[int, int] | None:
            start = text.find(needle)
            return (start, start + len(needle)) if start >= 0 else None

        return find
    expression = pattern.text if pattern.regex else re2.escape(pattern.text)
    options = re2.Options()
    options.case_sensitive = not pattern.ignore_case
    options.log_errors = False
    try:
        compiled = re2.compile(expression, options)
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error.args[0])
        raise UsageError(f"the pattern is not a regular expression: {reason}", hint="syntax: RE2") from None

    def search(text: str) -> tuple[int, int] | None:
        found = compiled.search(text)
        return found.span() if found is not None else None

    return search


def _required(task: TextTask, format_: Format, store: Store) -> Needle | None:
    """What the bytes of every matching line have; made once a task, since compiling it takes as long as a small file."""
    pattern = task.pattern
    if pattern.regex or not format_.texts_in_line:
        return None
    sources = {rows.source.note: rows.source for rows in task.files}.values()
    respelled = {expression for source in sources if (expression := format_.respelled(store, source)) is not None}
    return needle(pattern.text, pattern.ignore_case, format_.reworded, format_.piece, sorted(respelled))


def _candidates(rows: FileRows, wanted: Needle | None, format_: Format, store: Store) -> Iterator[tuple[int, Texts]]:
    if not are_lines(rows, format_):
        for position in range(len(rows.offsets)):
            # An archive that is rewritten while we read it may no longer have the row: there is nothing to find in it.
            # A damaged record has no text either, whatever its format raises for it.
            try:
                texts = format_.texts(store, rows.source, place_of_row(rows, position))
            except OSError:
                raise
            except Exception:  # noqa: BLE001, S112  # the sample itself says what is wrong with it
                continue
            yield position, texts
        return
    with suppress(Unreadable):  # a sealed file that was damaged since it was indexed
        for position, line in _sparse(rows, store, wanted) if is_sparse(rows) else _dense(rows, store, wanted):
            with suppress(Unreadable):  # the file was rewritten since it was indexed
                yield position, format_.line_texts(line, rows.source, place_of_row(rows, position))


def _sparse(rows: FileRows, store: Store, wanted: Needle | None) -> Iterator[tuple[int, bytes]]:
    lines = lines_one_by_one(rows, store)
    for position, line in enumerate(lines):
        if wanted is None or wanted.may_be_in(line, 0, len(line)):
            yield position, line


def _dense(rows: FileRows, store: Store, wanted: Needle | None) -> Iterator[tuple[int, bytes]]:
    base, buffer = bytes_of(rows, store)
    offsets = [offset - base for offset in rows.offsets]
    for position in candidates(buffer, offsets, rows.lengths, wanted):
        yield position, buffer[offsets[position] : offsets[position] + rows.lengths[position]]
