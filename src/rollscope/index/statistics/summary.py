"""What each step amounts to, computed once when its rows arrive, so that charts never touch sample tables.

For every (split, step): counts, groups, discard reasons; and for every numeric field count, mean, std, min, max and a
histogram. All steps of a batch are computed at once, with sorted reductions instead of loops over steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.arrays import Floats, Ints
from rollscope.fields import is_charted
from rollscope.index import compute
from rollscope.index.rows.numbering import step_codes
from rollscope.index.statistics.moments import moments, spreads
from rollscope.index.statistics.pass_at_k import pass_at_by_step

#: Bins of a step's histogram, between its own minimum and maximum.
BINS = 24


class StepStat(Struct, array_like=True, gc=False):
    """The counts of one step. `samples` are the kept ones; groups are over all samples, kept or not."""

    split: str
    step: int
    samples: int
    discarded: int
    groups: int
    #: Groups of at least two samples whose rewards are all equal, of those groups that have rewards.
    zero_variance: int
    rewarded_groups: int
    #: Mean over groups of the rewards' standard deviation.
    spread: float | None
    truncated: int
    reasons: dict[str, int]
    envs: list[str]
    #: Mean over groups of the unbiased pass@k, by k (see `pass_at_k` for what passes).
    pass_at: dict[int, float]
    #: Kept samples that have a status: it is unknown whether the others were truncated.
    stated: int = 0


class FieldStat(Struct, array_like=True):
    """One field over all steps that have it, as columns: positions into the list of steps, and numbers."""

    name: str
    step: memoryview
    count: memoryview
    mean: memoryview
    std: memoryview
    low: memoryview
    high: memoryview
    #: BINS counts a step, in as few bytes as they need: half of all statistics is this.
    histogram: memoryview


class Statistics(Struct, array_like=True):
    steps: list[StepStat]
    fields: list[FieldStat]
    #: Fields of which there are none, and why: (name, reason).
    failed: list[tuple[str, str]] = []


class FieldColumns(Struct):
    """A field's statistics, decoded."""

    step: Ints
    count: Ints
    mean: Floats
    std: Floats
    low: Floats
    high: Floats
    histogram: NDArray[np.unsignedinteger[Any]]


#: Bytes of a count -> its type.
_COUNTS: dict[int, type[np.unsignedinteger[Any]]] = {0: np.uint8, 1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def decode_field(field: FieldStat) -> FieldColumns:
    step = np.frombuffer(field.step, dtype=np.int64)
    return FieldColumns(
        step=step,
        count=np.frombuffer(field.count, dtype=np.int64),
        mean=np.frombuffer(field.mean),
        std=np.frombuffer(field.std),
        low=np.frombuffer(field.low),
        high=np.frombuffer(field.high),
        histogram=np.frombuffer(
            field.histogram, dtype=_COUNTS[len(field.histogram) // max(1, len(step) * BINS)]
        ).reshape(-1, BINS),
    )


def numeric_columns(names: Iterable[str]) -> list[str]:
    return [name for name in names if is_charted(name)]


def summarise(table: pa.Table) -> Statistics:
    """Statistics of every (split, step) in the table. Its `group` column must be filled."""
    if table.num_rows == 0:
        return Statistics(steps=[], fields=[])
    _, first, inverse = np.unique(step_codes(table), return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    kept = _mask(table["discard_reason"])
    stats = _step_counts(table, first, inverse, kept)
    fields: list[FieldStat] = []
    failed: list[tuple[str, str]] = []
    for name in numeric_columns(table.column_names):
        try:
            with np.errstate(all="ignore"):
                column = _field_columns(compute.floats(table[name]), inverse, kept)
        except (ValueError, ArithmeticError, pa.ArrowException) as error:  # unforeseen values
            failed.append((name, str(error)))
            continue
        if len(column.step):
            fields.append(encode_field(name, column))
    return Statistics(steps=stats, fields=fields, failed=failed)


def _mask(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    mask: NDArray[np.bool_] = compute.plain(compute.is_null(column))
    return mask


def _field_columns(values: Floats, inverse: Ints, kept: NDArray[np.bool_]) -> FieldColumns:
    usable = np.isfinite(values) & kept
    values, where = values[usable], inverse[usable]
    if len(where) and not (where[1:] >= where[:-1]).all():
        order = np.argsort(where, kind="stable")
        values, where = values[order], where[order]
    present, starts, counts = np.unique(where, return_index=True, return_counts=True)
    if len(present) == 0:
        empty = np.empty(0)
        return FieldColumns(
            step=np.empty(0, np.int64), count=np.empty(0, np.int64), mean=empty, std=empty, low=empty, high=empty,
            histogram=np.empty((0, BINS), np.uint32),
        )  # fmt: skip
    mean, std = moments(values, starts)
    position = np.repeat(np.arange(len(present)), counts)
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    # Halved: the difference of ±1e308 is more than a float can hold.
    width = np.where(high > low, high / 2 - low / 2, 1.0)
    place = (values / 2 - low[position] / 2) / width[position]
    bins = np.minimum((np.nan_to_num(place) * BINS).astype(np.int64), BINS - 1)
    histogram = np.bincount(position * BINS + bins, minlength=len(present) * BINS).astype(np.uint32)
    return FieldColumns(
        step=present.astype(np.int64), count=counts.astype(np.int64), mean=mean, std=std, low=low, high=high,
        histogram=histogram.reshape(-1, BINS),
    )  # fmt: skip


def encode_field(name: str, column: FieldColumns) -> FieldStat:
    width = np.min_scalar_type(int(column.histogram.max(initial=0)))
    parts = (
        column.step,
        column.count,
        column.mean,
        column.std,
        column.low,
        column.high,
        column.histogram.astype(width),
    )
    return FieldStat(name, *(memoryview(np.ascontiguousarray(part).tobytes()) for part in parts))


def _step_counts(table: pa.Table, first: Ints, inverse: Ints, kept: NDArray[np.bool_]) -> list[StepStat]:
    """`first` is a row of each step: it says which split and step it is."""
    count = len(first)
    keys = compute.take(table.select(["split", "step"]), first).to_pylist()
    samples = np.bincount(inverse[kept], minlength=count)
    discarded = np.bincount(inverse[~kept], minlength=count)
    truncated_rows = compute.plain(compute.fill_null(compute.equal(table["status"], "truncated"), False)) & kept
    truncated = np.bincount(inverse[truncated_rows], minlength=count)
    stated = np.bincount(inverse[~_mask(table["status"]) & kept], minlength=count)
    reasons = _labels(table["discard_reason"], inverse, count)
    envs = _labels(table["env"], inverse, count) if "env" in table.column_names else [{} for _ in range(count)]
    groups = _group_counts(table, inverse, count)
    return [
        StepStat(
            split=keys[i]["split"],
            step=keys[i]["step"],
            samples=int(samples[i]),
            discarded=int(discarded[i]),
            truncated=int(truncated[i]),
            stated=int(stated[i]),
            reasons=reasons[i],
            envs=sorted(envs[i]),
            **groups[i],
        )
        for i in range(count)
    ]


def _labels(column: pa.ChunkedArray, inverse: Ints, count: int) -> list[dict[str, int]]:
    """How often each text occurs in each step."""
    result: list[dict[str, int]] = [{} for _ in range(count)]
    valid = ~_mask(column)
    if not valid.any():
        return result
    encoded = compute.dictionary_encode(column)
    labels = encoded.dictionary.to_pylist()
    codes = compute.plain(compute.fill_null(encoded.indices, 0))[valid].astype(np.int64)
    pairs, counts = np.unique(inverse[valid] * len(labels) + codes, return_counts=True)
    for pair, number in zip(pairs.tolist(), counts.tolist()):
        result[pair // len(labels)][labels[pair % len(labels)]] = number
    return result


def _group_counts(table: pa.Table, inverse: Ints, count: int) -> list[dict[str, Any]]:
    encoded = compute.dictionary_encode(table["group"])
    codes = compute.plain(compute.fill_null(encoded.indices, len(encoded.dictionary))).astype(np.int64)
    pairs, group = np.unique(inverse * (len(encoded.dictionary) + 1) + codes, return_inverse=True)
    group_step = pairs // (len(encoded.dictionary) + 1)
    groups = np.bincount(group_step, minlength=count)
    rewards = compute.floats(table["reward"])
    usable = np.isfinite(rewards)
    all_groups = group.reshape(-1)
    rewards, group = rewards[usable], all_groups[usable]
    size = np.bincount(group, minlength=len(pairs))
    std = np.full(len(pairs), np.nan)
    order = np.argsort(group, kind="stable")
    present, starts = np.unique(group[order], return_index=True)
    std[present] = spreads(rewards[order], starts)[1]
    several = size >= 2
    zero = several & (std == 0)
    rewarded = np.bincount(group_step[several], minlength=count)
    zero_by_step = np.bincount(group_step[zero], minlength=count)
    # Divided before they are added up: a sum of large ones may be more than a float can hold.
    shares = std[several] / np.maximum(rewarded, 1)[group_step[several]]
    spread = np.bincount(group_step[several], weights=shares, minlength=count)
    pass_at = pass_at_by_step(table, inverse, all_groups, group_step, count)
    return [
        {
            "groups": int(groups[i]),
            "zero_variance": int(zero_by_step[i]),
            "rewarded_groups": int(rewarded[i]),
            "spread": float(spread[i]) if rewarded[i] else None,
            "pass_at": pass_at[i],
        }
        for i in range(count)
    ]
