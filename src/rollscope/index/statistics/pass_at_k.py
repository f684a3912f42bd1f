"""pass@k: how often at least one of k samples of a group is right, by the unbiased estimator.

What is right is said by a verdict: a number or bool of the source that trainers call `correct`, `acc` and the like, and
whose values in that split and step all lie within [0, 1]. Above 0 it passed. Text is no verdict, even where it looks like
a number (`"answer": "17"` is what the model said), unless its trainer is known to write numbers as text. Where a step has no
verdict, a reward that is 0 or 1 for every sample is one. Without either, pass@k is missing: of a reward of 0.1 nobody knows
what it was for.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.arrays import Floats, Ints
from rollscope.fields import VERDICTS
from rollscope.index import compute

#: Computed for k = 1, 2, 4 … up to this.
MAX_K = 64


def pass_at_by_step(
    table: pa.Table, steps: Ints, groups: Ints, step_of_group: Ints, count: int
) -> list[dict[int, float]]:
    """For each of `count` steps: k -> mean over its groups. `steps` and `groups` are the rows' numbers of each."""
    outcomes = _outcomes(table, steps, count)
    judged = np.isfinite(outcomes)
    size = np.bincount(groups[judged], minlength=len(step_of_group))
    passed = np.bincount(groups[judged & (outcomes > 0)], minlength=len(step_of_group))
    return _means(step_of_group, size, passed, count)


def _outcomes(table: pa.Table, steps: Ints, count: int) -> Floats:
    """What decides whether a sample passed: the first verdict it has; NaN where there is none."""
    outcomes = np.full(table.num_rows, np.nan)
    for name in VERDICTS:
        if name in table.column_names:
            values = compute.floats(table[name])
            values = np.where(_in_steps(~((values < 0) | (values > 1)), steps, count), values, np.nan)
            outcomes = np.where(np.isnan(outcomes), values, outcomes)
    rewards = compute.floats(table["reward"])
    unjudged = _in_steps(np.isnan(outcomes), steps, count)
    binary = _in_steps((rewards == 0) | (rewards == 1) | np.isnan(rewards), steps, count)
    found: Floats = np.where(unjudged & binary, rewards, outcomes)
    return found


def _in_steps(holds: NDArray[np.bool_], steps: Ints, count: int) -> NDArray[np.bool_]:
    """For each row: does it hold for all rows of its step?"""
    broken = np.bincount(steps[~holds], minlength=count) > 0
    whole: NDArray[np.bool_] = ~broken[steps]
    return whole


def pass_at_k(n: Ints, c: Ints, k: int) -> Floats:
    """The unbiased estimator 1 - C(n-c, k) / C(n, k), for arrays of n samples with c passes; NaN where n < k."""
    result = np.ones(len(n), dtype=np.float64)
    for i in range(k):
        result *= np.maximum(n - c - i, 0) / np.maximum(n - i, 1)
    return np.where(n >= k, 1.0 - result, np.nan)


def _means(step_of_group: Ints, size: Ints, passed: Ints, count: int) -> list[dict[int, float]]:
    """Mean pass@k per step for k = 1, 2, 4 … up to the smallest group of the step, and MAX_K."""
    result: list[dict[int, float]] = [{} for _ in range(count)]
    scored = size > 0
    if not scored.any():
        return result
    smallest = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(smallest, step_of_group[scored], size[scored])
    k = 1
    while k <= min(int(size.max()), MAX_K):
        values = pass_at_k(size, passed, k)
        for i in np.flatnonzero((smallest >= k) & (smallest < np.iinfo(np.int64).max)).tolist():
            result[i][k] = 0.0
        usable = scored & (smallest[step_of_group] >= k)
        totals = np.bincount(step_of_group[usable], weights=values[usable], minlength=count)
        numbers = np.bincount(step_of_group[usable], minlength=count)
        for i in np.flatnonzero(numbers).tolist():
            result[i][k] = float(totals[i] / numbers[i])
        k *= 2
    return result
