"""Which lines may match, told from their raw bytes: most are passed over without being decoded.

JSON may write any character as `\\uXXXX`. So a line is a candidate when it has the bytes every match must have, or when
it has such escapes: nothing that matches is missed. A whole region is looked through at once (two passes at 3 and
5 GB/s); line by line costs three times that.
"""

from __future__ import annotations

import mmap
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

import re2

#: Characters JSON writers leave as they are. `/`, quotes, backslashes and control characters may be escaped.
_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;!?()\[\]{}+*=^%$#@~|`-]+")
#: ASCII letters that a letter beyond ASCII folds to (K from the Kelvin sign, s from the long s).
_FOLDS_BEYOND_ASCII = re.compile(r"[ksKS]")
# RE2 searches for the literal beginning of these with vector instructions.
_ESCAPED_ASCII = re2.compile(rb"\\u00[2-7]")
_ANY_ESCAPE = re2.compile(rb"\\u")


def required_bytes(text: str, ignore_case: bool) -> bytes | None:
    """The longest run of plain characters in a literal, which an unescaped match contains; None: there is none."""
    runs = _PLAIN.findall(text)
    if ignore_case:
        runs = [piece for run in runs for piece in _FOLDS_BEYOND_ASCII.split(run)]
    longest: str = max(runs, key=len, default="")
    if not longest:
        return None
    return (longest.lower() if ignore_case else longest).encode()


def candidates(
    buffer: mmap.mmap | bytes, offsets: Sequence[int], lengths: Sequence[int], needle: bytes | None, ignore_case: bool
) -> Iterator[int]:
    """Positions of the lines that may hold a match, in order. `offsets` must rise."""
    if needle is None or not offsets:
        yield from range(len(offsets))
        return
    start, end = offsets[0], offsets[-1] + lengths[-1]
    escapes = _ANY_ESCAPE if ignore_case else _ESCAPED_ASCII
    escaped = escapes.search(memoryview(buffer)[start:end]) is not None
    sparse = sum(lengths) * 2 < end - start
    if escaped or ignore_case or sparse:
        yield from _line_by_line(buffer, offsets, lengths, needle, ignore_case, escaped)
        return
    at = buffer.find(needle, start, end)
    while at >= 0:
        position = bisect_right(offsets, at) - 1
        line_end = offsets[position] + lengths[position]
        if at < line_end:
            yield position
        at = buffer.find(needle, max(line_end, at + 1), end)


def _line_by_line(
    buffer: mmap.mmap | bytes,
    offsets: Sequence[int],
    lengths: Sequence[int],
    needle: bytes,
    ignore_case: bool,
    escaped: bool,
) -> Iterator[int]:
    escapes = _ANY_ESCAPE if ignore_case else _ESCAPED_ASCII
    view = memoryview(buffer)
    for position, (offset, length) in enumerate(zip(offsets, lengths)):
        end = offset + length
        found = needle in bytes(view[offset:end]).lower() if ignore_case else buffer.find(needle, offset, end) >= 0
        if found or (escaped and escapes.search(view[offset:end]) is not None):
            yield position
