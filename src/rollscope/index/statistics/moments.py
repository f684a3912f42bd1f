"""Mean and standard deviation of stretches of numbers, whatever their size: nothing overflows, nothing small vanishes. And
when numbers are the same."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rollscope.arrays import Floats, Ints

#: Beyond this a sum may lose what it was asked for: it is taken exactly, at the speed of Python.
LARGE = 1e15
#: Numbers that differ by less than this part of their size are equal: they were added up in another order.
SAME = 1e-9
#: A sum of that many of the largest numbers is still one.
_ROOM = 2.0**64


def moments(values: Floats, starts: Ints) -> tuple[Floats, Floats]:
    """Of finite values that lie stretch by stretch; `starts` are where each begins, and none is empty."""
    if len(starts) == 0:
        return np.empty(0), np.empty(0)
    sizes = np.diff(np.append(starts, len(values)))
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    largest = np.maximum(np.abs(low), np.abs(high))
    odd = largest > LARGE
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is among the odd ones
        mean = np.add.reduceat(values, starts) / sizes
    for place in np.flatnonzero(odd).tolist():
        piece = values[starts[place] : starts[place] + sizes[place]] / _ROOM
        mean[place] = math.fsum(piece.tolist()) / sizes[place] * _ROOM
    # Measured in a power of two near the largest, by which nothing is rounded: squares neither overflow nor vanish.
    unit = np.ldexp(1.0, np.clip(np.frexp(largest)[1], -1022, 1023))
    away = values / np.repeat(unit, sizes) - np.repeat(mean / unit, sizes)
    std = np.sqrt(np.add.reduceat(away**2, starts) / sizes) * unit
    # The mean of equal numbers may differ from them in its last bit; their spread is nothing all the same.
    same = low == high
    mean[same], std[same] = low[same], 0.0
    return mean, std


def spreads(values: Floats, starts: Ints) -> tuple[Floats, Floats]:
    """Mean and spread of the rewards of groups, one stretch each: the standard deviation, which is 0 where all are the same
    but for rounding, and NaN for one alone."""
    mean, std = moments(values, starts)
    if len(starts):
        std[all_same(np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts))] = 0.0
        std[np.diff(np.append(starts, len(values))) < 2] = np.nan
    return mean, std


def all_same(low: Floats, high: Floats) -> NDArray[np.bool_]:
    """Whether the least and the greatest of some numbers are the same, but for rounding. Relative to their size: 1e-12 and
    2e-12 differ. Where there are no numbers (the least of none is infinity) they are not."""
    size = np.maximum(np.abs(low), np.abs(high))
    with np.errstate(over="ignore", invalid="ignore"):  # the difference of ±1e308, and of no numbers
        same: NDArray[np.bool_] = (high - low <= SAME * size) & (size < np.inf)
    return same
