"""Texts as numbered words, many texts at a time.

A word is known by a hash of its letters, so that nothing has to be agreed on between processes. All of it is done on arrays
of characters: cutting and hashing word by word in Python takes ten times as long.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.arrays import Hashes, Ints
from rollscope.features.batches.characters import UNSPACED

#: Of a longer text only so many characters are looked at: half of them at its start, half at its end.
MAX_CHARS = 100_000
#: The hash of what no phrase may run across: the end of a text, and what was left out of a long one.
BARRIER = np.uint64(0)

_BETWEEN, _WORD, _SIGN, _SYMBOL, _BARRIER_SIGN = range(5)
_UNKNOWN = 255
#: ASCII signs that are words where they stand in a row: headings, bold text, code fences, tables.
_ASCII_SYMBOLS = frozenset("#*`|")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")
_APOSTROPHES = (0x27, 0x2019)
_unspaced = re.compile(f"[{UNSPACED}]")

#: An odd number, so that it can be divided by, modulo 2**64.
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 2**64)


class Words(Struct):
    """The words of several texts behind each other, a barrier after each text."""

    hashes: Hashes
    #: Which text each is of.
    texts: Ints
    #: Where each lies in its text, in characters.
    starts: Ints
    ends: Ints


def joined(several: Sequence[Words]) -> Words:
    """Behind each other; texts keep the numbers they have."""
    none = np.zeros(0, dtype=np.int64)
    return Words(
        np.concatenate([none.astype(np.uint64), *(words.hashes for words in several)]),
        np.concatenate([none, *(words.texts for words in several)]),
        np.concatenate([none, *(words.starts for words in several)]),
        np.concatenate([none, *(words.ends for words in several)]),
    )


class _Signs:
    """What each character is, and its small letter. Looked up when first seen: a million of them cost half a second."""

    def __init__(self) -> None:
        self.kinds = np.full(0x110000, _UNKNOWN, dtype=np.uint8)
        self.small = np.arange(0x110000, dtype=np.uint32)

    def learn(self, codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
        kinds = self.kinds[codes]
        unknown = kinds == _UNKNOWN
        if unknown.any():
            for code in np.unique(codes[unknown]).tolist():
                self.kinds[code] = _kind(chr(code))
                small = chr(code).lower()
                self.small[code] = ord(small) if len(small) == 1 else code
            kinds = self.kinds[codes]
        return kinds


def _kind(sign: str) -> int:
    if _unspaced.match(sign):
        return _SIGN if unicodedata.category(sign)[0] in "LNM" else _BETWEEN
    if sign in _JOINERS:
        return _SYMBOL
    category = unicodedata.category(sign)
    if category[0] in "LNM" or sign == "_":
        return _WORD
    return _SYMBOL if sign in _ASCII_SYMBOLS or (category[0] == "S" and ord(sign) > 127) else _BETWEEN


_signs: list[_Signs] = []
#: Powers of the base and of its inverse, for as many characters as were cut at once so far.
_powers: list[Hashes] = [np.ones(1, np.uint64), np.ones(1, np.uint64)]
#: Characters that are cut at once: what is made of them should stay in the processor's cache.
_AT_ONCE = 1 << 17


def cut(texts: Sequence[str]) -> Words:
    """The words of texts; of those longer than MAX_CHARS, of their two ends."""
    found: list[Words] = []
    waiting: list[tuple[int, int, str]] = []
    size = 0
    for number, text in enumerate(texts):
        for start, piece in _ends(text):
            waiting.append((number, start, piece))
            size += len(piece)
        if size >= _AT_ONCE:
            found.append(_cut(waiting))
            waiting, size = [], 0
    if waiting:
        found.append(_cut(waiting))
    return joined(found)


def _ends(text: str) -> Iterable[tuple[int, str]]:
    if len(text) <= MAX_CHARS:
        return [(0, text)]
    half = MAX_CHARS // 2
    return [(0, text[:half]), (len(text) - half, text[-half:])]


def _cut(pieces: list[tuple[int, int, str]]) -> Words:
    """The words of (number of the text, where in it the piece begins, piece)."""
    together = "\0".join(piece for _, _, piece in pieces) + "\0"
    codes = np.frombuffer(together.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    lengths = np.fromiter((len(piece) + 1 for _, _, piece in pieces), dtype=np.int64, count=len(pieces))
    after = np.cumsum(lengths)
    if not _signs:
        _signs.append(_Signs())
    kinds = _signs[0].learn(codes)
    _join_apostrophes(codes, kinds)
    kinds[after - 1] = _BARRIER_SIGN
    # A word begins where its kind does; signs of scripts without spaces, and barriers, are each one of their own.
    alone = (kinds == _SIGN) | (kinds == _BARRIER_SIGN)
    changes = np.empty(len(kinds) + 1, dtype=bool)
    changes[0] = changes[-1] = True
    np.not_equal(kinds[1:], kinds[:-1], out=changes[1:-1])
    inside = kinds != _BETWEEN
    starts = np.flatnonzero((changes[:-1] | alone) & inside)
    ends = np.flatnonzero((changes[1:] | alone) & inside) + 1
    hashes = _hashes(_signs[0].small[codes], starts, ends)
    hashes[kinds[starts] == _BARRIER_SIGN] = BARRIER
    piece = np.searchsorted(after, starts, side="right")
    begins = np.fromiter((start for _, start, _ in pieces), dtype=np.int64, count=len(pieces)) - (after - lengths)
    numbers = np.fromiter((number for number, _, _ in pieces), dtype=np.int64, count=len(pieces))
    shift = begins[piece]
    return Words(hashes, numbers[piece], starts + shift, ends + shift)


def _join_apostrophes(codes: NDArray[np.uint32], kinds: NDArray[np.uint8]) -> None:
    """An apostrophe between two letters is part of the word: don't."""
    for code in _APOSTROPHES:
        places = np.flatnonzero(codes[1:-1] == code) + 1
        kinds[places[(kinds[places - 1] == _WORD) & (kinds[places + 1] == _WORD)]] = _WORD


def _hashes(codes: NDArray[np.uint32], starts: Ints, ends: Ints) -> Hashes:
    """Of each stretch the sum of its characters times rising powers, by differences of sums over all of it."""
    powers, inverses = _powers_of(len(codes))
    sums = np.empty(len(codes) + 1, dtype=np.uint64)
    sums[0] = 0
    np.cumsum((codes + np.uint64(1)) * powers[: len(codes)], out=sums[1:])
    return mixed((sums[ends] - sums[starts]) * inverses[starts])


def _powers_of(count: int) -> list[Hashes]:
    if len(_powers[0]) < count:
        for place, factor in enumerate((_BASE, _INVERSE)):
            factors = np.full(count + _AT_ONCE, factor, dtype=np.uint64)
            factors[0] = 1
            _powers[place] = np.cumprod(factors)
    return _powers


def mixed(values: Hashes) -> Hashes:
    """Every bit of the result depends on every bit of the value (the end of splitmix64); never 0."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (values ^ (values >> np.uint64(31))) | np.uint64(1)
