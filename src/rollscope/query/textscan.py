"""Looking into the samples' text: which ones match a pattern, and where.

Raw bytes first: a line that lacks a stretch of plain characters every match must have is not decoded. JSON may write
any character as `\\uXXXX`, so a line with such escapes is always decoded: nothing that matches is missed.
Runs in a worker over a stretch of a file, or in place.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Callable, Iterator
from typing import Literal

import msgspec
import re2
from msgspec import Struct

from rollscope.errors import UsageError
from rollscope.formats.base import Format, Place, Source
from rollscope.formats.files import Directory
from rollscope.formats.jsonl import JsonlFormat
from rollscope.formats.registry import from_reference
from rollscope.formats.window import MAP_FROM, mapping_allowed

FUNCTION = "rollscope.query.textscan:scan_texts"
SNIPPET = 60
#: Characters JSON writers leave as they are. `/`, quotes, backslashes and control characters may be escaped.
_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;!?()\[\]{}+*=^%$#@~|`-]+")
#: ASCII letters that a letter beyond ASCII folds to (K from the Kelvin sign, s from the long s).
_FOLDS_BEYOND_ASCII = re.compile(r"[ksKS]")
_ESCAPED_ASCII = re.compile(rb"\\u00[2-7]", re.IGNORECASE)


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


def required_bytes(pattern: Pattern) -> bytes | None:
    """The longest run of plain characters in a literal, which an unescaped match contains; None: decode every line."""
    if pattern.regex:
        return None
    runs = _PLAIN.findall(pattern.text)
    if pattern.ignore_case:
        runs = [piece for run in runs for piece in _FOLDS_BEYOND_ASCII.split(run)]
    longest = max(runs, key=len, default="")
    if not longest:
        return None
    return (longest.lower() if pattern.ignore_case else longest).encode()


def _candidates(
    task: TextTask, format_: Format, directory: Directory
) -> Iterator[tuple[int, list[tuple[Literal["prompt", "response", "golden"] | str, str]]]]:
    if not (isinstance(format_, JsonlFormat) and format_.texts_in_line):
        for position in range(len(task.offsets)):
            yield position, format_.texts(directory, task.source, _place(task, position))
        return
    needle = required_bytes(task.pattern)
    fold = task.pattern.ignore_case
    with directory.open(task.source.path) as file:
        size = os.fstat(file.fileno()).st_size
        mapped = (
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if mapping_allowed() and size >= MAP_FROM else None
        )
        for position, (offset, length) in enumerate(zip(task.offsets, task.lengths)):
            if (
                mapped is not None
                and needle is not None
                and not fold
                and not _may_match(mapped, needle, offset, length)
            ):
                continue
            line = mapped[offset : offset + length] if mapped is not None else os.pread(file.fileno(), length, offset)
            if (
                needle is not None
                and (mapped is None or fold)
                and needle not in (line.lower() if fold else line)
                and not _has_escapes(line, fold)
            ):
                continue
            yield position, format_.line_texts(line, task.source, _place(task, position))


def _may_match(mapped: mmap.mmap, needle: bytes, offset: int, length: int) -> bool:
    end = offset + length
    if mapped.find(needle, offset, end) >= 0:
        return True
    at = mapped.find(b"\\u00", offset, end)
    return at >= 0 and _ESCAPED_ASCII.search(mapped, at, end) is not None


def _has_escapes(line: bytes, fold: bool) -> bool:
    """Could a match be hidden behind `\\uXXXX`? When case is ignored, letters beyond ASCII may fold into the needle."""
    return b"\\u" in line if fold else _ESCAPED_ASCII.search(line) is not None


def _place(task: TextTask, position: int) -> Place:
    return Place(
        offset=task.offsets[position],
        length=task.lengths[position],
        member=task.members[position] if task.members else "",
        split=task.splits[position],
        step=task.steps[position],
        group=task.groups[position],
    )
