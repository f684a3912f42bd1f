"""The statistics of steps, in parts of a manifest: what is asked of all steps lies in columns, the rest is decoded where it
is asked for. A run may have a million steps, whose counts as objects would take a gigabyte."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from math import isnan, nan
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.index.manifest.entries import Key, order_of
from rollscope.index.manifest.joined_parts import JoinedParts
from rollscope.index.manifest.parts import PART_SIZE, Buffer, checked, named
from rollscope.index.statistics.merging import cut_out, in_order, merge, only, without
from rollscope.index.statistics.summary import FieldStat, Statistics, StepStat
from rollscope.lru import LruCache

#: Parts whose steps are kept decoded for a while: some 250 KB each.
DECODED_PARTS = 16
_decoded: LruCache[str, Statistics] = LruCache(max_entries=DECODED_PARTS)


class SplitTotals(Struct):
    """Totals over consecutive steps of one split."""

    first: int = 0
    last: int = 0
    steps: int = 0
    samples: int = 0
    discarded: int = 0


class _StepFacts(Struct, array_like=True):
    """Columns of int64 over the steps of a part."""

    #: (split, how many steps of it), in the order of the steps.
    splits: list[tuple[str, int]]
    numbers: memoryview
    samples: memoryview
    discarded: memoryview
    groups: memoryview
    #: (place, how many by reason) of the steps with discarded samples.
    reasons: list[tuple[int, dict[str, int]]]
    #: (k, pass@k of each step as float64), in the order of k; no number where a step has none.
    pass_at: list[tuple[int, memoryview]]


class ListedSteps(NamedTuple):
    """What a list of steps shows of some steps that follow each other, a column each."""

    numbers: list[int]
    samples: list[int]
    discarded: list[int]
    groups: list[int]
    reasons: list[dict[str, int]]
    pass_at: list[dict[int, float]]


class _StepPartBytes(Struct, array_like=True):
    facts: _StepFacts
    statistics: msgspec.Raw


class _FieldsAlone(Struct, array_like=True):
    """Statistics of which only the columns are wanted."""

    steps: msgspec.Raw
    fields: list[FieldStat]
    failed: list[tuple[str, str]]


_decode_part: Callable[[Buffer], _StepPartBytes] = msgspec.msgpack.Decoder(_StepPartBytes).decode
_decode_columns: Callable[[Buffer], _FieldsAlone] = msgspec.msgpack.Decoder(_FieldsAlone).decode
_decode_statistics: Callable[[Buffer], Statistics] = msgspec.msgpack.Decoder(Statistics).decode


class StepPart:
    """The statistics of steps that follow each other. Once it was written it stays bytes, which may be a mapped file."""

    def __init__(self, statistics: Statistics, name: str = "") -> None:
        self.name = name
        self._statistics: Statistics | None = statistics
        self._bytes = msgspec.Raw()
        self._facts = _facts_of(statistics.steps)

    @classmethod
    def decoded(cls, name: str, content: Buffer) -> StepPart:
        part = cls.__new__(cls)
        part.name = name
        part.lie_in(checked(name, content))
        return part

    @classmethod
    def sent(cls, content: bytes) -> StepPart:
        """One that another process made: the bytes that it was to be saved as."""
        part = cls.__new__(cls)
        part.name = named(content)
        part.lie_in(content)
        return part

    def encoded(self) -> tuple[str, bytes]:
        made = self._statistics
        statistics = self._bytes if made is None else msgspec.Raw(msgspec.msgpack.encode(made))
        content = msgspec.msgpack.encode(_StepPartBytes(self._facts, statistics))
        self.name = named(content)
        return self.name, content

    def lie_in(self, content: Buffer) -> None:
        """Read this part's bytes from `content` (a mapped file) from now on, instead of keeping a copy in memory."""
        found = _decode_part(content)
        self._facts, self._bytes, self._statistics = found.facts, found.statistics, None

    @property
    def statistics(self) -> Statistics:
        kept = self._statistics or _decoded.get(self.name)
        if kept is None:
            kept = _decode_statistics(self._bytes)
            _decoded.put(self.name, kept)
        return kept

    @property
    def columns(self) -> Statistics | _FieldsAlone:
        """Statistics of the numeric fields alone: the steps are not decoded."""
        return self._statistics or _decode_columns(self._bytes)

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The numbers of this part's steps, in order."""
        return np.frombuffer(self._facts.numbers, dtype="<i8")

    @property
    def numbers_by_split(self) -> Iterator[tuple[str, NDArray[np.int64]]]:
        """The numbers of its steps, in order."""
        start = 0
        for split, count in self._facts.splits:
            yield split, self.numbers[start : start + count]
            start += count

    def counted_steps(self) -> Iterator[tuple[Key, int]]:
        """This part's steps, each with the number of its samples, discarded ones included."""
        counts = np.frombuffer(self._facts.samples, dtype="<i8") + np.frombuffer(self._facts.discarded, dtype="<i8")
        keys = ((split, step) for split, numbers in self.numbers_by_split for step in numbers.tolist())
        return zip(keys, counts.tolist())

    def counts_of(self, places: range) -> ListedSteps:
        """What is counted in the steps at these places, whose statistics are not decoded for it."""
        facts, here = self._facts, slice(places.start, places.stop)
        columns = (facts.numbers, facts.samples, facts.discarded, facts.groups)
        numbers, samples, discarded, groups = (np.frombuffer(column, dtype="<i8")[here].tolist() for column in columns)
        reasons: list[dict[str, int]] = [{} for _ in places]
        for place, own in facts.reasons:
            if place in places:
                reasons[place - places.start] = own
        passes = [np.frombuffer(values, dtype="<f8")[here] for _, values in facts.pass_at]
        pass_at = _by_k([k for k, _ in facts.pass_at], passes) if passes else [{} for _ in places]
        return ListedSteps(numbers, samples, discarded, groups, reasons, pass_at)

    @cached_property
    def samples(self) -> int:
        return sum(totals.samples + totals.discarded for totals in self.by_split.values())

    @cached_property
    def first(self) -> tuple[bool, str, int]:
        """Where its first step stands among all."""
        return order_of((self._facts.splits[0][0], int(self.numbers[0])))

    @cached_property
    def last(self) -> tuple[bool, str, int]:
        return order_of((self._facts.splits[-1][0], int(self.numbers[-1])))

    @cached_property
    def by_split(self) -> dict[str, SplitTotals]:
        """Totals of this part's steps, by split. Every part is asked for them whenever a followed run grows."""
        kept = np.frombuffer(self._facts.samples, dtype="<i8")
        discarded = np.frombuffer(self._facts.discarded, dtype="<i8")
        found: dict[str, SplitTotals] = {}
        start = 0
        for split, numbers in self.numbers_by_split:
            end = start + len(numbers)
            found[split] = SplitTotals(
                first=int(numbers[0]),
                last=int(numbers[-1]),
                steps=len(numbers),
                samples=int(kept[start:end].sum()),
                discarded=int(discarded[start:end].sum()),
            )
            start = end
        return found


def _facts_of(steps: Sequence[StepStat]) -> _StepFacts:
    """The facts of these steps, which are in order: steps of one split are neighbours."""
    splits: dict[str, int] = {}
    for step in steps:
        splits[step.split] = splits.get(step.split, 0) + 1
    passes = [step.pass_at for step in steps]
    ks = sorted({k for own in passes for k in own})
    return _StepFacts(
        splits=list(splits.items()),
        numbers=_column("<i8", [step.step for step in steps]),
        samples=_column("<i8", [step.samples for step in steps]),
        discarded=_column("<i8", [step.discarded for step in steps]),
        groups=_column("<i8", [step.groups for step in steps]),
        reasons=[(place, step.reasons) for place, step in enumerate(steps) if step.reasons],
        pass_at=[(k, _column("<f8", [own.get(k, nan) for own in passes])) for k in ks],
    )


def _column(kind: str, values: Sequence[float]) -> memoryview:
    return memoryview(np.array(values, dtype=kind).tobytes())


def _by_k(ks: list[int], columns: list[NDArray[np.float64]]) -> list[dict[int, float]]:
    """Of each step, the values by k."""
    table = np.stack(columns, axis=1)
    if not np.isnan(table).any():
        return [dict(zip(ks, row)) for row in table.tolist()]
    return [{k: value for k, value in zip(ks, row) if not isnan(value)} for row in table.tolist()]


class StepStats(JoinedParts[StepPart, StepStat]):
    """The steps of all parts, in order. Those of a few parts are decoded at a time."""

    def items_of(self, part: StepPart) -> Sequence[StepStat]:
        return part.statistics.steps


def with_part(before: Sequence[StepPart], new: StepPart) -> list[StepPart]:
    """`before` with the steps of `new` in place of its own. A part of a usual size that lies between two others stays as it
    is, and none is decoded."""
    if PART_SIZE <= len(new) <= 2 * PART_SIZE:
        place = bisect_right(before, new.first, key=_first)
        behind = place == 0 or before[place - 1].last < new.first
        if behind and (place == len(before) or new.last < before[place].first):
            return [*before[:place], new, *before[place:]]
    return step_parts(before, new.statistics)


def step_parts(before: Sequence[StepPart], new: Statistics, gone: Iterable[Key] = ()) -> list[StepPart]:
    """`before` with the steps of `new` in place of its own, and without those that are `gone`."""
    gone = set(gone)
    if not before:
        return _cut(in_order(new))
    if not new.steps and not gone:
        return list(before)

    def home(key: Key) -> int:
        return max(0, bisect_right(before, order_of(key), key=_first) - 1)

    if len(new.steps) >= PART_SIZE and not gone:
        new = in_order(new)
        place = home(_key(new.steps[0]))
        if before[place].last < order_of(_key(new.steps[0])) and place == home(_key(new.steps[-1])):
            # Between two parts: they stay as they are.
            return [*before[: place + 1], *_cut(new), *before[place + 1 :]]
    added: dict[int, set[Key]] = {}
    lost: dict[int, set[Key]] = {}
    for step in new.steps:
        added.setdefault(home(_key(step)), set()).add(_key(step))
    for key in gone:
        lost.setdefault(home(key), set()).add(key)
    parts = list(before)
    for place in sorted(added.keys() | lost.keys(), reverse=True):
        statistics = before[place].statistics
        if place in added:
            own = new if len(added) == 1 else only(new, added[place])
            statistics = merge(statistics, own)
        parts[place : place + 1] = _cut(without(statistics, lost.get(place, set()) - added.get(place, set())))
    return parts


def _first(part: StepPart) -> tuple[bool, str, int]:
    return part.first


def _key(step: StepStat) -> Key:
    return step.split, step.step


def _cut(statistics: Statistics) -> list[StepPart]:
    steps = statistics.steps
    if len(steps) <= 2 * PART_SIZE:
        return [StepPart(statistics)] if steps else []
    return [StepPart(cut_out(statistics, i, i + PART_SIZE)) for i in range(0, len(steps), PART_SIZE)]
