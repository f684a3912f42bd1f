"""Statistics of some steps put in place of older ones, or left out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from rollscope.index.statistics.summary import FieldColumns, FieldStat, Ints, Statistics, decode_field, encode_field


def merge(old: Statistics, new: Statistics) -> Statistics:
    """`old` with the steps of `new` in place of its own, ordered by split (train first) and step."""
    fresh = {(step.split, step.step) for step in new.steps}
    gone = {i for i, step in enumerate(old.steps) if (step.split, step.step) in fresh}
    return _reorder([(old, gone), (new, set())])


def only(statistics: Statistics, keep: Collection[tuple[str, int]]) -> Statistics:
    """The steps named."""
    gone = {i for i, step in enumerate(statistics.steps) if (step.split, step.step) not in keep}
    return _reorder([(statistics, gone)]) if gone else statistics


def without(statistics: Statistics, leave: Collection[tuple[str, int]]) -> Statistics:
    """All but the steps named."""
    gone = {i for i, step in enumerate(statistics.steps) if (step.split, step.step) in leave}
    return _reorder([(statistics, gone)]) if gone else statistics


def in_order(statistics: Statistics) -> Statistics:
    """By split (train first) and step."""
    return _reorder([(statistics, set())])


class LazyFields(Mapping[str, FieldColumns]):
    """The numeric fields of statistics that follow each other. Each is put together when it is asked for: charts show a
    few of them, and a list needs their names only."""

    def __init__(self, parts: Sequence[tuple[int, Statistics]]) -> None:
        """With each the place of its first step among all."""
        self._parts: dict[str, list[tuple[int, FieldStat]]] = {}
        for first, statistics in parts:
            for field in statistics.fields:
                self._parts.setdefault(field.name, []).append((first, field))
        self._made: dict[str, FieldColumns] = {}

    def __getitem__(self, name: str) -> FieldColumns:
        made = self._made.get(name)
        if made is None:
            columns = [_shifted(decode_field(field), first) for first, field in self._parts[name]]
            made = self._made[name] = columns[0] if len(columns) == 1 else _join(columns)
        return made

    def __contains__(self, name: object) -> bool:
        return name in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


def _shifted(column: FieldColumns, first: int) -> FieldColumns:
    return msgspec.structs.replace(column, step=column.step + first) if first else column


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
