"""What two texts have in common, word by word, in order.

The longest common subsequence of words by rapidfuzz, which works on 64 words at a time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import Annotated, Literal

from msgspec import Meta, Struct

from rollscope.query.insights.words import numbered, split_words

#: One bit is kept for each pair of words: 2,000,000,000 pairs are 250 MB. What lies beyond is not compared, and that is said.
MAX_PAIRS = 2_000_000_000

#: Up to here (2,000 words against 2,000) the subsequence is the longest there is. Longer texts are first tied together where
#: both have the same rare sequence of words, which is what a reader would do, and is compared in between.
EXACT_PAIRS = 4_000_000
ANCHOR_WORDS = 4

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
    a_numbers, b_numbers = numbered(a_words, b_words)
    start, end = _equal_ends(a_numbers, b_numbers)
    a_middle, b_middle = a_numbers[start : len(a_words) - end], b_numbers[start : len(b_words) - end]
    compared = len(a_middle) * len(b_middle) <= max_pairs
    matches = _matches(a_middle, b_middle) if compared else []
    blocks = [(0, 0, start), *((start + i, start + j, size) for i, j, size in matches)]
    blocks.append((len(a_words) - end, len(b_words) - end, end))
    return WordDiff(
        pieces=_pieces(a_words, b_words, blocks),
        a_words=len(a_words),
        b_words=len(b_words),
        equal_words=sum(size for _, _, size in blocks),
        compared=compared,
    )


def _equal_ends(a: list[int], b: list[int]) -> tuple[int, int]:
    """How many words at the start are the same, and how many of the others at the end."""
    shorter = min(len(a), len(b))
    start = next((place for place in range(shorter) if a[place] != b[place]), shorter)
    rest = shorter - start
    end = next((place for place in range(rest) if a[-1 - place] != b[-1 - place]), rest)
    return start, end


def _matches(a: list[int], b: list[int]) -> list[tuple[int, int, int]]:
    """(place in a, place in b, words): the stretches of a longest common subsequence."""
    if not a or not b:
        return []
    from rapidfuzz.distance import LCSseq  # 7 ms, for those who compare

    anchors = _anchors(a, b) if len(a) * len(b) > EXACT_PAIRS else []
    found: list[tuple[int, int, int]] = []
    for (a_from, b_from), (a_to, b_to) in pairwise([(0, 0), *anchors, (len(a), len(b))]):
        found += [
            (a_from + code.src_start, b_from + code.dest_start, code.src_end - code.src_start)
            for code in LCSseq.opcodes(a[a_from:a_to], b[b_from:b_to])
            if code.tag == "equal"
        ]
    return found


def _anchors(a: list[int], b: list[int]) -> list[tuple[int, int]]:
    """Places of sequences that each text has exactly once, in the order of both: where the texts surely belong together."""
    in_a, in_b = _once(a), _once(b)
    pairs = [(place, in_b[words]) for words, place in in_a.items() if words in in_b]  # in the order of a
    # The longest rising sequence of places in b, by keeping for each length the one that ends earliest.
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
    chosen = []
    number = last[-1] if last else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]


def _once(words: list[int]) -> dict[tuple[int, ...], int]:
    """The sequences of ANCHOR_WORDS words that occur once, with their places."""
    sequences = list(zip(*(words[shift:] for shift in range(ANCHOR_WORDS))))
    counts = Counter(sequences)
    return {sequence: place for place, sequence in enumerate(sequences) if counts[sequence] == 1}


def _pieces(a_words: list[str], b_words: list[str], blocks: list[tuple[int, int, int]]) -> list[DiffPiece]:
    pieces: list[DiffPiece] = []
    a_chars = b_chars = a_done = b_done = 0

    def add(kind: PieceKind, words: list[str]) -> None:
        nonlocal a_chars, b_chars
        text = "".join(words)
        if not text:
            return
        if pieces and pieces[-1].kind == kind:
            pieces[-1].text += text
        else:
            pieces.append(DiffPiece(kind=kind, text=text, a=a_chars, b=b_chars))
        a_chars += len(text) if kind != "insert" else 0
        b_chars += len(text) if kind != "delete" else 0

    for a_start, b_start, size in blocks:
        add("delete", a_words[a_done:a_start])
        add("insert", b_words[b_done:b_start])
        add("equal", a_words[a_start : a_start + size])
        a_done, b_done = a_start + size, b_start + size
    return pieces
