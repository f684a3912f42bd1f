"""One look at the texts of a batch by compiled code (text_scan.c), where the package was built with a C compiler.

Optional: without it `words` counts with numpy, and every feature looks at its text by itself. The values are the same.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollscope.features.batches.marks import SUBJECTS
from rollscope.features.batches.scan_tables import MAX_SUBJECTS, scan_tables
from rollscope.features.batches.words import PARTS, WordStats

#: As in text_scan.c; one that was built of another state is not used.
VERSION = 15
#: Built by hatch_build.py; never committed.
LIBRARY = Path(__file__).with_name("_text_scan.so")
MAX_SCRIPTS = 32


class Seen:
    """Columns of what is seen of each text. Numbers and no enum, whose members cost a microsecond to look up."""

    WORDS = 0
    DISTINCT = 1
    DIGEST = 2
    FLAGS = 3
    NEWLINES = 4
    CHARS = 5
    THINK_CHARS = 6
    ANSWER_START = 7
    ANSWER_CHARS = 8
    BOXED_START = 9
    BOXED_END = 10
    COUNT = 11


class TextFlag:
    """Of a text. LOOK_… means that a closer look is worth its time; without it there is nothing to see."""

    NOT_ASCII = 1
    LOOK_GARBLED = 2
    LOOK_MARKS = 4
    LOOK_LOOP = 8
    THOUGHT = 16
    UNCLOSED = 32
    LOOK_THOUGHTS = 64
    LOOK_OPENING = 128
    BOXED = 256
    LOOK_ANSWER = 512
    OTHER_DIGITS = 1024
    LOOK_HOLLOW = 2048
    LOOK_COUNT = 4096
    #: Small words of two other languages than English, or more.
    OTHER_LANGUAGES = 8192
    LOOK_LANGUAGE = 16384


_SUBJECTS = tuple(SUBJECTS)


class DigitsSeen:
    """Whether a text has neither the digits nor 9999, or has them as a number of their own."""

    MAYBE = 0
    LACKS = 1
    STANDS_ALONE = 2


class TextScan:
    """What was seen in each text of a batch. Characters are counted in the text, not in its bytes."""

    def __init__(self, count: int, raw: bytes, starts: NDArray[np.int64]) -> None:
        self.raw = raw
        self.starts = starts
        self.rows: NDArray[np.int64] = np.zeros((count, Seen.COUNT), dtype=np.int64)
        self.sketches = np.full((count, PARTS), 0xFFFFFFFF, dtype=np.uint32)
        #: Letters by script, as `characters.script_numbers` has them.
        self.letters = np.zeros((count, MAX_SCRIPTS), dtype=np.uint32)
        #: Which of SUBJECTS have a mark there.
        self.marks = np.zeros((count, MAX_SUBJECTS), dtype=np.uint8)

    def column(self, column: int) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self.rows[:, column]
        return found

    def has(self, flag: int) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = (self.rows[:, Seen.FLAGS] & flag) != 0
        return found

    @cached_property
    def last_bytes(self) -> NDArray[np.uint8]:
        """Of each text; 0 of an empty one."""
        found = np.frombuffer(self.raw or b"\0", dtype=np.uint8)[np.maximum(self.starts[1:] - 1, 0)]
        return found * (self.starts[1:] > self.starts[:-1])

    def bytes_of(self, place: int) -> bytes:
        return self.raw[self.starts[place] : self.starts[place + 1]]

    def find_digits(self, digits: Sequence[str]) -> NDArray[np.uint8]:
        """DigitsSeen of each text: of these digits, one after the other but for commas, and of 9999. MAYBE of ""."""
        wanted = _starts_of(list(map(len, digits)))
        found = np.zeros(len(digits), dtype=np.uint8)
        places = [item.ctypes.data for item in (self.starts, wanted, found)]
        compiled().rollscope_find_digits(self.raw, places[0], len(digits), "".join(digits).encode("ascii"), *places[1:])
        return found

    def stats(self, place: int) -> WordStats:
        row = self.rows[place]
        distinct = int(row[Seen.DISTINCT])
        return WordStats(
            words=int(row[Seen.WORDS]),
            distinct=None if distinct < 0 else distinct,
            digest=row[Seen.DIGEST].tobytes(),
            sketch=self.sketches[place].tobytes(),
        )

    def marks_in(self, place: int) -> frozenset[str] | None:
        """None where a letter that is folded to ASCII may hide one."""
        if self.rows[place, Seen.FLAGS] & TextFlag.LOOK_MARKS:
            return None
        return frozenset(_SUBJECTS[number] for number in np.flatnonzero(self.marks[place]).tolist())


def scan(texts: Sequence[str]) -> TextScan | None:
    """None where it is not compiled."""
    if compiled() is None:
        return None
    if all(map(str.isascii, texts)):  # all at once, and as many bytes as characters
        return _scan_joined("".join(texts).encode("ascii"), list(map(len, texts)))
    try:
        return scan_bytes(list(map(str.encode, texts)))
    except UnicodeEncodeError:  # half of a surrogate pair, which hardly any text has
        return scan_bytes([text.encode("utf-8", "surrogatepass") for text in texts])


def scan_bytes(texts: Sequence[bytes]) -> TextScan | None:
    """The same as `scan`, for texts given as bytes."""
    return _scan_joined(b"".join(texts), list(map(len, texts)))


def plain_english(texts: Sequence[str]) -> list[bool]:
    """Of prompts: in Latin letters of ASCII, and without any word of another language than English. Compiled code only."""
    raw = [text.encode("utf-8", "surrogatepass") for text in texts]
    starts, found = _starts_of(list(map(len, raw))), np.zeros(len(raw), dtype=bool)
    compiled().rollscope_plain_english(scan_tables(), b"".join(raw), starts.ctypes.data, len(raw), found.ctypes.data)
    return found.tolist()


def compare_groups(
    sketches: NDArray[np.uint8], starts: NDArray[np.int64], near: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
    """(the greatest similarity to another one, how many are at least so near) of each sketch, those of a group one after the
    other. None where it is not compiled."""
    if (library := compiled()) is None:
        return None
    given = np.ascontiguousarray(sketches)
    best, neighbours = np.empty(len(given)), np.empty(len(given), dtype=np.int64)
    places = [item.ctypes.data for item in (given, starts, best, neighbours)]
    library.rollscope_compare_groups(*places[:2], len(starts) - 1, near, *places[2:])
    return best, neighbours


def _scan_joined(raw: bytes, sizes: list[int]) -> TextScan | None:
    if (library := compiled()) is None:
        return None
    starts = _starts_of(sizes)
    found = TextScan(len(sizes), raw, starts)
    given = (starts, found.rows, found.sketches, found.letters, found.marks)
    places = [item.ctypes.data for item in given]
    enough = library.rollscope_scan(scan_tables(), raw, places[0], len(sizes), *places[1:])
    return found if enough else None


def _starts_of(sizes: list[int]) -> NDArray[np.int64]:
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


@cache
def compiled() -> Any:
    """The library; None where it is not there, not for this machine, or of another state."""
    if sys.byteorder != "little":
        return None
    try:
        library = ctypes.CDLL(str(LIBRARY))
        if library.rollscope_scan_version() != VERSION:
            return None
    except (OSError, AttributeError):
        return None
    address, number = ctypes.c_void_p, ctypes.c_int64
    library.rollscope_scan.argtypes = [address, ctypes.c_char_p, address, number, address, address, address, address]
    library.rollscope_scan.restype = ctypes.c_int
    text = ctypes.c_char_p
    library.rollscope_find_digits.argtypes = [text, address, number, text, address, address]
    library.rollscope_find_digits.restype = None
    library.rollscope_plain_english.argtypes = [address, text, address, number, address]
    library.rollscope_plain_english.restype = None
    library.rollscope_compare_groups.argtypes = [address, address, number, ctypes.c_double, address, address]
    library.rollscope_compare_groups.restype = None
    return library
