"""Statistics of some steps put in place of older ones, or left out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import lt

import msgspec
import numpy as np
from numpy.typing import NDArray

from rollscope.arrays import Ints
from rollscope.index.statistics.summary import FieldColumns, FieldStat, Statistics, decode_field, encode_field


def merge(old: Statistics, new: Statistics) -> Statistics:
    """`old` with the steps of `new` in place of its own, ordered by split (train first) and step."""
    fresh = {(step.split, step.step) for step in new.steps}
    gone = {i for i, step in enumerate(old.steps) if (step.split, step.step) in fresh}
    return _reorder([(old, gone), (new, set())])


def cut_out(statistics: Statistics, start: int, end: int) -> Statistics:
    """The statistics of the steps at positions [start, end); the steps are in order."""
    fields: list[FieldStat] = []
    for field in statistics.fields:
        column = decode_field(field)
        low, high = np.searchsorted(column.step, (start, end)).tolist()
        if high > low:
            values = {name: getattr(column, name)[low:high] for name in FieldColumns.__struct_fields__}
            fields.append(encode_field(field.name, FieldColumns(**{**values, "step": values["step"] - start})))
    return Statistics(steps=statistics.steps[start:end], fields=fields, failed=statistics.failed)


def only(statistics: Statistics, keep: Collection[tuple[str, int]]) -> Statistics:
    """The steps named."""
    gone = {i for i, step in enumerate(statistics.steps) if (step.split, step.step) not in keep}
    return _reorder([(statistics, gone)]) if gone else statistics


def without(statistics: Statistics, leave: Collection[tuple[str, int]]) -> Statistics:
    """All but the steps named."""
    gone = {i for i, step in enumerate(statistics.steps) if (step.split, step.step) in leave}
    return _reorder([(statistics, gone)]) if gone else statistics


def in_order(statistics: Statistics) -> Statistics:
    """The same statistics, their steps ordered by split (train first) and step."""
    keys = [(step.split != "train", step.split, step.step) for step in statistics.steps]
    return statistics if all(map(lt, keys, keys[1:])) else _reorder([(statistics, set())])


class LazyFields(Mapping[str, FieldColumns]):
    """The numeric fields of statistics that follow each other. Each is put together when it is asked for: charts show a
    few of them, and a list needs their names only."""

    def __init__(self, parts: Iterable[tuple[int, Sequence[FieldStat]]]) -> None:
        """`parts`: (position of the part's first step among all steps, the fields of the part)."""
        self._parts: dict[str, list[tuple[int, FieldStat]]] = {}
        for first, fields in parts:
            for field in fields:
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
        (step.split != "train", step.split, step.step, part, i, step)
        for part, (stats, gone) in enumerate(parts)
        for i, step in enumerate(stats.steps)
        if i not in gone
    ]
    kept.sort()
    places = [np.full(len(stats.steps), -1, dtype=np.int64) for stats, _ in parts]
    for position, (_, _, _, part, i, _) in enumerate(kept):
        places[part][i] = position
    columns: dict[str, list[FieldColumns]] = {}
    for mapping, (stats, _) in zip(places, parts):
        for field in stats.fields:
            decoded = decode_field(field)
            target = mapping[decoded.step]
            stays = target >= 0
            if stays.any():
                columns.setdefault(field.name, []).append(_select(decoded, stays, target))
    fields = [encode_field(name, _join(parts_of)) for name, parts_of in columns.items()]
    failed = dict(reason for stats, _ in parts for reason in stats.failed)
    return Statistics(steps=[item[-1] for item in kept], fields=fields, failed=list(failed.items()))


def _select(column: FieldColumns, stays: NDArray[np.bool_], target: Ints) -> FieldColumns:
    return FieldColumns(
        step=target[stays], count=column.count[stays], mean=column.mean[stays], std=column.std[stays],
        low=column.low[stays], high=column.high[stays], histogram=column.histogram[stays],
    )  # fmt: skip


def _join(parts: list[FieldColumns]) -> FieldColumns:
    steps = np.concatenate([part.step for part in parts])
    if len(parts) == 1 and (steps[1:] > steps[:-1]).all():
        return parts[0]
    order = np.argsort(steps, kind="stable")
    return FieldColumns(
        **{
            name: np.concatenate([getattr(part, name) for part in parts])[order]
            for name in FieldColumns.__struct_fields__
        }
    )
