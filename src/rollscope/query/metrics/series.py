"""The run's curves: what the trainer logged, and what Rollscope derives from the samples' statistics."""

from __future__ import annotations

import fnmatch
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from msgspec import Struct

from rollscope.arrays import Floats, Ints
from rollscope.formats.base import MetricRow
from rollscope.index.snapshot import Snapshot
from rollscope.index.statistics.summary import FieldColumns, StepStat
from rollscope.model import MAX_INT, MIN_INT, nonfinite_name
from rollscope.query.answers import Series, SeriesColumns, SeriesInfo

_STATS = ("mean", "std", "min", "max")


_NONE: Floats = np.empty(0)


class Curve(Struct):
    """A series being built: values by step, and when they were logged (NaN: unknown; empty: all unknown)."""

    name: str
    origin: str
    steps: Ints
    values: Floats
    times: Floats
    field: str | None = None
    split: str | None = None


def split_name(name: str) -> tuple[str, str, str]:
    """(section, group, metric): no slash is General; `a/b` is section a; `a/b/c…` section a, group b."""
    parts = name.split("/")
    if len(parts) == 1:
        return "General", "", name
    if len(parts) == 2:
        return parts[0], "", parts[1]
    return parts[0], parts[1], "/".join(parts[2:])


def logged_curves(rows: Iterable[MetricRow]) -> dict[str, Curve]:
    """Of several rows for one step and name the last counts: a resumed run writes steps again.

    Values are gathered as machine numbers, not as objects: a run of 10,000 steps and 200 metrics has two million."""
    found: dict[str, tuple[array[int], array[float]]] = {}
    steps, times = array("q"), array("d")
    # A step that no column holds is a mistake of its row alone.
    for position, row in enumerate(row for row in rows if MIN_INT <= row.step <= MAX_INT):
        steps.append(row.step)
        times.append(math.nan if row.time is None else row.time)
        for name, value in row.values.items():
            column = found.get(name)
            if column is None:
                column = found[name] = (array("q"), array("d"))
            column[0].append(position)
            column[1].append(value)
    all_steps, all_times = np.frombuffer(steps, np.int64), np.frombuffer(times)
    return {name: _logged(name, np.frombuffer(at, np.int64), np.frombuffer(values), all_steps, all_times)
            for name, (at, values) in found.items()}  # fmt: skip


def _logged(name: str, at: Ints, values: Floats, steps: Ints, times: Floats) -> Curve:
    order = np.argsort(steps[at], kind="stable")
    ordered = steps[at][order]
    last = np.append(ordered[1:] != ordered[:-1], True)
    kept = order[last]
    return Curve(name, "logged", ordered[last], values[kept], times[at][kept])


def derived_curves(snapshot: Snapshot, features: Mapping[str, FieldColumns] | None = None) -> dict[str, Curve]:
    """Everything that follows from the samples, by split. The manifest's statistics are enough; `features` are those of
    what is computed from texts."""
    fields = {**snapshot.fields, **(features or {})}
    return {curve.name: curve for curve in (*_field_curves(snapshot, fields), *_count_curves(snapshot))}


def _prefix(split: str) -> str:
    return "rollouts" if split == "train" else split


def _field_curves(snapshot: Snapshot, fields: Mapping[str, FieldColumns]) -> Iterator[Curve]:
    numbers = snapshot.step_numbers
    places = {split: snapshot.places_of(split) for split in snapshot.split_totals}
    for name, columns in fields.items():
        for split, own in places.items():
            here = (columns.step >= own.start) & (columns.step < own.stop)
            if not here.any():
                continue
            at = numbers[columns.step[here]]
            for stat in _STATS:
                source = {"min": columns.low, "max": columns.high}.get(stat)
                values = getattr(columns, stat) if source is None else source
                yield Curve(
                    f"{_prefix(split)}/{name}/{stat}", "derived", at, values[here], _NONE, field=name, split=split
                )


def _count_curves(snapshot: Snapshot) -> Iterator[Curve]:
    by_split: dict[str, _Counted] = {}
    for item in snapshot.steps:
        counted = by_split.get(item.split)
        if counted is None:
            counted = by_split[item.split] = _Counted(item.split)
        counted.add(item)
    for counted in by_split.values():
        yield from counted.of_samples_and_groups()
        if counted.split != "train":
            yield from counted.of_passes()
        yield from counted.of_discards()


#: What is counted in every step.
_COUNTS = ("step", "samples", "discarded", "groups", "zero_variance", "rewarded_groups", "truncated", "stated")


class _Counted:
    """The curves of what is counted in each step of a split. Gathered as machine numbers: there may be a million steps."""

    def __init__(self, split: str) -> None:
        self.split = split
        self._prefix = _prefix(split)
        self._counts = {name: array("q") for name in _COUNTS}
        #: (place, value) of the steps that have one.
        self._spread: _Sparse = (array("q"), array("d"))
        self._passes: dict[int, _Sparse] = {}
        self._reasons: dict[str, _Sparse] = {}

    def add(self, item: StepStat) -> None:
        place = len(self._counts["step"])
        for name, counts in self._counts.items():
            counts.append(getattr(item, name))
        if item.spread is not None:
            _note(self._spread, place, item.spread)
        for k, share in item.pass_at.items() if self.split != "train" else ():
            _note(self._passes.setdefault(k, (array("q"), array("d"))), place, share)
        for reason, count in item.reasons.items():
            _note(self._reasons.setdefault(reason, (array("q"), array("d"))), place, count)

    def _column(self, name: str) -> Ints:
        return np.array(self._counts[name], dtype=np.int64)

    def _curve(self, name: str, values: Floats, places: Ints | None = None) -> Curve:
        steps = self._column("step")
        return Curve(name, "derived", steps if places is None else steps[places], values, _NONE, split=self.split)

    def _percentages(self, name: str, parts: Floats | Ints, wholes: Ints) -> Curve:
        """Without the steps in which there is nothing to be a part of."""
        places = np.flatnonzero(wholes)
        return self._curve(name, 100.0 * parts[places] / wholes[places], places)

    def _sparse(self, name: str, found: _Sparse) -> Curve:
        return self._curve(name, np.array(found[1]), np.array(found[0], dtype=np.int64))

    def of_samples_and_groups(self) -> Iterator[Curve]:
        prefix, stated = self._prefix, self._column("stated")
        yield self._curve(f"{prefix}/samples/count", self._column("samples").astype(np.float64))
        if stated.any():  # a trainer that writes no status says nothing of it
            yield self._percentages(f"{prefix}/samples/truncated_pct", self._column("truncated"), stated)
        yield self._curve(f"{prefix}/groups/count", self._column("groups").astype(np.float64))
        equal, groups = self._column("zero_variance"), self._column("rewarded_groups")
        yield self._percentages(f"{prefix}/groups/zero_variance_pct", equal, groups)
        yield self._sparse(f"{prefix}/groups/reward_spread", self._spread)

    def of_passes(self) -> Iterator[Curve]:
        for k in sorted(self._passes):
            yield self._sparse(f"{self._prefix}/pass@{k}", self._passes[k])

    def of_discards(self) -> Iterator[Curve]:
        """How many were discarded, of all that were made: by reason, and together. Nothing where none was."""
        if not self._reasons:
            return
        where = "discarded" if self.split == "train" else f"{self._prefix}/discarded"
        discarded = self._column("discarded")
        made = self._column("samples") + discarded
        counted = [("all", discarded.astype(np.float64))]
        for reason in sorted(self._reasons):
            places, values = self._reasons[reason]
            counts = np.zeros(len(made))
            counts[np.array(places, dtype=np.int64)] = values
            counted.append((reason, counts))
        for name, counts in counted:
            yield self._curve(f"{where}/{name}/count", counts)
            yield self._percentages(f"{where}/{name}/pct", counts, made)


_Sparse = tuple["array[int]", "array[float]"]


def _note(found: _Sparse, place: int, value: float) -> None:
    found[0].append(place)
    found[1].append(value)


def info(curve: Curve) -> SeriesInfo:
    section, group, metric = split_name(curve.name)
    return SeriesInfo(
        name=curve.name,
        section=section,
        group=group,
        metric=metric,
        origin="logged" if curve.origin == "logged" else "derived",
        constant=bool(
            len(curve.values) > 1 and np.isfinite(curve.values[0]) and (curve.values == curve.values[0]).all()
        ),
        points=len(curve.steps),
        field=curve.field,
        split=curve.split,
    )


def answer(curve: Curve) -> Series:
    section, group, _ = split_name(curve.name)
    found = columns(curve)
    return Series(
        name=curve.name,
        section=section,
        group=group,
        points=list(zip(map(float, found.steps), found.values)),
        times=found.times,
        nonfinite=found.nonfinite,
    )


def columns(curve: Curve, *, times: bool = True) -> SeriesColumns:
    odd = np.flatnonzero(~np.isfinite(curve.values)).tolist()
    values: list[float | None] = curve.values.tolist()
    nonfinite = {str(i): nonfinite_name(float(curve.values[i])) or "NaN" for i in odd}
    for i in odd:
        values[i] = None
    return SeriesColumns(
        name=curve.name,
        steps=curve.steps.astype(np.int64).tolist(),
        values=values,
        times=_times(curve) if times else [],
        nonfinite=nonfinite,
    )


def _times(curve: Curve) -> list[float | None]:
    known = np.isfinite(curve.times)
    if not known.any():
        return []
    return [time if there else None for time, there in zip(curve.times.tolist(), known.tolist())]


def matching(names: Iterable[str], glob: str) -> list[str]:
    return [name for name in names if fnmatch.fnmatchcase(name, glob)]
