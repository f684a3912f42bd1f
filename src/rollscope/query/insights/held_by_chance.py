"""What chance makes of words that texts share: how likely it is that so many of those that have them are late ones."""

from __future__ import annotations

from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

from rollscope.arrays import Floats, Ints


def _choose(of: int, some: int) -> float:
    """The logarithm of how many ways there are."""
    return lgamma(of + 1) - lgamma(some + 1) - lgamma(of - some + 1)


def chance_of(before: int, after: int, n_before: int, n_after: int) -> float:
    """The logarithm of the chance that of the texts that have it so few or fewer are early ones (Fisher's exact test)."""
    held = before + after
    least = max(0, held - n_after)
    ways = [_choose(n_before, some) + _choose(n_after, held - some) for some in range(least, before + 1)]
    return float(np.logaddexp.reduce(ways)) - _choose(n_before + n_after, held)


def fewest_texts(n_before: int, n_after: int, chance: float) -> int:
    """What fewer texts have may all be in late ones by chance, even if nothing else were looked at."""
    held = 1
    while held < n_after and chance_of(0, held, n_before, n_after) > log(chance):
        held += 1
    return held


def most_by_chance(held: Ints, n_before: int, n_after: int, chance: float) -> float:
    """The logarithm of what one test may come to, so that all of them together come to `chance`. What could not be told
    from chance even where no early text has it is no test (Tarone 1990)."""
    kinds, numbers = np.unique(np.minimum(held, n_after), return_counts=True)
    least = np.array([chance_of(0, kind, n_before, n_after) for kind in kinds.tolist()])
    tests = 1
    while numbers[least <= log(chance / tests)].sum() > tests:
        tests += 1
    return log(chance / tests)


def prompts_alike(held: NDArray[np.bool_], prompts: list[int]) -> Floats:
    """Of each column: by what factor texts that answer one prompt are more alike than others (the design effect)."""
    if not held.shape[1] or not prompts:
        return np.ones(held.shape[1])
    share = held.mean(axis=0)
    far = np.zeros((max(prompts) + 1, held.shape[1]))
    np.add.at(far, np.array(prompts), held - share)
    alone = len(held) * share * (1 - share)
    effects: Floats = np.maximum(1.0, np.divide((far**2).sum(axis=0), alone, out=np.ones(len(alone)), where=alone > 0))
    return effects
