"""What two texts have in common, word by word, in order.

The longest common subsequence of words by rapidfuzz, which works on 64 words at a time.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct

from rollscope.arrays import Ints
from rollscope.query.insights.words import numbered, split_words

#: One bit is kept for each pair of words: 2,000,000,000 pairs are 250 MB. What lies beyond is not compared, and that is said.
MAX_PAIRS = 2_000_000_000

#: Up to here (2,000 words against 2,000) the subsequence is the longest there is. Longer texts are first tied together where
#: both have the same rare sequence of words, which is what a reader would do, and is compared in between.
EXACT_PAIRS = 4_000_000
#: The lengths of such sequences. Shorter ones are tried where the longer ones leave more than this many pairs: the texts then
#: have little in common, and their longest common subsequence is a list of small words that takes a tenth of a second.
ANCHOR_WORDS = (4, 2, 1)
FAR_PAIRS = 100_000_000

#: (place in a, place in b, words).
MatchingBlock = tuple[int, int, int]
PieceKind = Literal["equal", "delete", "insert"]


class DiffPiece(Struct, kw_only=True):
    """A stretch of words. Those that are not inserted, joined, are the first text; those not deleted, the second."""

    kind: PieceKind
    text: str
    a: Annotated[
        int, Meta(description="Where it lies in the first text, in characters; for an insertion, before what.")
    ]
    b: Annotated[int, Meta(description="Where it lies in the second text; for a deletion, before what.")]


class WordDiff(Struct, kw_only=True):
    """Two texts as stretches that both have, that only the first has, and that only the second has."""

    pieces: list[DiffPiece]
    a_words: int
    b_words: int
    equal_words: Annotated[int, Meta(description="Words that both have, in order.")]
    compared: Annotated[
        bool,
        Meta(
            description="False where the texts are too long: what lies between their equal ends is then not compared."
        ),
    ]


def word_diff(a: str, b: str, max_pairs: int = MAX_PAIRS) -> WordDiff:
    a_words, b_words = split_words(a), split_words(b)
    a_list, b_list = numbered(a_words, b_words)
    a_numbers, b_numbers = np.array(a_list, dtype=np.int64), np.array(b_list, dtype=np.int64)
    start, end = _equal_ends(a_numbers, b_numbers)
    a_end, b_end = len(a_words) - end, len(b_words) - end
    compared = (a_end - start) * (b_end - start) <= max_pairs
    matches = _matches(a_numbers[start:a_end], b_numbers[start:b_end]) if compared else []
    blocks = [(0, 0, start), *((start + i, start + j, size) for i, j, size in matches), (a_end, b_end, end)]
    return WordDiff(
        pieces=_pieces((a, a_words), (b, b_words), blocks),
        a_words=len(a_words),
        b_words=len(b_words),
        equal_words=sum(size for _, _, size in blocks),
        compared=compared,
    )


def _equal_ends(a: Ints, b: Ints) -> tuple[int, int]:
    """How many words at the start are the same, and how many of the others at the end."""
    shorter = min(len(a), len(b))
    differ = np.flatnonzero(a[:shorter] != b[:shorter])
    start = int(differ[0]) if len(differ) else shorter
    rest = shorter - start
    differ = np.flatnonzero(a[len(a) - rest :] != b[len(b) - rest :])
    return start, rest - 1 - int(differ[-1]) if len(differ) else rest


def _matches(a: Ints, b: Ints, lengths: tuple[int, ...] = ANCHOR_WORDS) -> list[MatchingBlock]:
    """(place in a, place in b, words): the stretches of a longest common subsequence, or of nearly one."""
    if not len(a) or not len(b):
        return []
    pairs = len(a) * len(b)
    if pairs <= EXACT_PAIRS or not lengths or (pairs <= FAR_PAIRS and len(lengths) < len(ANCHOR_WORDS)):
        from rapidfuzz.distance import LCSseq  # 7 ms, for those who compare

        codes = LCSseq.opcodes(a.tolist(), b.tolist())
        return [(c.src_start, c.dest_start, c.src_end - c.src_start) for c in codes if c.tag == "equal"]
    found: list[MatchingBlock] = []
    a_from = b_from = 0
    for a_to, b_to, size in (*_anchors(a, b, lengths[0]), (len(a), len(b), 0)):
        between = _matches(a[a_from:a_to], b[b_from:b_to], lengths[1:])
        found += [(a_from + i, b_from + j, words) for i, j, words in between]
        if size:
            found.append((a_to, b_to, size))
        a_from, b_from = a_to + size, b_to + size
    return found


def _anchors(a: Ints, b: Ints, words: int) -> list[MatchingBlock]:
    """Stretches of sequences that each text has exactly once, in the order of both: where the texts surely belong together."""
    if min(len(a), len(b)) < words:
        return []
    in_a, in_b = _common_once(a, b, words)
    order = np.argsort(in_a)
    places = _rising(in_a[order], in_b[order])
    if not len(places):
        return []
    # Matches that follow each other without a gap are joined into one.
    steps = np.diff(places, axis=0)
    one = (steps[:, 0] == steps[:, 1]) & (steps[:, 0] <= words)
    begins = np.flatnonzero(np.concatenate([[True], ~one]))
    ends = np.concatenate([begins[1:] - 1, [len(places) - 1]])
    found: list[MatchingBlock] = []
    a_done = b_done = 0
    for (i, j), (last, _) in zip(places[begins].tolist(), places[ends].tolist()):
        # Sequences that do not follow each other may still overlap: the words of one text count once.
        late = max(a_done - i, b_done - j, 0)
        size = last + words - i - late
        if size > 0:
            found.append((i + late, j + late, size))
            a_done, b_done = i + late + size, j + late + size
    return found


def _common_once(a: Ints, b: Ints, words: int) -> tuple[Ints, Ints]:
    """The places, in a and in b, of sequences that both have exactly once."""
    # A number for each different sequence, from those of its two parts: exact, as no hash is.
    joined = np.concatenate([a, [-1] * words, b])
    names = joined
    for width in (1, 2) if words == 4 else (1,) * (words - 1):
        _, names = np.unique(names[:-width] * np.int64(len(joined) + 1) + names[width:], return_inverse=True)
    of_a, of_b = names[: len(a) - words + 1], names[len(a) + words :]
    kinds = int(names.max()) + 1
    once = (np.bincount(of_a, minlength=kinds) == 1) & (np.bincount(of_b, minlength=kinds) == 1)
    place_a, place_b = np.zeros(kinds, dtype=np.int64), np.zeros(kinds, dtype=np.int64)
    place_a[of_a], place_b[of_b] = np.arange(len(of_a)), np.arange(len(of_b))
    sequences = np.flatnonzero(once)
    return place_a[sequences], place_b[sequences]


def _rising(in_a: Ints, in_b: Ints) -> Ints:
    """The longest part whose places rise in b too, by keeping for each length the one that ends earliest."""
    places = np.stack([in_a, in_b], axis=1)
    if len(places) < 2 or bool((np.diff(in_b) > 0).all()):
        return places
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, place in enumerate(in_b.tolist()):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
    chosen = []
    number = last[-1]
    while number >= 0:
        chosen.append(number)
        number = before[number]
    return places[chosen[::-1]]


def _pieces(a: tuple[str, list[str]], b: tuple[str, list[str]], blocks: list[MatchingBlock]) -> list[DiffPiece]:
    """Stretches of the texts by the places of words in them."""
    (a_text, a_words), (b_text, b_words) = a, b
    a_chars, b_chars = ([0, *accumulate(map(len, words))] for words in (a_words, b_words))
    pieces: list[DiffPiece] = []
    a_done = b_done = 0

    def add(kind: PieceKind, text: str, at_a: int, at_b: int) -> None:
        if not text:
            return
        if pieces and pieces[-1].kind == kind:
            pieces[-1].text += text
        else:
            pieces.append(DiffPiece(kind=kind, text=text, a=at_a, b=at_b))

    for a_start, b_start, size in blocks:
        at_a, at_b = a_chars[a_done], b_chars[b_done]
        add("delete", a_text[at_a : a_chars[a_start]], at_a, at_b)
        at_a = a_chars[a_start]
        add("insert", b_text[at_b : b_chars[b_start]], at_a, at_b)
        a_done, b_done = a_start + size, b_start + size
        add("equal", a_text[at_a : a_chars[a_done]], at_a, b_chars[b_start])
    return pieces
