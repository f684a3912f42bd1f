"""Statistics of some steps put in place of older ones, or left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rollscope.index.statistics.summary import FieldColumns, Ints, Statistics, decode_field, encode_field


def merge(old: Statistics, new: Statistics) -> Statistics:
    """`old` with the steps of `new` in place of its own, ordered by split (train first) and step."""
    fresh = {(step.split, step.step) for step in new.steps}
    gone = {i for i, step in enumerate(old.steps) if (step.split, step.step) in fresh}
    return _reorder([(old, gone), (new, set())])


def without(statistics: Statistics, keep: set[tuple[str, int]]) -> Statistics:
    """Only the steps named."""
    gone = {i for i, step in enumerate(statistics.steps) if (step.split, step.step) not in keep}
    return _reorder([(statistics, gone)]) if gone else statistics


def _reorder(parts: list[tuple[Statistics, set[int]]]) -> Statistics:
    kept = [
        (part, i, step)
        for part, (stats, gone) in enumerate(parts)
        for i, step in enumerate(stats.steps)
        if i not in gone
    ]
    kept.sort(key=lambda item: (item[2].split != "train", item[2].split, item[2].step))
    place = {(part, i): position for position, (part, i, _) in enumerate(kept)}
    columns: dict[str, list[FieldColumns]] = {}
    for part, (stats, _) in enumerate(parts):
        mapping = np.array([place.get((part, i), -1) for i in range(len(stats.steps))], dtype=np.int64)
        for field in stats.fields:
            decoded = decode_field(field)
            target = mapping[decoded.step]
            stays = target >= 0
            if stays.any():
                columns.setdefault(field.name, []).append(_select(decoded, stays, target))
    fields = [encode_field(name, _join(parts_of)) for name, parts_of in columns.items()]
    failed = dict(reason for stats, _ in parts for reason in stats.failed)
    return Statistics(steps=[step for _, _, step in kept], fields=fields, failed=list(failed.items()))


def _select(column: FieldColumns, stays: NDArray[np.bool_], target: Ints) -> FieldColumns:
    return FieldColumns(
        step=target[stays], count=column.count[stays], mean=column.mean[stays], std=column.std[stays],
        low=column.low[stays], high=column.high[stays], histogram=column.histogram[stays],
    )  # fmt: skip


def _join(parts: list[FieldColumns]) -> FieldColumns:
    order = np.argsort(np.concatenate([part.step for part in parts]), kind="stable")
    return FieldColumns(
        **{
            name: np.concatenate([getattr(part, name) for part in parts])[order]
            for name in FieldColumns.__struct_fields__
        }
    )
