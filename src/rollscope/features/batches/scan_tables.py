"""What compiled code (text_scan.c) is given to look for: characters, marks and small words, laid out as C has them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from rollscope.features.batches.characters import MIXED_SCRIPTS, character_kinds, lower_table, script_numbers
from rollscope.features.batches.marks import LANGUAGES, OPENING_HINTS, SUBJECTS
from rollscope.features.batches.small_words import STRANGE_WORDS

#: As in text_words.h. Bits are those of the hashes of small words: slots of their table, and what is asked before it.
MAX_SUBJECTS, _BUCKETS, _SMALL_BITS, _MAYBE_BITS = 128, 4096, 11, 14
#: Bytes of a mark by which it is found.
_LEAST = 5


class _Marks(ctypes.Structure):
    _fields_ = (
        ("bytes", ctypes.c_char_p),
        *((name, ctypes.c_void_p) for name in ("maybe", "key", "begin", "core", "first", "next", "found_as")),
    )


class _SmallWords(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_void_p) for name in ("maybe", "strange", "keys", "found_as"))


class _Tables(ctypes.Structure):
    _fields_ = (
        ("lower", ctypes.c_void_p),
        ("kind", ctypes.c_void_p),
        ("mixed", ctypes.c_uint32),
        ("latin", ctypes.c_int64),
        ("marks", _Marks),
        ("opening", _Marks),
        ("small", _SmallWords),
        ("language", ctypes.c_int64),
        ("languages", ctypes.c_int64),
        ("leads", ctypes.c_void_p),
        ("openings", ctypes.c_int64),
    )


_alive: list[object] = []


@cache
def scan_tables() -> Any:
    """Their address."""
    numbers = script_numbers()
    lower, kinds = lower_table(), character_kinds()
    mixed = sum(1 << numbers[name] for name in MIXED_SCRIPTS)
    places = {name: place for place, name in enumerate(SUBJECTS)}
    opening = [(hint, 0) for hint in OPENING_HINTS if hint.isascii()]
    # Words of languages have a table of their own.
    others = [(mark, places[name]) for name, marks in SUBJECTS.items() if name not in LANGUAGES for mark in marks]
    leads = np.zeros(256, dtype=np.uint8)
    for hint in OPENING_HINTS:
        leads[[case[0].encode()[0] for case in (hint, hint.upper()) if not hint[0].isascii()]] = 1
    assert len(SUBJECTS) <= MAX_SUBJECTS
    tables = (_mark_table(others), _mark_table(opening), _small_words(places), places[LANGUAGES[0]], len(LANGUAGES))
    latin, openings = numbers["Latin"], len(OPENING_HINTS)
    made = _Tables(lower.ctypes.data, kinds.ctypes.data, mixed, latin, *tables, leads.ctypes.data, openings)
    _alive.extend((lower, kinds, leads, made))
    return ctypes.addressof(made)


def _mark_table(marks: Sequence[tuple[str, int]]) -> _Marks:
    """Made of marks, each with the column of what it tells."""
    found_as = np.array([column for _, column in marks], dtype=np.int16)
    # A sign of a script without spaces by itself: in what C looks at it has a space before it, too.
    raw = [mark.encode() for mark, _ in marks]
    encoded = [mark if len(mark) >= _LEAST else b" " + mark for mark in raw]
    begin = np.zeros(len(encoded) + 1, dtype=np.int32)
    np.cumsum([len(mark) for mark in encoded], out=begin[1:])
    maybe, key = np.zeros(65536, dtype=bool), np.zeros(2 * len(encoded), dtype=np.uint32)
    core = np.array([_core_of(mark) for mark in encoded], dtype=np.int32)
    first, after = np.full(_BUCKETS, -1, dtype=np.int16), np.full(2 * len(encoded), -1, dtype=np.int16)
    for entry in range(2 * len(encoded)):
        start = core[entry // 2] + entry % 2
        some = encoded[entry // 2][start : start + 4]
        key[entry] = int.from_bytes(some, "little")
        hashed = (int.from_bytes(some, "little") * 0x9E3779B1 & 0xFFFFFFFF) >> 16
        after[entry], first[hashed >> 4] = first[hashed >> 4], entry
        maybe[hashed] = True
    joined, bits = b"".join(encoded), np.packbits(maybe, bitorder="little")
    _alive.extend((joined, bits, key, begin, core, first, after, found_as))
    return _Marks(joined, *(item.ctypes.data for item in (bits, key, begin, core, first, after, found_as)))


def _small_words(places: Mapping[str, int]) -> _SmallWords:
    """Marks that are words, and words of other languages in ASCII; those with other letters are strange anyway."""
    marks = {mark.strip(): places[mark] for mark in LANGUAGES}
    slots = 1 << _SMALL_BITS
    maybe, keys = np.zeros(1 << _MAYBE_BITS, dtype=bool), np.zeros(slots, dtype=np.uint64)
    strange, found_as = np.zeros(slots, dtype=np.uint8), np.full(slots, -1, dtype=np.int16)
    for word in sorted({*marks, *filter(str.isascii, STRANGE_WORDS)}):
        raw = word.encode()
        assert 0 < len(raw) <= 8, word  # bytes of a key
        key = int.from_bytes(raw, "little") << (64 - 8 * len(raw))
        hashed = key * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
        slot = hashed >> (64 - _SMALL_BITS)
        while keys[slot]:
            slot = (slot + 1) % slots
        keys[slot], found_as[slot], strange[slot] = key, marks.get(word, -1), word in STRANGE_WORDS
        maybe[hashed >> (64 - _MAYBE_BITS)] = True
    bits = np.packbits(maybe, bitorder="little")
    _alive.extend((bits, strange, keys, found_as))
    return _SmallWords(*(item.ctypes.data for item in (bits, strange, keys, found_as)))


#: From the most frequent byte of English on.
_FREQUENT = b" etaoinsrhldcumfpgwybvkxjqz"


def _core_of(mark: bytes) -> int:
    """Where the five of its bytes begin that a text has most seldom, the last of such places: more words begin with "con" or
    "des" than end so."""
    assert len(mark) >= _LEAST, mark
    rarity = [_FREQUENT.find(byte) if byte in _FREQUENT else len(_FREQUENT) for byte in mark]
    return max(reversed(range(len(mark) - _LEAST + 1)), key=lambda place: sum(rarity[place : place + _LEAST]))
