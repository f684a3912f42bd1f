"""Statistics that came with a segment: whoever scanned its files made them, and they hold while no other rows are of its
steps. So the process that writes the index need not look at rows that others have just read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

from msgspec import Struct

from rollscope.index.manifest.entries import Key
from rollscope.index.manifest.step_parts import StepPart
from rollscope.index.statistics.merging import in_order, only
from rollscope.index.statistics.summary import Statistics


class SegmentStatistics(Struct):
    segment: str
    #: Step -> how many of the segment's pieces hold rows of it.
    pieces: Mapping[Key, int]
    #: A part of a manifest, as it is saved.
    encoded: bytes


def encode(statistics: Statistics) -> bytes:
    """As the process that writes the index will save it, which then need not look into it."""
    return StepPart(in_order(statistics)).encoded()[1]


def that_hold(made: Iterable[SegmentStatistics], held: Mapping[str, Iterable[Key]]) -> list[StepPart]:
    """Those of the statistics whose steps consist of their segment's pieces and of nothing else. `held`: by segment the
    steps of all pieces that may hold some of these, as they are to be published."""
    pieces = Counter(chain.from_iterable(held.values()))
    found: list[StepPart] = []
    for item in made:
        own = Counter(held.get(item.segment, ()))
        if own.items() == item.pieces.items() and own.items() <= pieces.items():
            found.append(StepPart.sent(item.encoded))  # as a rule: all of them, compared at once
            continue
        whole = {key for key, count in item.pieces.items() if own[key] == pieces[key] == count}
        if whole:
            found.append(StepPart(only(StepPart.sent(item.encoded).statistics, whole)))
    return found
