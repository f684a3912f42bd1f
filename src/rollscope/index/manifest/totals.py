"""What a run amounts to, as far as it is indexed: its splits, its steps, their statistics and totals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from rollscope.index.manifest.entries import Key
from rollscope.index.manifest.root import Manifest
from rollscope.index.manifest.step_parts import ListedSteps, SplitTotals, StepStats
from rollscope.index.statistics.merging import LazyFields
from rollscope.index.statistics.summary import FieldColumns, StepStat


class RunTotals:
    """Computed from the parts of a manifest when it is asked for. A part is not decoded for its totals."""

    def __init__(self, manifest: Manifest) -> None:
        self.manifest = manifest

    @cached_property
    def steps(self) -> Sequence[StepStat]:
        """In order: by split (train first) and step."""
        return StepStats(self.manifest.step_parts)

    def counts_of(self, places: range) -> Iterator[ListedSteps]:
        """What is counted in the steps at these positions in `steps`, some of them at a time."""
        first = 0
        for part in self.manifest.step_parts:
            own = range(max(places.start, first) - first, min(places.stop, first + len(part)) - first)
            if own:
                yield part.counts_of(own)
            first += len(part)

    @cached_property
    def failed_fields(self) -> dict[str, str]:
        """Fields without statistics -> the reason."""
        return dict(reason for part in self.manifest.step_parts for reason in part.columns.failed)

    @cached_property
    def fields(self) -> Mapping[str, FieldColumns]:
        """Statistics of the numeric fields; their steps are positions in `steps`."""
        parts = self.manifest.step_parts
        firsts = [0, *accumulate(map(len, parts))]
        return LazyFields([(first, part.columns.fields) for first, part in zip(firsts, parts)])

    @cached_property
    def sample_count(self) -> int:
        return sum(part.samples for part in self.manifest.step_parts)

    @cached_property
    def split_totals(self) -> dict[str, SplitTotals]:
        """Totals of the steps that were read, by split; `train` first."""
        found: dict[str, SplitTotals] = {}
        for part in self.manifest.step_parts:
            for split, own in part.by_split.items():
                totals = found.setdefault(split, SplitTotals(first=own.first))
                totals.last = own.last
                totals.steps += own.steps
                totals.samples += own.samples
                totals.discarded += own.discarded
        return found

    @cached_property
    def splits(self) -> dict[str, list[int]]:
        """Split -> its steps in order; `train` first."""
        found: dict[str, list[int]] = {}
        for part in self.manifest.step_parts:
            for split, numbers in part.numbers_by_split:
                found.setdefault(split, []).extend(numbers.tolist())
        return found

    @property
    def step_numbers(self) -> NDArray[np.int64]:
        """The numbers of all steps, in the order of `steps`."""
        return np.concatenate([np.empty(0, dtype=np.int64), *(part.numbers for part in self.manifest.step_parts)])

    def places_of(self, split: str) -> range:
        """The positions of a split's steps among all steps: they are contiguous."""
        first = 0
        for name, totals in self.split_totals.items():
            if name == split:
                return range(first, first + totals.steps)
            first += totals.steps
        return range(0)

    @cached_property
    def promised(self) -> list[Key]:
        """Steps named by files that have not been read yet."""
        return [key for part in self.manifest.file_parts for key in part.facts.promised]

    @cached_property
    def known_steps(self) -> dict[str, list[int]]:
        """Split -> its steps, including those named by files that have not been read yet."""
        promised = self.promised
        if not promised:
            return self.splits
        found = {split: set(steps) for split, steps in self.splits.items()}
        for split, step in promised:
            found.setdefault(split, set()).add(step)
        return {split: sorted(found[split]) for split in sorted(found, key=lambda name: (name != "train", name))}
