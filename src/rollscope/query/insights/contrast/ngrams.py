"""Phrases of 1 to 6 words: in how many texts each occurs, and in which."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.arrays import Hashes, Ints
from rollscope.query.insights.contrast.words import BARRIER, Words, mixed

LONGEST = 6
#: Of phrases held by so many texts of a and of b, which to make longer.
Promising = Callable[[Ints, Ints], NDArray[np.bool_]]
#: The lower bits of a phrase's hash make room for the number of its text: one sort then counts texts.
TEXT_BITS = 16
_SHIFT = np.uint64(TEXT_BITS)
#: Fewer phrases than this are counted at once.
FEW = 200_000
_FACTOR = np.uint64(0xD6E8FEB86659FD93)
#: A table of so many bits tells what may be among wanted phrases; a megabyte of it stays in the processor's cache.
_TABLE_BITS = 20


class Level(Struct):
    """The phrases of one length: which there are and in how many texts of either side, and where they begin."""

    length: int
    #: Rising; with the counts of `a` and `b` beside it.
    hashes: Hashes
    a: Ints
    b: Ints
    #: Places of the words at which phrases begin, and their hashes: of these, and of some that are rarer.
    places: Ints
    names: Hashes


class FoundPhrases(Struct):
    """Occurrences of phrases, one for each text: number of the phrase, of the text, and the first word's place."""

    phrases: Ints
    texts: Ints
    places: Ints


def levels(
    words: Words, in_a: NDArray[np.bool_], fewest: tuple[int, int], promising: Promising | None = None
) -> Iterator[Level]:
    """All phrases that at least so many texts of a, or so many of b, hold, length by length. `in_a`: of each text, whether it
    is of side a. At most 65,536 texts. `promising`: of more than two words only those that begin or end with a phrase one word
    shorter for whose counts this is true; elsewhere four fifths of the time would go into phrases that tell nothing."""
    hashes = words.hashes
    places = np.flatnonzero(hashes != BARRIER)
    texts = words.texts.astype(np.uint64)
    phrases = hashes[places]
    for length in range(1, LONGEST + 1):
        found, a, b = _count(phrases, texts[places], in_a, fewest)
        if not len(found):
            return
        yield Level(length, found, a, b, places, phrases >> _SHIFT)
        if length == LONGEST:
            return
        # A longer phrase is held by enough texts only where both of the shorter ones in it are.
        frequent = np.zeros(len(hashes) + 1, dtype=bool)
        frequent[places] = may_be_among(found, phrases >> _SHIFT)
        follows = frequent[places] & frequent[places + 1]
        if promising is not None and length > 1:
            hopeful = np.zeros(len(hashes) + 1, dtype=bool)
            hopeful[places] = may_be_among(found[promising(a, b)], phrases >> _SHIFT)
            follows &= hopeful[places] | hopeful[places + 1]
        places = places[follows]
        phrases = _longer(phrases[follows], hashes[places + length])


def occurrences(level: Level, wanted: Hashes, words: Words) -> FoundPhrases:
    """Where these phrases of a level (rising) occur; they go by their place among the wanted."""
    near = np.flatnonzero(may_be_among(wanted, level.names))
    phrases, right = _numbers(wanted, level.names[near])
    return _once_a_text(phrases, words, level.places[near[right]])


def _count(
    phrases: Hashes, texts: Hashes, in_a: NDArray[np.bool_], fewest: tuple[int, int]
) -> tuple[Hashes, Ints, Ints]:
    """Each half of the hashes in a thread of its own: nearly all of the time goes into sorting, which two can do at once."""
    if len(phrases) < FEW:
        return _count_part(phrases, texts, in_a, fewest)
    upper = phrases >> np.uint64(63) == 1
    with ThreadPoolExecutor(2) as threads:
        parts = list(threads.map(lambda part: _count_part(phrases[part], texts[part], in_a, fewest), (~upper, upper)))
    low, high = parts
    return np.concatenate([low[0], high[0]]), np.concatenate([low[1], high[1]]), np.concatenate([low[2], high[2]])


def _count_part(
    phrases: Hashes, texts: Hashes, in_a: NDArray[np.bool_], fewest: tuple[int, int]
) -> tuple[Hashes, Ints, Ints]:
    keys = np.sort((phrases >> _SHIFT << _SHIFT) | texts)
    keys = keys[_first_of_run(keys)]
    names = keys >> _SHIFT
    starts = np.flatnonzero(_first_of_run(names))
    counts = np.diff(starts, append=len(names))
    many = counts >= min(fewest)
    starts, counts = starts[many], counts[many]
    of_a = in_a[(keys & np.uint64((1 << TEXT_BITS) - 1)).astype(np.int64)]
    sums = np.concatenate([[0], np.cumsum(of_a)])
    a = sums[starts + counts] - sums[starts]
    enough = (a >= fewest[0]) | (counts - a >= fewest[1])
    starts, counts, a = starts[enough], counts[enough], a[enough]
    return names[starts], a, counts - a


def _first_of_run(values: Hashes) -> NDArray[np.bool_]:
    first = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return first


def _longer(phrases: Hashes, next_words: Hashes) -> Hashes:
    return mixed(phrases * _FACTOR + next_words)


def may_be_among(wanted: Hashes, names: Hashes) -> NDArray[np.bool_]:
    """Looked up by a part of the hash: no wanted one is missed, a few others pass. Ten times as fast as a search."""
    part = np.uint64(64 - TEXT_BITS - _TABLE_BITS)
    table = np.zeros(1 << _TABLE_BITS, dtype=bool)
    table[wanted >> part] = True
    among: NDArray[np.bool_] = table[names >> part]
    return among


class Wanted(Struct):
    """Phrases to be found, by their words: for each length the hashes of those that long (rising) with their numbers, and of
    what any of them begins with."""

    hashes: list[Hashes]
    numbers: list[Ints]
    beginnings: list[Hashes]


def as_matrix(phrases: Sequence[tuple[int, ...]]) -> Hashes:
    """A row for each phrase: the hashes of its words, filled up with barriers."""
    rows = np.full((len(phrases), LONGEST), BARRIER, dtype=np.uint64)
    for row, words in zip(rows, phrases):
        row[: len(words)] = words
    return rows


def wanted_phrases(matrix: Hashes) -> Wanted:
    lengths = (matrix != BARRIER).sum(axis=1)
    wanted = Wanted([], [], [])
    phrases = matrix[:, 0]
    for length in range(1, LONGEST + 1):
        names = phrases >> _SHIFT
        numbers = np.flatnonzero(lengths == length)
        numbers = numbers[np.argsort(names[numbers])]
        wanted.hashes.append(names[numbers])
        wanted.numbers.append(numbers)
        wanted.beginnings.append(names[lengths >= length])
        if length < LONGEST:
            phrases = _longer(phrases, matrix[:, length])
    return wanted


def find_phrases(words: Words, wanted: Wanted) -> FoundPhrases:
    """Where these phrases occur: the first time in each text."""
    hashes = words.hashes
    places = np.flatnonzero(hashes != BARRIER)
    phrases = hashes[places]
    found: list[Ints] = [np.zeros(0, dtype=np.int64)]
    where: list[Ints] = [np.zeros(0, dtype=np.int64)]
    for length, (these, numbers, beginnings) in enumerate(zip(wanted.hashes, wanted.numbers, wanted.beginnings), 1):
        if not len(beginnings):
            break
        near = may_be_among(beginnings, phrases >> _SHIFT)
        places, phrases = places[near], phrases[near]
        if len(these):
            at, right = _numbers(these, phrases >> _SHIFT)
            found.append(numbers[at])
            where.append(places[right])
        if length < LONGEST:
            # A text ends with a barrier, so there is always a next word.
            follows = hashes[places + length] != BARRIER
            places = places[follows]
            phrases = _longer(phrases[follows], hashes[places + length])
    return _once_a_text(np.concatenate(found), words, np.concatenate(where))


def _numbers(wanted: Hashes, names: Hashes) -> tuple[Ints, Ints]:
    """(place among the wanted, place among the names) of each name that is wanted."""
    at = np.minimum(np.searchsorted(wanted, names), len(wanted) - 1)
    right = np.flatnonzero(wanted[at] == names)
    return at[right], right


def _once_a_text(phrases: Ints, words: Words, places: Ints) -> FoundPhrases:
    texts = words.texts[places]
    # By phrase and text; within them by place, so that the first one is kept.
    order = np.lexsort((places, texts, phrases))
    phrases, texts, places = phrases[order], texts[order], places[order]
    first = np.ones(len(phrases), dtype=bool)
    first[1:] = (phrases[1:] != phrases[:-1]) | (texts[1:] != texts[:-1])
    return FoundPhrases(phrases[first], texts[first], places[first])
