"""What a finding is, and what a detector sees and says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
from msgspec import Meta, Struct
from numpy.typing import NDArray

from rollscope.arrays import Floats
from rollscope.index import compute
from rollscope.index.segments.spill import MEMORY_ROWS, NumbersOnDisk, on_disk
from rollscope.query.language.writing import quoted
from rollscope.query.samples.ranges import Ranges, range_of

if TYPE_CHECKING:
    from rollscope.features.base import FeatureSpan, SampleTexts
    from rollscope.features.patterns.table import TextPattern

Severity = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")
Mask = NDArray[np.bool_]
#: Where a detector saw what it found, in the texts of one sample.
Spans: TypeAlias = "Callable[[SampleTexts], Sequence[FeatureSpan]]"


class Evidence(Struct, kw_only=True):
    """Characters [start, end) of a text of a sample, and what is to be seen there."""

    address: str
    field: str
    start: int
    end: int
    value: Annotated[str, Meta(description="The characters themselves, the first 200.")]
    seen: Annotated[str, Meta(description="What was seen there, in words; empty where the characters say it.")] = ""


class Finding(Struct, kw_only=True):
    """Samples that are worth reading, and why. No verdict: a rate, since when, and evidence."""

    run: str
    split: str
    kind: str
    title: str
    severity: Severity
    samples: int
    share: Annotated[float, Meta(description="Of all samples of the split that could be judged.")]
    baseline: Annotated[float | None, Meta(description="The same share in the first steps.")]
    latest: Annotated[
        float | None, Meta(description="The same share in the last steps: a tenth of them with at least 30 samples.")
    ]
    first_step: int | None
    onset: Annotated[
        tuple[int, int] | None,
        Meta(description="The steps between which it began; null where it was there from the first steps on."),
    ]
    rate: Annotated[list[tuple[int, float]], Meta(description="(step, share) of every step.")]
    reward: Annotated[float | None, Meta(description="Mean reward of the samples meant, and of the rest.")]
    reward_others: float | None
    where: Annotated[str, Meta(description="A filter that selects exactly the samples meant.")]
    seen: Annotated[str, Meta(description="What was seen; `why` says the same with the rates.")]
    why: str
    evidence: list[Evidence]

    def __repr__(self) -> str:
        """One line, so that a list of them can be read at a prompt; a title has words of the model, which stay quoted."""
        since = f", since {self.onset[0]}–{self.onset[1]}" if self.onset else ""
        return f"<Finding {self.severity} {self.split!r} {self.kind}: {self.title!r}, {self.samples:,} samples{since}>"


class Unknown(Struct, kw_only=True):
    """A kind that could not be looked for, and why."""

    split: str
    kind: str
    reason: str


class FindingsReport(Struct, kw_only=True):
    """All findings of a run, most serious first, and what was looked at."""

    run: str
    findings: list[Finding]
    samples: Annotated[int, Meta(description="Samples that were looked at.")]
    kinds: Annotated[list[str], Meta(description="Kinds that were looked for.")]
    looked_for: Annotated[
        dict[str, str], Meta(description="What each of them is, in a few words; empty where a plug-in does not say.")
    ]
    unknown: Annotated[list[Unknown], Meta(description="Kinds that cannot be known here, and why.")]

    def unknown_lines(self) -> list[str]:
        """What could not be looked for, and why; kinds and splits with the same reason share a sentence."""
        splits: dict[tuple[str, str], list[str]] = {}
        for item in self.unknown:
            splits.setdefault((item.kind, item.reason), []).append(item.split)
        kinds: dict[tuple[str, str], list[str]] = {}
        for (kind, reason), names in splits.items():
            kinds.setdefault((", ".join(names), reason), []).append(kind)
        return [f"{', '.join(alike)} in {names}: {reason}" for (names, reason), alike in kinds.items()]


class Found(Struct, kw_only=True):
    """What a detector says: which samples it means, of which it could judge."""

    kind: str
    title: str
    where: str
    mask: Mask
    known: Mask
    #: One sentence about the numbers; the rates are added to it.
    why: str
    spans: Spans | None = None
    #: Trouble whatever its share; None: the usual rule.
    severity: Severity | None = None
    #: And never more serious than this.
    at_most: Severity = "high"
    #: Found only where it is more often than at first, by this many points.
    rise: float = 0.0
    #: Or where it is at least this often, wherever it began.
    always: float = 1.0
    #: Of low severity unless it is at least this often since it began, or rose by so many points.
    serious_share: float = 0.0
    serious_rise: float = 0.0
    min_samples: int = 3
    #: So many samples come together, as those of a group: they count as one where it is dated.
    together: float = 1.0
    #: It is about steps, not about samples: these are where it began.
    onset: tuple[int, int] | None = None


#: What it means that no sample has it.
_MISSING = {
    "reward": "no sample has a reward",
    "group": "no sample has a group",
    "text.golden": "no sample has a golden answer",
    "text.repetition": "no response has 30 words",
    "text.garbled": "no sample has a response that is not empty",
}
#: Squares and sums of greater numbers may be infinite.
GREATEST = 1e100


class CannotKnow(Exception):  # noqa: N818  # a value of a kind, not a fault
    """Raised by a detector: the data for it is missing. The message is the reason."""


class SplitData:
    """One split's rows for detectors: columns as arrays, made once."""

    def __init__(
        self, split: str, table: pa.Table, ranges: Ranges, patterns: dict[str, TextPattern] | None = None
    ) -> None:
        self.split = split
        self.table = table
        self.patterns = patterns or {}
        self.steps: NDArray[np.int64] = on_disk(compute.plain(table["step"]))
        self.ranges = ranges
        self._numbers: dict[str, Floats] = {}
        self._beyond: set[str] = set()
        self._masks: dict[tuple[str, str], Mask] = {}
        self.step_numbers, codes = _numbered(self.steps)
        self.step_codes: NDArray[np.int64] = on_disk(codes)

    def __len__(self) -> int:
        return len(self.steps)

    def has(self, name: str) -> bool:
        return name in self.table.column_names and self.table[name].null_count < self.table.num_rows

    def need(self, *names: str) -> None:
        for name in names:
            if not self.has(name):
                raise CannotKnow(_MISSING.get(name) or f"no sample has {name}")
            if pa.types.is_floating(self.table[name].type):
                self.numbers(name)
            if name in self._beyond:
                raise CannotKnow(f"a {name} is beyond {GREATEST:.0e}, too great to compute with")

    def numbers(self, name: str) -> Floats:
        """NaN where it is missing, or too great to compute with."""
        if name not in self._numbers:
            if name not in self.table.column_names:
                self._numbers[name] = np.full(len(self), np.nan)
            else:
                self._numbers[name] = self._read_numbers(name)
        return self._numbers[name]

    def _read_numbers(self, name: str) -> Floats:
        kept = NumbersOnDisk(np.float64)
        for start in range(0, len(self), MEMORY_ROWS):
            values = compute.floats(self.table[name].slice(start, MEMORY_ROWS))
            beyond = np.isfinite(values) & (np.abs(values) > GREATEST)
            if beyond.any():
                self._beyond.add(name)
                values = np.where(beyond, np.nan, values)
            if len(values) == len(self):
                return values
            kept.add(values)
        return kept.all().view(np.ndarray)

    def equals(self, name: str, value: str) -> Mask:
        key = (name, value)
        if key not in self._masks:
            if name not in self.table.column_names:
                return np.zeros(len(self), dtype=bool)
            same = compute.fill_null(compute.equal(self.table[name], compute.scalar(value, pa.string())), False)
            self._masks[key] = compute.plain(same)
        return self._masks[key]

    def known(self, name: str) -> Mask:
        if name not in self.table.column_names:
            return np.zeros(len(self), dtype=bool)
        known: Mask = compute.plain(compute.is_valid(self.table[name]))
        return known

    def listed(self, name: str) -> dict[str, Mask]:
        """Of a column of lists: value -> which rows have it."""
        column = self.table[name].combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0) if column.num_chunks else pa.array([], column.type)
        counts = np.nan_to_num(compute.plain(compute.list_value_length(column))).astype(np.int64)
        rows = np.repeat(np.arange(len(counts)), counts)
        flat = compute.flatten(column)
        if len(flat) == 0:
            return {}
        encoded = compute.dictionary_encode(pa.chunked_array([flat]))
        codes = compute.plain(encoded.indices)
        found = {}
        for code, value in enumerate(encoded.dictionary.to_pylist()):
            mask = np.zeros(len(counts), dtype=bool)
            mask[rows[codes == code]] = True
            found[value] = mask
        return found

    @cached_property
    def first(self) -> Mask:
        """The first steps: a tenth of them, at least one, and at least 30 samples; never more than half of the steps."""
        mask: Mask = self.steps <= self.step_numbers[self._tenth(np.bincount(self.step_codes)) - 1]
        return mask

    @cached_property
    def last(self) -> Mask:
        """The last steps, by the same rule."""
        mask: Mask = self.steps >= self.step_numbers[-self._tenth(np.bincount(self.step_codes)[::-1])]
        return mask

    def _tenth(self, sizes: NDArray[np.int64]) -> int:
        count = max(1, -(-len(sizes) // 10), int(np.searchsorted(np.cumsum(sizes), 30)) + 1)
        return min(count, max(1, len(sizes) // 2))

    def envs(self) -> list[tuple[str | None, Mask]]:
        """Environment -> its rows; None for rows without one."""
        if not self.has("env"):
            return [(None, np.ones(len(self), dtype=bool))]
        encoded = compute.dictionary_encode(self.table["env"])
        codes = np.nan_to_num(compute.plain(encoded.indices), nan=-1).astype(np.int64)
        names = encoded.dictionary.to_pylist()
        found: list[tuple[str | None, Mask]] = [(name, codes == code) for code, name in enumerate(names)]
        if (codes < 0).any():
            found.append((None, codes < 0))
        return found

    def difference(self, values: Floats, mask: Mask, known: Mask) -> float | None:
        """How much higher the values of the samples meant are than those of the others of their step and environment:
        compared over the whole run, later steps and easier environments would pass for the difference."""
        usable = known & np.isfinite(values)
        codes = self.step_codes.astype(np.int64)
        for number, (_, rows) in enumerate(self.envs()):
            codes = codes + rows * number * len(self.step_numbers)
        codes, values, mask = codes[usable], values[usable], mask[usable]
        size = int(codes.max(initial=0)) + 1
        meant, rest = np.bincount(codes[mask], minlength=size), np.bincount(codes[~mask], minlength=size)
        both = (meant > 0) & (rest > 0)
        if not both.any():
            return None
        high = np.bincount(codes[mask], weights=values[mask], minlength=size)[both] / meant[both]
        low = np.bincount(codes[~mask], weights=values[~mask], minlength=size)[both] / rest[both]
        return float(np.average(high - low, weights=meant[both]))

    def reward_range(self, env: str | None) -> tuple[float, float] | None:
        """From the worst to the best reward of an environment; None where all are the same, or there are none."""
        found = range_of(self.ranges, env, "reward")
        if found is None or found.min is None or found.max is None or not found.max > found.min:
            return None
        return found.min, found.max


def _numbered(steps: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(the steps there are, the number of each row's among them). Rows are nearly always in the order of their steps."""
    new = np.flatnonzero(steps[1:] != steps[:-1]) + 1
    starts = np.concatenate([np.zeros(min(1, len(steps)), dtype=np.int64), new])
    numbers = steps[starts]
    if (numbers[1:] > numbers[:-1]).all():
        return numbers, np.repeat(np.arange(len(numbers)), np.diff(np.append(starts, len(steps))))
    found, codes = np.unique(steps, return_inverse=True)
    return found, codes


def where_known(where: str, mask: Mask, data: SplitData, name: str) -> str:
    """The filter, for samples alone that have this number: by its least value, which neither a missing one nor NaN reaches."""
    values = data.numbers(name)
    known = np.isfinite(values)
    return f"{where} and {name} >= {plain(values[known].min())}" if (mask & ~known).any() and known.any() else where


def env_filter(env: str | None, several: bool) -> str:
    if not several:
        return ""
    return "env is missing" if env is None else f"env = {quoted(env)}"


def plain(value: Any) -> str:
    """A number as a filter writes it, short and still the same number."""
    return repr(round(float(value), 12)) if float(value) != int(value) else str(int(value))
