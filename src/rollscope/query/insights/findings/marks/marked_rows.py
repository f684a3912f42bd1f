"""Which samples each finding means, kept beside the report: for marks in lists, curves of reward and the open sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from rollscope.arrays import Floats
from rollscope.index import compute
from rollscope.index.segments.spill import on_disk
from rollscope.model import as_integer
from rollscope.query.insights.findings.model import Finding, Found, Mask, Severity, Spans, SplitData

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

RowNumbers = NDArray[np.int32] | NDArray[np.int64]


class FindingName(Struct, kw_only=True):
    """A finding without its numbers: what a mark in a list says."""

    split: str
    kind: str
    title: str
    severity: Severity
    where: Annotated[str, Meta(description="A filter that selects exactly the samples meant.")]


class StepMarks(Struct, kw_only=True):
    step: int
    samples: Annotated[list[int], Meta(description="Places in the step that some finding means.")]
    findings: Annotated[list[list[int]], Meta(description="Of each: which findings, by place in the answer's list.")]


class FindingMarks(Struct, kw_only=True):
    """Which samples of some steps findings mean."""

    ready: Annotated[bool, Meta(description="False while features are being computed: then nothing is said yet.")]
    samples_done: int
    samples_total: int
    findings: list[FindingName]
    steps: list[StepMarks]


class RewardStep(Struct, kw_only=True):
    """One step of a finding: how many it means, and what is paid with it and without."""

    step: int
    samples: int
    judged: int
    reward: Annotated[float | None, Meta(description="Mean reward of the samples meant; null where there are none.")]
    reward_others: float | None


class MarkedSplit(Struct):
    """The rows of a split that were looked at."""

    split: str
    steps: RowNumbers
    indexes: RowNumbers
    rewards: Floats


class MarkedRows(Struct):
    """A finding, and the rows it means, eight to a byte."""

    finding: Finding
    rows: MarkedSplit
    mask: NDArray[np.uint8]
    known: NDArray[np.uint8]
    spans: Spans | None

    @property
    def name(self) -> FindingName:
        item = self.finding
        return FindingName(split=item.split, kind=item.kind, title=item.title, severity=item.severity, where=item.where)

    def meant(self) -> Mask:
        return np.unpackbits(self.mask, count=len(self.rows.steps)).astype(bool)

    def judged(self) -> Mask:
        return np.unpackbits(self.known, count=len(self.rows.steps)).astype(bool)

    def means(self, step: int, index: int) -> bool:
        places = np.flatnonzero((self.rows.steps == step) & (self.rows.indexes == index))
        return bool(len(places)) and bool(self.meant()[places[0]])


def marked_split(data: SplitData) -> MarkedSplit:
    return MarkedSplit(
        data.split,
        data.steps,
        on_disk(compute.plain(data.table["index"]).astype(np.int32)),
        data.numbers("reward"),
    )


def marked_rows(finding: Finding, found: Found, rows: MarkedSplit) -> MarkedRows:
    mask = np.packbits(found.mask & found.known)
    return MarkedRows(finding, rows, mask, np.packbits(found.known), found.spans)


def marks_of_steps(marked: Sequence[MarkedRows], split: str, steps: Iterable[int]) -> list[StepMarks]:
    """Of each step that has any: the samples that findings mean."""
    # A step that no column can hold is none of the run's.
    wanted = np.array(sorted(step for step in set(steps) if as_integer(step) is not None), dtype=np.int64)
    by_step: dict[int, dict[int, list[int]]] = {}
    chosen: tuple[MarkedSplit, NDArray[np.int64]] | None = None
    for number, item in enumerate(marked):
        if item.rows.split != split:
            continue
        if chosen is None or chosen[0] is not item.rows:
            chosen = (item.rows, np.flatnonzero(np.isin(item.rows.steps, wanted)))
        rows = chosen[1][item.meant()[chosen[1]]]
        for step, index in zip(item.rows.steps[rows].tolist(), item.rows.indexes[rows].tolist()):
            by_step.setdefault(step, {}).setdefault(index, []).append(number)
    return [
        StepMarks(step=step, samples=sorted(found), findings=[found[index] for index in sorted(found)])
        for step, found in sorted(by_step.items())
    ]


def rewards_over_steps(marked: MarkedRows) -> list[RewardStep]:
    """What the samples meant are paid, and the others, step by step."""
    steps, codes = np.unique(marked.rows.steps, return_inverse=True)
    mask, known, rewards = marked.meant(), marked.judged(), marked.rows.rewards
    judged = np.bincount(codes[known], minlength=len(steps))
    samples = np.bincount(codes[mask], minlength=len(steps))
    paid = np.isfinite(rewards)
    means = [_means(codes, rewards, chosen & paid, len(steps)) for chosen in (mask, known & ~mask)]
    return [
        RewardStep(step=step, samples=n, judged=of, reward=a, reward_others=b)
        for step, n, of, a, b in zip(steps.tolist(), samples.tolist(), judged.tolist(), *means)
        if of
    ]


def _means(codes: NDArray[np.int64], rewards: Floats, chosen: Mask, size: int) -> list[float | None]:
    counts = np.bincount(codes[chosen], minlength=size)
    sums = np.bincount(codes[chosen], weights=rewards[chosen], minlength=size)
    return [total / count if count else None for total, count in zip(sums.tolist(), counts.tolist())]
