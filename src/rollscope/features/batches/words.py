"""Words and sequences of three words, of many texts at once.

A list of words costs more than all that is asked of it. So the bytes of some dozen texts are laid behind each other, and
numpy looks at all of them in one go: where words begin and end, a number for each word, one for each three in a row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.arrays import Hashes
from rollscope.features.batches.characters import UNSPACED

#: Texts that are looked at together: 6 bits of a key say which one it is.
MAX_TEXTS = 64
#: The space of the numbers of 3-grams has so many parts, by their first bits. For MinHash.
PARTS = 32
#: A part in which a text has no 3-gram.
EMPTY = np.uint32(0xFFFFFFFF)

#: First bytes in UTF-8 of scripts without spaces: a look at bytes is several times cheaper than one at characters.
_MAYBE_UNSPACED = re.compile(rb"[\xe0\xe1\xe3-\xe9\xef\xf0]")
_WORDS = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
_SPACES = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_ASCII = bytes(range(128))
#: For bytes.translate: small letters, and every white space as a space.
_PLAIN = bytes(
    32 if chr(byte).isspace() and byte < 128 else byte + 32 if 65 <= byte <= 90 else byte for byte in range(256)
)
_MIX, _MIX2, _MIX3, _MIX4 = map(
    np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xBF58476D1CE4E5B9)
)
_ALL = (1 << 64) - 1
#: A factor for each attempt to find slots.
_TURNS = np.array([0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB], dtype=np.uint64)
#: Longer words are hashed one by one.
_MAX_LOADED = 256


class WordStats(Struct):
    """What is asked of the words of one text."""

    words: int
    #: Of all sequences of three words; None where there are fewer than three words.
    distinct: int | None
    #: Equal for texts of equal words, in every process.
    digest: bytes
    #: For each part of the space of 3-gram numbers the smallest one, or EMPTY. 32-bit numbers.
    sketch: bytes


def not_ascii(text: str) -> str:
    """The characters of a text that are not ASCII, found by bytes: several times faster than by characters."""
    return text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")


def spaced(text: str, other: str) -> bytes:
    """Its bytes, with white space between all words; of scripts without spaces each sign is one. `other` are its characters
    that are not ASCII."""
    if not other:
        return text.encode()
    if other != other.lower():
        text = text.replace("Σ", "σ").lower()  # the small letter of each by itself, not the one that ends Greek words
    if _MAYBE_UNSPACED.search(other.encode("utf-8", "surrogatepass")):
        # As it begins and ends: marks have spaces at their ends.
        ends = ["\n" if end.isspace() else "" for end in (text[:1], text[-1:])]
        text = "\n".join(_WORDS.findall(text)).join(ends)
    elif _SPACES.search(other):
        text = _SPACES.sub("\n", text)
    return text.encode("utf-8", "surrogatepass")


def split_words(text: str) -> list[bytes]:
    """In small letters, by white space. As bytes, which are hashed and compared faster than text."""
    return spaced(text, not_ascii(text)).translate(_PLAIN).split()


def plain_bytes(texts: Sequence[bytes]) -> tuple[bytes, NDArray[np.int64]]:
    """(all of them in small letters, with spaces for white space and between them, where each begins)."""
    starts = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(text) + 1 for text in texts], out=starts[1:])
    return b" ".join(texts).translate(_PLAIN), starts


def word_stats(plain: bytes, starts: NDArray[np.int64]) -> list[WordStats]:
    """The statistics of at most MAX_TEXTS texts, in the form that `plain_bytes` gives."""
    count = len(starts) - 1
    assert count <= MAX_TEXTS
    begin, end = _word_places(plain)
    numbers = _word_numbers(plain, begin, end)
    first = np.searchsorted(begin, starts)
    firsts = first.tolist()
    digests = _digests(numbers, first)
    distinct, sketches = _grams(numbers, first)
    return [
        WordStats(
            words=firsts[place + 1] - firsts[place],
            distinct=distinct[place] if firsts[place + 1] - firsts[place] > 2 else None,
            digest=digests[place * 8 : (place + 1) * 8],
            sketch=sketches[place * 4 * PARTS : (place + 1) * 4 * PARTS],
        )
        for place in range(count)
    ]


def _word_places(plain: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    letters = np.empty(len(plain) + 2, dtype=bool)
    letters[0] = letters[-1] = False
    np.not_equal(np.frombuffer(plain, dtype=np.uint8), 32, out=letters[1:-1])
    edges = np.flatnonzero(letters[1:] != letters[:-1])
    return edges[::2], edges[1::2]


def _word_numbers(plain: bytes, begin: NDArray[np.int64], end: NDArray[np.int64]) -> Hashes:
    """A number for each word, the same in every process: eight bytes of it after the other are loaded and mixed."""
    # The bytes from each place on as one number: a view with a step of one byte, not a copy.
    loaded: Hashes = np.ndarray((len(plain) + 1,), dtype="<u8", buffer=plain + bytes(8), strides=(1,))
    lengths = (end - begin).astype(np.uint64)
    numbers = loaded[begin]
    numbers <<= np.uint64(64) - np.minimum(lengths, np.uint64(8)) * np.uint64(8)
    numbers += lengths
    numbers *= _MIX
    numbers ^= numbers >> np.uint64(29)
    more = np.flatnonzero(lengths > 8)
    for at in range(8, _MAX_LOADED, 8):
        if not len(more):
            return numbers
        left = lengths[more] - np.uint64(at)
        next_bytes = loaded[begin[more] + at] << (np.uint64(64) - np.minimum(left, np.uint64(8)) * np.uint64(8))
        mixed = (numbers[more] ^ next_bytes) * _MIX2
        numbers[more] = mixed ^ (mixed >> np.uint64(31))
        more = more[left > 8]
    for place in more.tolist():
        numbers[place] = _rest_of_long(int(numbers[place]), plain[begin[place] + _MAX_LOADED : end[place]])
    return numbers


def _rest_of_long(number: int, rest: bytes) -> int:
    for at in range(0, len(rest), 8):
        some = rest[at : at + 8]
        number = (number ^ int.from_bytes(some, "little") << (64 - 8 * len(some))) * int(_MIX2) & _ALL
        number ^= number >> 31
    return number


def _digests(numbers: Hashes, first: NDArray[np.int64]) -> bytes:
    """Eight bytes a text: the sum of its words' numbers, each times a factor of its place."""
    counts = first[1:] - first[:-1]
    places = np.arange(len(numbers)) - np.repeat(first[:-1], counts)
    totals = np.zeros(len(numbers) + 1, dtype=np.uint64)
    np.cumsum(numbers * _powers(int(counts.max(initial=0)))[places], out=totals[1:])
    sums = totals[first[1:]] - totals[first[:-1]]
    found = (sums ^ (sums >> np.uint64(32))) * _MIX2 + counts.astype(np.uint64)
    return found.tobytes()


@lru_cache(maxsize=1)
def _powers_of(count: int) -> Hashes:
    factors = np.full(count, _MIX3)
    factors[0] = 1
    return np.multiply.accumulate(factors)


def _powers(count: int) -> Hashes:
    """1, _MIX3, its square, …: at least so many."""
    return _powers_of(1 << max(10, count.bit_length()))


def _grams(numbers: Hashes, first: NDArray[np.int64]) -> tuple[list[int], bytes]:
    """(distinct 3-grams of each text, the sketches of all)."""
    count = len(first) - 1
    parts = np.full(count * PARTS, EMPTY)
    if len(numbers) < 3:
        return [0] * count, parts.tobytes()
    grams = numbers[:-2] * _MIX2 + numbers[1:-1]
    grams ^= grams >> np.uint64(31)
    grams *= _MIX3
    grams += numbers[2:]
    grams ^= grams >> np.uint64(30)
    grams *= _MIX4
    # Which text it is of takes the place of the last bits.
    grams >>= np.uint64(6)
    grams |= np.repeat(np.arange(count, dtype=np.uint64) << np.uint64(58), first[1:] - first[:-1])[: len(grams)]
    # What reaches over the end of a text is no sequence of it.
    inside = np.ones(len(grams), dtype=bool)
    for edge in (first[1:-1] - 1, first[1:-1] - 2):
        inside[edge[(edge >= 0) & (edge < len(grams))]] = False
    grams = grams[inside]
    # Text and part are the first 11 bits of each.
    where = (grams >> np.uint64(53)).astype(np.int64)
    np.minimum.at(parts, where, ((grams >> np.uint64(22)) & np.uint64(0x7FFFFFFF)).astype(np.uint32))
    firsts = _one_of_each(grams)
    distinct = np.bincount((firsts >> np.uint64(58)).astype(np.int64), minlength=count)
    return distinct.tolist(), parts.tobytes()


def _one_of_each(numbers: Hashes) -> Hashes:
    """The distinct ones, in no order. By a hash table, in a quarter of the time that sorting takes: each number writes its
    place into a slot, and the last one stays. Who finds an equal one there is counted; others try again among themselves."""
    found: list[Hashes] = []
    bits = max(8, (4 * len(numbers)).bit_length())
    table = np.empty(1 << bits, dtype=np.int32)
    for turn in range(len(_TURNS)):
        # Texts of a group have 3-grams in common: which text it is moves them to other slots.
        mixed = (numbers ^ (numbers >> np.uint64(29))) * _TURNS[turn]
        slots = (mixed >> np.uint64(64 - bits)).astype(np.int64)
        places = np.arange(len(numbers), dtype=np.int32)
        table[slots] = places
        stayed = table[slots]
        found.append(numbers[stayed == places])
        numbers = numbers[numbers[stayed] != numbers]
        if not len(numbers):
            break
    else:
        found.append(np.unique(numbers))
    return np.concatenate(found)
