"""Of phrases that say the same only one is shown: the longest."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.arrays import Floats, Ints
from rollscope.query.insights.contrast.ranking import log_odds

#: A longer phrase stands for a shorter one when so large a share of its samples hold it too.
SAME = 0.9
#: A phrase is folded into one it overlaps when less than this part of its z is left without the other's samples.
LEFT = 0.5
#: So many of those folded into one are compared with further ones.
FAMILY = 40


class Candidate(Struct, eq=False):
    """A phrase: its words (hashes), how it ranks, and the texts that hold it."""

    number: int
    words: tuple[int, ...]
    z: float
    texts: Ints
    #: Texts of the first look that hold it, and the place of its first word in them.
    seen_in: Ints
    places: Ints


def fold(candidates: list[Candidate], in_a: NDArray[np.bool_], sizes: tuple[int, int], limit: int | None) -> list[int]:
    """The numbers of those to show, in the order given; each stands for those that say the same."""
    shown: list[Candidate] = []
    #: Of each that is shown, the surest of its kind and those that were folded into it.
    families: list[list[Candidate]] = []
    #: Of each, the one whose samples a longer one must hold, too.
    meant: list[Candidate] = []
    for candidate in candidates:
        for place, family in enumerate(families):
            leader = family[0]
            if (candidate.z > 0) != (leader.z > 0) or not any(_is_near(candidate, other) for other in family):
                continue
            if _z_without(candidate, leader, in_a, sizes) < LEFT * abs(candidate.z):
                if len(candidate.words) > len(shown[place].words):
                    if _same(candidate, meant[place], in_a):
                        shown[place] = candidate
                    elif len(shown[place].words) == 1 and _explains(candidate, leader, in_a, sizes):
                        shown[place] = meant[place] = candidate
                if len(family) < FAMILY:
                    family.append(candidate)
                break
        else:
            if limit is not None and len(families) == limit:
                break
            families.append([candidate])
            shown.append(candidate)
            meant.append(candidate)
    return [candidate.number for candidate in shown]


def _is_near(one: Candidate, other: Candidate) -> bool:
    return _overlap(one.words, other.words) or _touch(one, other)


def _overlap(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Can both lie at one place of a text, with at least a word in common?"""
    if not set(one) & set(other):
        return False
    for shift in range(1 - len(other), len(one)):
        start, end = max(shift, 0), min(len(one), shift + len(other))
        if one[start:end] == other[start - shift : end - shift]:
            return True
    return False


def _touch(one: Candidate, other: Candidate) -> bool:
    """Do they mostly stand side by side, as the parts of a phrase that is longer than any that is looked for?"""
    _, of_one, of_other = np.intersect1d(one.seen_in, other.seen_in, assume_unique=True, return_indices=True)
    if not len(of_one):
        return False
    apart = other.places[of_other] - one.places[of_one]
    beside = (apart >= -len(other.words)) & (apart <= len(one.words))
    return float(beside.mean()) >= SAME


def _z_without(candidate: Candidate, other: Candidate, in_a: NDArray[np.bool_], sizes: tuple[int, int]) -> float:
    """|z| over the samples that do not hold the other phrase."""
    rest = candidate.texts[~np.isin(candidate.texts, other.texts, assume_unique=True)]
    without = [sizes[0] - int(in_a[other.texts].sum()), sizes[1] - int((~in_a[other.texts]).sum())]
    counts = [int(in_a[rest].sum()), int((~in_a[rest]).sum())]
    if not sum(counts) or not all(without):
        return 0.0
    ratio, error = log_odds(np.array(counts[:1]), np.array(counts[1:]), *without)
    return float(abs(ratio[0] / error[0])) if (ratio[0] > 0) == (candidate.z > 0) else 0.0


def _explains(longer: Candidate, word: Candidate, in_a: NDArray[np.bool_], sizes: tuple[int, int]) -> bool:
    """Is a word typical only because of this phrase? "and", say, that other texts have, too."""
    return _z_without(word, longer, in_a, sizes) < LEFT * abs(word.z)


def _same(longer: Candidate, shorter: Candidate, in_a: NDArray[np.bool_]) -> bool:
    """Does nearly every sample of the side it is typical of hold the longer one too?"""
    side = in_a if shorter.z > 0 else ~in_a
    of_shorter = shorter.texts[side[shorter.texts]]
    return float(np.isin(of_shorter, longer.texts, assume_unique=True).mean()) >= SAME


def typical(z: Floats, lengths: Ints) -> Ints:
    """The order in which they are reported: the most certain first, the longest of equally certain ones."""
    return np.lexsort((-lengths, -np.abs(z)))
