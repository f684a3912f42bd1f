"""The phrases that tell two sides apart."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.arrays import Ints
from rollscope.query.insights.contrast.folding import Candidate, fold, typical
from rollscope.query.insights.contrast.ngrams import LONGEST, FoundPhrases, levels, occurrences
from rollscope.query.insights.contrast.ranking import (
    design_effects,
    false_discovery_rates,
    least_testable,
    likelihood_ratio,
    log_odds,
    p_values,
)
from rollscope.query.insights.contrast.words import Words

#: Phrases so rare that they could not have a smaller p than this, were they in one side only, are not looked at.
TESTABLE = 5e-6
#: This many of the most certain are counted in all texts and reported with their samples.
CANDIDATES = 4_000
#: Of those with at least this likelihood ratio in the first look: p is at most 0.01.
CHOSEN = 6.635
#: Phrases with at least this likelihood ratio (p is at most 0.1) are made longer.
PROMISING = 2.706
#: Adjusted for the number of phrases looked at, at most so many of those told are due to chance.
FALSE_DISCOVERIES = 0.05
#: Where nothing is that sure: rarer phrases, too, and so many of those that come nearest, whatever their p.
RARE, NEAREST = 4e-3, 5


class Phrase(Struct, eq=False):
    """A phrase that is shown: counts of samples, z, adjusted p, and the texts that hold it."""

    words: tuple[int, ...]
    a: int
    b: int
    z: float
    q: float
    texts: Ints


class PhraseChoice(Struct):
    """What the first look, over a part of the texts, chose to be counted in all of them."""

    #: Of each phrase, the words it is made of.
    words: list[tuple[int, ...]]
    #: In which texts of the part it is.
    found: FoundPhrases
    #: Phrases that were looked at.
    looked_at: int


def choose(words: Words, in_a: NDArray[np.bool_], sizes: tuple[int, int], testable: float = TESTABLE) -> PhraseChoice:
    """The phrases of these texts that tell their sides apart most. `sizes`: texts of either side that could be read;
    `testable`: how small the p of a phrase of one side must be for it to be looked at."""
    made_of: list[tuple[int, ...]] = []
    scores: list[NDArray[np.float64]] = [np.zeros(0)]
    parts: list[FoundPhrases] = []
    looked_at = 0

    def promising(a: Ints, b: Ints) -> NDArray[np.bool_]:
        return likelihood_ratio(a, b, *sizes) >= PROMISING

    for level in levels(words, in_a, least_testable(*sizes, testable), promising):
        # Longer ones are looked at only where shorter ones give reason to: all of them count as looked at, and there are at
        # most about as many of each length as of two words.
        if level.length == 1:
            looked_at += len(level.hashes)
        elif level.length == 2:
            looked_at += (LONGEST - 1) * len(level.hashes)
        ratio, error = log_odds(level.a, level.b, *sizes)
        z = np.abs(ratio / error)
        # What is not even this sure by itself is not sure among all: it is not looked for.
        unsure = likelihood_ratio(level.a, level.b, *sizes) < CHOSEN
        z[unsure] = 0.0
        best = np.sort(np.argsort(-z, kind="stable")[: min(CANDIDATES, int((~unsure).sum()))])
        if not len(best):
            continue
        found = occurrences(level, level.hashes[best], words)
        firsts = found.places[np.flatnonzero(np.diff(found.phrases, prepend=-1))]
        parts.append(FoundPhrases(found.phrases + len(made_of), found.texts, found.places))
        made_of += [tuple(words.hashes[place : place + level.length].tolist()) for place in firsts.tolist()]
        scores.append(z[best])
    return _surest(made_of, np.concatenate(scores), parts, looked_at)


def _surest(
    made_of: list[tuple[int, ...]], scores: NDArray[np.float64], parts: list[FoundPhrases], looked_at: int
) -> PhraseChoice:
    """Over all lengths."""
    best = np.sort(np.argsort(-scores, kind="stable")[:CANDIDATES])
    numbers = np.full(len(made_of) + 1, -1)
    numbers[best] = np.arange(len(best))
    none = np.zeros(0, dtype=np.int64)
    phrases = numbers[np.concatenate([none, *(part.phrases for part in parts)])]
    chosen = phrases >= 0
    columns = (np.concatenate([none, *(getattr(part, name) for part in parts)])[chosen] for name in ("texts", "places"))
    return PhraseChoice(
        [made_of[number] for number in best.tolist()], FoundPhrases(phrases[chosen], *columns), looked_at
    )


def rank(
    choice: PhraseChoice,
    found: FoundPhrases,
    in_a: NDArray[np.bool_],
    clusters: Ints,
    sizes: tuple[int, int],
    limit: int | None,
    false_discoveries: float = FALSE_DISCOVERIES,
) -> list[Phrase]:
    """The surest first. `found` is over all texts; `clusters` says which of them share a prompt. At most this share of
    those told, `false_discoveries`, are due to chance."""
    count = len(choice.words)
    lengths = np.array([len(words) for words in choice.words], dtype=np.int64)
    order = np.lexsort((found.texts, found.phrases))
    phrases, texts = found.phrases[order], found.texts[order]
    of_a = in_a[texts]
    a = np.bincount(phrases[of_a], minlength=count)
    b = np.bincount(phrases[~of_a], minlength=count)
    effects = design_effects(phrases, texts, count, clusters, in_a)
    ratio, error = log_odds(a, b, *sizes)
    z = ratio / error / np.sqrt(effects)
    p = p_values(likelihood_ratio(a, b, *sizes) / effects)
    q = false_discovery_rates(p, max(choice.looked_at, count))
    bounds = np.searchsorted(phrases, np.arange(count + 1))
    first = np.searchsorted(choice.found.phrases, np.arange(count + 1))
    # Among what is not sure a rare phrase of one side comes before a common word that leans a little to it.
    order_by = z if false_discoveries < 1 else 1 / np.maximum(p, 1e-300)
    sure = [number for number in typical(order_by, lengths).tolist() if q[number] <= false_discoveries and z[number]]
    candidates = [
        Candidate(
            number,
            choice.words[number],
            float(z[number]),
            texts[bounds[number] : bounds[number + 1]],
            choice.found.texts[first[number] : first[number + 1]],
            choice.found.places[first[number] : first[number + 1]],
        )
        for number in sure
    ]
    # A phrase of many words is many phrases; told as one it must not make room for others that are due to chance.
    folded = np.array(fold(candidates, in_a, sizes, limit), dtype=np.int64)
    rates = false_discovery_rates(p[folded], max(choice.looked_at, count))
    shown = [
        Phrase(
            choice.words[number],
            int(a[number]),
            int(b[number]),
            float(z[number]),
            float(rate),
            texts[bounds[number] : bounds[number + 1]],
        )
        for number, rate in zip(folded.tolist(), rates.tolist())
        if rate <= false_discoveries
    ]
    return sorted(shown, key=lambda phrase: -abs(phrase.z))
