"""Which lines may match, told from their raw bytes: most are passed over without being decoded.

JSON may write any character as `\\uXXXX`, and a format may show some texts in other words than the line's. So a line is a
candidate when it has the bytes every match must have, or when it has such escapes or words: nothing that matches is
missed. Lines are looked through a megabyte at once: one by one costs three times that.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from mmap import mmap

import re2

from rollscope.query.search.literal_scan import Literal, is_compiled

#: Characters JSON writers leave as they are. `/`, quotes, backslashes and control characters may be escaped.
_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;!?()\[\]{}+*=^%$#@~|`-]+")
#: ASCII letters that a letter beyond ASCII folds to (K from the Kelvin sign, s from the long s).
_FOLDS_BEYOND_ASCII = re.compile(r"[ksKS]")
#: What may be part of a value that is no text: the format writes it in its own way, `1e5` as `100000.0`.
_OF_NUMBERS = re.compile(r"[-+0-9.,:\[\]{} eENaInfitytrulsn]+")
#: Escapes that may stand for a letter of the text, or for one that folds to it; and how they begin.
_ESCAPED_ASCII, _ASCII_BEGINS = re2.compile(rb"\\u00[2-7]"), Literal(rb"\u00")
_ANY_ESCAPE, _ANY_BEGINS = re2.compile(rb"\\u"), Literal(rb"\u")
#: Bytes of a literal that are looked for, and of its rest where a text is stored in pieces: more would tell little more.
_LOOKED_FOR, _REST = 200, 12
#: Lines of so many bytes are looked through for one thing after the other: they stay in the processor's cache.
_BLOCK_BYTES = 1 << 20


def required_bytes(text: str, ignore_case: bool) -> bytes | None:
    """The longest run of plain characters in a literal, which an unescaped match contains; None: there is none."""
    runs = _PLAIN.findall(text)
    if ignore_case:
        runs = [piece for run in runs for piece in _FOLDS_BEYOND_ASCII.split(run)]
    longest: str = max(runs, key=len, default="")
    if not longest:
        return None
    return (longest.lower() if ignore_case else longest).encode()


class Needle:
    """What the bytes of a line must have to be worth decoding."""

    def __init__(
        self,
        text: bytes,
        ignore_case: bool,
        reworded: bytes | None,
        piece: bytes | None = None,
        respelled: Iterable[bytes] = (),
    ) -> None:
        self.text = text = text[:_LOOKED_FOR]
        self.ignore_case = ignore_case
        self._literal = Literal(text)
        # Of bytes, in which letters fold to ASCII ones only.
        self._in_any_case = re2.compile(b"(?i)" + re2.escape(text)) if ignore_case else None
        # One pattern each: RE2 is at its fastest where a pattern begins with a literal.
        self._unsure = []
        if reworded is not None:
            self._unsure.append(re2.compile(reworded))
        if _OF_NUMBERS.fullmatch(text.decode()):
            self._unsure += map(re2.compile, respelled)
        if piece is not None and len(text) > 1:
            # What begins in one piece and ends in a later one: a piece begins with what is left of it.
            rests = b"|".join(sorted({re2.escape(text[at : at + _REST]) for at in range(1, len(text))}))
            self._unsure.append(re2.compile(b"%b(?:%b)(?:%b)" % (b"(?i)" if ignore_case else b"", piece, rests)))

    def unsure(self, buffer: bytes | mmap, start: int, end: int) -> bool:
        """Whether these bytes may match although they do not hold the text itself: JSON may write it with escapes, and
        some formats store it in other words."""
        view = memoryview(buffer)[:end]
        escape, begins = (_ANY_ESCAPE, _ANY_BEGINS) if self.ignore_case else (_ESCAPED_ASCII, _ASCII_BEGINS)
        at = begins.find(buffer, start, end) if is_compiled() else start  # RE2 is quicker than `bytes.find`
        if at >= 0 and escape.search(view[at:]) is not None:
            return True
        return any(pattern.search(view[start:]) is not None for pattern in self._unsure)

    def find(self, buffer: bytes | mmap, start: int, end: int) -> int:
        """The first place of the text; -1 if there is none."""
        if self._in_any_case is None:
            return self._literal.find(buffer, start, end)
        found = self._in_any_case.search(memoryview(buffer)[start:end])
        return start + found.start() if found is not None else -1

    def may_be_in(self, buffer: bytes | mmap, start: int, end: int) -> bool:
        return self.find(buffer, start, end) >= 0 or self.unsure(buffer, start, end)


def needle(
    text: str,
    ignore_case: bool,
    reworded: bytes | None,
    piece: bytes | None = None,
    respelled: Iterable[bytes] = (),
) -> Needle | None:
    """None: every line must be decoded. `reworded`, `piece` and `respelled` as a format has them."""
    required = required_bytes(text, ignore_case)
    return None if required is None else Needle(required, ignore_case, reworded, piece, respelled)


def candidates(
    buffer: bytes | mmap, offsets: Sequence[int], lengths: Sequence[int], wanted: Needle | None
) -> Iterator[int]:
    """Positions of the lines that may hold a match, in order. `offsets` must rise."""
    if wanted is None:
        yield from range(len(offsets))
        return
    first = 0
    while first < len(offsets):
        behind = bisect_right(offsets, offsets[first] + _BLOCK_BYTES)
        yield from _in_block(buffer, offsets, lengths, wanted, first, behind)
        first = behind


def _in_block(
    buffer: bytes | mmap, offsets: Sequence[int], lengths: Sequence[int], wanted: Needle, first: int, behind: int
) -> Iterator[int]:
    start, end = offsets[first], offsets[behind - 1] + lengths[behind - 1]
    if wanted.unsure(buffer, start, end):
        for position in range(first, behind):
            if wanted.may_be_in(buffer, offsets[position], offsets[position] + lengths[position]):
                yield position
        return
    at = wanted.find(buffer, start, end)
    while at >= 0:
        position = bisect_right(offsets, at, first, behind) - 1
        if at < offsets[position] + lengths[position]:  # else between two of these lines: in one that is not searched
            yield from range(
                bisect_left(offsets, offsets[position], first), position + 1
            )  # several samples of one line
        if position + 1 == behind:
            return
        at = wanted.find(buffer, offsets[position + 1], end)
