"""The run's curves: what the trainer logged, and what Rollscope derives from the samples' statistics."""

from __future__ import annotations

import fnmatch
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.formats.base import MetricRow
from rollscope.index.snapshot import Snapshot
from rollscope.index.statistics.summary import BINS, FieldColumns, StepStat
from rollscope.model import nonfinite_name
from rollscope.query.answers import Distribution, Series, SeriesColumns, SeriesInfo

#: Bins of a distribution over steps, over the range of the whole run.
DISTRIBUTION_BINS = 32
_STATS = ("mean", "std", "min", "max")


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_NONE: Floats = np.empty(0)


class Curve(Struct):
    """A series being built: values by step, and when they were logged (NaN where nobody knows; empty: nowhere)."""

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
    for position, row in enumerate(rows):
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
    steps = snapshot.steps
    numbers = np.array([item.step for item in steps], dtype=np.int64)
    splits = np.array([item.split for item in steps], dtype=object)
    for name, columns in fields.items():
        for split in snapshot.splits:
            here = splits[columns.step] == split
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
    by_split: dict[str, list[StepStat]] = {}
    for item in snapshot.steps:
        by_split.setdefault(item.split, []).append(item)
    for split, items in by_split.items():
        prefix = _prefix(split)

        def curve(name: str, values: list[float | None], items: list[StepStat] = items, split: str = split) -> Curve:
            kept = [(item.step, value) for item, value in zip(items, values) if value is not None]
            steps = np.array([step for step, _ in kept], dtype=np.int64)
            return Curve(
                name, "derived", steps, np.array([value for _, value in kept], dtype=np.float64), _NONE, split=split
            )

        yield curve(f"{prefix}/samples/count", [float(item.samples) for item in items])
        truncated = curve(f"{prefix}/samples/truncated_pct", [_percent(item.truncated, item.samples) for item in items])
        if len(truncated.steps):  # a trainer that writes no status says nothing of it
            yield truncated
        yield curve(f"{prefix}/groups/count", [float(item.groups) for item in items])
        yield curve(
            f"{prefix}/groups/zero_variance_pct", [_percent(item.zero_variance, item.rewarded_groups) for item in items]
        )
        yield curve(f"{prefix}/groups/reward_spread", [item.spread for item in items])
        if split != "train":
            for k in sorted({k for item in items for k in item.pass_at}):
                yield curve(f"{prefix}/pass@{k}", [item.pass_at.get(k) for item in items])
        reasons = sorted({reason for item in items for reason in item.reasons})
        if reasons:
            made = [item.samples + item.discarded for item in items]
            where = "discarded" if split == "train" else f"{prefix}/discarded"
            yield curve(f"{where}/all/count", [float(item.discarded) for item in items])
            yield curve(f"{where}/all/pct", [_percent(item.discarded, n) for item, n in zip(items, made)])
            for reason in reasons:
                counts = [item.reasons.get(reason, 0) for item in items]
                yield curve(f"{where}/{reason}/count", [float(count) for count in counts])
                yield curve(f"{where}/{reason}/pct", [_percent(count, n) for count, n in zip(counts, made)])


def _percent(part: int | None, whole: int) -> float | None:
    return 100.0 * part / whole if whole and part is not None else None


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


def distribution(
    snapshot: Snapshot, field: str, split: str, features: Mapping[str, FieldColumns] | None = None
) -> Distribution | None:
    """Each step's own histogram spread over bins of the whole run's range. Approximate within a step's bins."""
    columns = snapshot.fields.get(field) or (features or {}).get(field)
    if columns is None:
        return None
    steps = snapshot.steps
    here = np.array([steps[i].split == split for i in columns.step.tolist()], dtype=bool)
    if not here.any():
        return None
    low, high = columns.low[here], columns.high[here]
    edges = np.linspace(low.min(), high.max() if high.max() > low.min() else low.min() + 1.0, DISTRIBUTION_BINS + 1)
    counts = [_rebin(h, lo, hi, edges) for h, lo, hi in zip(columns.histogram[here], low, high)]
    return Distribution(
        field=field,
        split=split,
        steps=[steps[i].step for i in columns.step[here].tolist()],
        edges=edges.tolist(),
        counts=counts,
    )


def _rebin(histogram: Sequence[int] | np.ndarray[tuple[int], np.dtype[np.uint32]], low: float, high: float,
           edges: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[float]:  # fmt: skip
    counts = np.asarray(histogram, dtype=np.float64)
    if high <= low:
        position = min(int(np.searchsorted(edges, low, side="right")) - 1, DISTRIBUTION_BINS - 1)
        result = np.zeros(DISTRIBUTION_BINS)
        result[max(position, 0)] = counts.sum()
        return result.tolist()
    own = np.linspace(low, high, BINS + 1)
    cumulative = np.interp(edges, own, np.concatenate([[0.0], np.cumsum(counts)]))
    spread: list[float] = np.diff(cumulative).tolist()
    return spread
