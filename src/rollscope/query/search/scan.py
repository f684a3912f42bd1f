"""Looking into the samples' text: which ones match a pattern, and where. Lines that cannot match are not decoded.

Runs in a worker over a stretch of a file, or in place.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import suppress

import msgspec
import re2
from msgspec import Struct

from rollscope.errors import NotFoundError, UnreadableError, UsageError
from rollscope.formats.base import Format, Place, Source, Texts
from rollscope.formats.lines.jsonl import JsonlFormat
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.registry import from_reference
from rollscope.query.search.prefilter import Needle, candidates, needle
from rollscope.storage.local import Directory
from rollscope.storage.window import MAP_FROM, mapping_allowed

FUNCTION = "rollscope.query.search.scan:scan_texts"
SNIPPET = 60


class Pattern(Struct, array_like=True, frozen=True):
    """What to look for. A literal unless `regex`."""

    text: str
    regex: bool = False
    ignore_case: bool = False


class TextTask(Struct, array_like=True):
    """Rows of one file to look into, as columns."""

    format: str
    root: bytes
    source: Source
    pattern: Pattern
    #: Fields to look in ("prompt", "response", "golden"); empty: all.
    fields: list[str]
    offsets: list[int]
    lengths: list[int]
    members: list[str]
    splits: list[str]
    steps: list[int]
    groups: list[str | None]


class TextHit(Struct, array_like=True):
    """A match in the row at `position` of the task."""

    position: int
    field: str
    start: int
    end: int
    snippet: str
    snippet_start: int
    snippet_end: int


_tasks = msgspec.msgpack.Decoder(TextTask)
_hits = msgspec.msgpack.Decoder(list[TextHit])
encode_task = msgspec.msgpack.encode


def decode_hits(data: bytes) -> list[TextHit]:
    return _hits.decode(data)


def scan_texts(payload: bytes) -> bytes:
    task = _tasks.decode(payload)
    return msgspec.msgpack.encode(
        list(find_in_rows(task, from_reference(task.format), Directory(os.fsdecode(task.root))))
    )


def find_in_rows(task: TextTask, format_: Format, directory: Directory) -> Iterator[TextHit]:
    """The first match in each field of each row that matches."""
    finder = matcher(task.pattern)
    wanted = frozenset(task.fields)
    for position, texts in _candidates(task, format_, directory):
        for field, text in texts:
            if wanted and field not in wanted:
                continue
            span = finder(text)
            if span is not None:
                yield _hit(position, field, text, *span)


def _hit(position: int, field: str, text: str, start: int, end: int) -> TextHit:
    left = max(0, start - SNIPPET)
    right = min(len(text), max(end, min(end, start + 200)) + SNIPPET)
    shown_end = min(end, right)
    return TextHit(position, field, start, end, text[left:right], start - left, shown_end - left)


def matcher(pattern: Pattern) -> Callable[[str], tuple[int, int] | None]:
    """text -> the span of its first match. Raises UsageError for a bad regular expression."""
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


def _candidates(task: TextTask, format_: Format, directory: Directory) -> Iterator[tuple[int, Texts]]:
    if not (isinstance(format_, JsonlFormat) and format_.texts_in_line):
        for position in range(len(task.offsets)):
            # An archive that is rewritten while we read it may no longer have the row: there is nothing to find in it.
            with suppress(NotFoundError, UnreadableError, Unreadable):
                yield position, format_.texts(directory, task.source, _place(task, position))
        return
    pattern = task.pattern
    wanted = None if pattern.regex else needle(pattern.text, pattern.ignore_case, format_.reworded)
    for position, line in _sparse(task, directory, wanted) if _is_sparse(task) else _dense(task, directory, wanted):
        with suppress(Unreadable):  # the file was rewritten since it was indexed
            yield position, format_.line_texts(line, task.source, _place(task, position))


def _is_sparse(task: TextTask) -> bool:
    """Few lines far apart, as a filter leaves them over: they are read one by one."""
    return sum(task.lengths) * 4 < task.offsets[-1] + task.lengths[-1] - task.offsets[0]


def _sparse(task: TextTask, directory: Directory, wanted: Needle | None) -> Iterator[tuple[int, bytes]]:
    with directory.open(task.source.path) as file:
        for position, (offset, length) in enumerate(zip(task.offsets, task.lengths)):
            line = os.pread(file.fileno(), length, offset)
            if wanted is None or wanted.may_be_in(memoryview(line)):
                yield position, line


def _dense(task: TextTask, directory: Directory, wanted: Needle | None) -> Iterator[tuple[int, bytes]]:
    base, buffer = _bytes_of(task, directory)
    offsets = [offset - base for offset in task.offsets]
    for position in candidates(buffer, offsets, task.lengths, wanted):
        yield position, buffer[offsets[position] : offsets[position] + task.lengths[position]]


def _bytes_of(task: TextTask, directory: Directory) -> tuple[int, bytes | mmap.mmap]:
    """(file position of its first byte, the bytes the task's lines lie in): mapped in a worker, read elsewhere."""
    start, end = task.offsets[0], task.offsets[-1] + task.lengths[-1]
    if not mapping_allowed() or end - start < MAP_FROM:
        return start, directory.read(task.source.path, start, end - start)
    base = start - start % mmap.ALLOCATIONGRANULARITY
    with directory.open(task.source.path) as file:
        return base, mmap.mmap(file.fileno(), end - base, offset=base, access=mmap.ACCESS_READ)


def _place(task: TextTask, position: int) -> Place:
    return Place(
        offset=task.offsets[position],
        length=task.lengths[position],
        member=task.members[position] if task.members else "",
        split=task.splits[position],
        step=task.steps[position],
        group=task.groups[position],
    )
