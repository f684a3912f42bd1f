"""Which lines may match, told from their raw bytes: most are passed over without being decoded.

JSON may write any character as `\\uXXXX`, and a format may show some texts in other words than the line's. So a line is a
candidate when it has the bytes every match must have, or when it has such escapes or words: nothing that matches is
missed. A whole region is looked through at once (passes at 3 and 5 GB/s); line by line costs three times that.
"""

from __future__ import annotations

import mmap
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

import re2

#: Characters JSON writers leave as they are. `/`, quotes, backslashes and control characters may be escaped.
_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;!?()\[\]{}+*=^%$#@~|`-]+")
#: ASCII letters that a letter beyond ASCII folds to (K from the Kelvin sign, s from the long s).
_FOLDS_BEYOND_ASCII = re.compile(r"[ksKS]")
#: What may be part of a value that is no text: the format writes it in its own way, `1e5` as `100000.0`.
_OF_NUMBERS = re.compile(r"[-+0-9.,:\[\]{} eENaInfitytrulsn]+")
_ESCAPED_ASCII = re2.compile(rb"\\u00[2-7]")
_ANY_ESCAPE = re2.compile(rb"\\u")
#: Bytes of a literal that are looked for, and of its rest where a text is stored in pieces: more would tell little more.
_LOOKED_FOR, _REST = 200, 12


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
        # One pattern each: RE2 is at its fastest where a pattern begins with a literal.
        self._unsure = [_ANY_ESCAPE if ignore_case else _ESCAPED_ASCII]
        if reworded is not None:
            self._unsure.append(re2.compile(reworded))
        if _OF_NUMBERS.fullmatch(text.decode()):
            self._unsure += map(re2.compile, respelled)
        if piece is not None and len(text) > 1:
            # What begins in one piece and ends in a later one: a piece begins with what is left of it.
            rests = b"|".join(sorted({re2.escape(text[at : at + _REST]) for at in range(1, len(text))}))
            self._unsure.append(re2.compile(b"%b(?:%b)(?:%b)" % (b"(?i)" if ignore_case else b"", piece, rests)))

    def unsure(self, region: memoryview) -> bool:
        """Whether these bytes may match although they do not hold the text itself: JSON may write it with escapes, and
        some formats store it in other words."""
        return any(pattern.search(region) is not None for pattern in self._unsure)

    def may_be_in(self, line: memoryview) -> bool:
        data = bytes(line)
        return self.text in (data.lower() if self.ignore_case else data) or self.unsure(line)


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
    buffer: mmap.mmap | bytes, offsets: Sequence[int], lengths: Sequence[int], wanted: Needle | None
) -> Iterator[int]:
    """Positions of the lines that may hold a match, in order. `offsets` must rise."""
    if wanted is None or not offsets:
        yield from range(len(offsets))
        return
    start, end = offsets[0], offsets[-1] + lengths[-1]
    view = memoryview(buffer)
    if wanted.ignore_case or wanted.unsure(view[start:end]):
        for position, (offset, length) in enumerate(zip(offsets, lengths)):
            if wanted.may_be_in(view[offset : offset + length]):
                yield position
        return
    at = buffer.find(wanted.text, start, end)
    while at >= 0:
        position = bisect_right(offsets, at) - 1
        if at < offsets[position] + lengths[position]:  # else between two of these lines: in one that is not searched
            yield from range(bisect_left(offsets, offsets[position]), position + 1)  # a line may hold several samples
        if position + 1 == len(offsets):
            return
        at = buffer.find(wanted.text, offsets[position + 1], end)
