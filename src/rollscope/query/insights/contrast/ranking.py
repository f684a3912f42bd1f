"""How surely a phrase tells two sides apart.

Ranked by the log-odds ratio with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008), over samples that hold
the phrase and not over its occurrences. Tested by the likelihood ratio (G) with the false discovery rate of Benjamini and
Hochberg (1995). Samples that share a prompt speak of the same things: both are divided by the design effect of Rao and
Scott (1992), so that the words of a single prompt do not pass for a difference.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rollscope.arrays import Floats, Ints


def log_odds(a: Ints, b: Ints, a_texts: int, b_texts: int) -> tuple[Floats, Floats]:
    """(log-odds ratio, its standard error). The prior has the mean of the two shares, and the weight of the smaller side.
    Counts of samples are not small against their number as those of words are, so the samples without it add to the error."""
    weight = float(min(a_texts, b_texts))
    share = (a / max(a_texts, 1) + b / max(b_texts, 1)) / 2
    with_a, with_b = a + weight * share, b + weight * share
    without_a, without_b = a_texts - a + weight * (1 - share), b_texts - b + weight * (1 - share)
    known = (with_a > 0) & (with_b > 0) & (without_a > 0) & (without_b > 0)
    parts = [np.where(known, part, 1.0) for part in (with_a, without_a, with_b, without_b)]
    ratio = np.log(parts[0] / parts[1]) - np.log(parts[2] / parts[3])
    error = np.sqrt(sum(1 / part for part in parts))
    return np.where(known, ratio, 0.0), error


def likelihood_ratio(a: Ints, b: Ints, a_texts: int, b_texts: int) -> Floats:
    """G: twice the log of how much likelier two shares make the counts than one share. Chi-squared with one degree."""
    total = a_texts + b_texts
    found = np.zeros(len(a))
    for seen, texts, held in (
        (a, a_texts, a + b),
        (b, b_texts, a + b),
        (a_texts - a, a_texts, total - a - b),
        (b_texts - b, b_texts, total - a - b),
    ):
        expected = texts * held / total
        found += np.where(seen > 0, 2 * seen * np.log(np.where(seen > 0, seen, 1) / np.maximum(expected, 1e-300)), 0.0)
    return np.maximum(found, 0.0)


def least_testable(a_texts: int, b_texts: int, p: float) -> tuple[int, int]:
    """How many texts of a (of b) must hold a phrase that no text of the other holds for a p this small; one more than there
    are where all of them would be too few. What is rarer cannot be told from chance, and is not tested (Tarone 1990)."""
    found = []
    for texts, others in ((a_texts, b_texts), (b_texts, a_texts)):
        low, high = 1, texts + 1
        while low < high:
            middle = (low + high) // 2
            one = likelihood_ratio(np.array([middle]), np.array([0]), texts, others)
            low, high = (low, middle) if p_values(one)[0] <= p else (middle + 1, high)
        found.append(low)
    return found[0], found[1]


def p_values(chi_squared: Floats) -> Floats:
    """The upper tail of chi-squared with one degree of freedom."""
    from math import erfc, sqrt

    return np.array([erfc(sqrt(value / 2)) for value in chi_squared.tolist()])


def false_discovery_rates(p: Floats, tested: int) -> Floats:
    """Benjamini and Hochberg's adjusted p, where these are the smallest of `tested` of them."""
    order = np.argsort(p, kind="stable")
    raw = p[order] * tested / np.arange(1, len(p) + 1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.minimum.accumulate(raw[::-1])[::-1], 1.0)
    return adjusted


def design_effects(phrases: Ints, texts: Ints, count: int, clusters: Ints, in_a: NDArray[np.bool_]) -> Floats:
    """Of each of `count` phrases: by how much its samples' sharing prompts widens the spread of the difference of the two
    shares; at least 1. `phrases` and `texts` say which text holds which phrase, `clusters` which prompt a text answers."""
    sizes = np.array([max(int(in_a.sum()), 1), max(int((~in_a).sum()), 1)], dtype=np.float64)
    weights = np.where(in_a, 1 / sizes[0], -1 / sizes[1])
    groups = int(clusters.max()) + 1 if len(clusters) else 0
    size_a = np.bincount(clusters, weights=in_a / sizes[0], minlength=groups)
    size_b = np.bincount(clusters, weights=~in_a / sizes[1], minlength=groups)
    held = np.stack([np.bincount(phrases[side], minlength=count) for side in (in_a[texts], ~in_a[texts])]).astype(
        np.float64
    )
    share_a, share_b = held[0] / sizes[0], held[1] / sizes[1]
    # Of each prompt, what it adds to the difference: seen, minus what its size lets expect.
    keys, place = np.unique(phrases * np.int64(max(groups, 1)) + clusters[texts], return_inverse=True)
    seen = np.bincount(place, weights=weights[texts], minlength=len(keys))
    phrase, cluster = keys // max(groups, 1), keys % max(groups, 1)
    expected = share_a[phrase] * size_a[cluster] - share_b[phrase] * size_b[cluster]
    spread = np.bincount(phrase, weights=seen**2 - 2 * seen * expected, minlength=count).astype(np.float64)
    spread += share_a**2 * (size_a**2).sum() + share_b**2 * (size_b**2).sum()
    spread -= 2 * share_a * share_b * (size_a * size_b).sum()
    pooled = held.sum(axis=0) / sizes.sum()
    alone = pooled * (1 - pooled) * (1 / sizes).sum()
    effects: Floats = np.maximum(1.0, np.divide(spread, alone, out=np.ones(count), where=alone > 0))
    return effects
