"""A row of a text as segments: cut where its look changes, whatever spans and matches lie over it."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style

from rollscope.tui.text.document import StyledSpan
from rollscope.tui.text.layout import LayoutRow

#: Characters [start, end) of a block, and what is added to their look.
Overlay = tuple[int, int, Style]


def spans_in(spans: list[StyledSpan], row: LayoutRow) -> list[StyledSpan]:
    """The spans (in order, not overlapping) that reach into a row."""
    first = bisect_left(spans, row.start, key=lambda span: span.end)
    last = bisect_left(spans, row.end, key=lambda span: span.start)
    return spans[first:last]


def row_segments(text: str, offset: int, base: Style, overlays: list[Overlay]) -> list[Segment]:
    """The text of a row. Overlays count from the block's start, the text begins at `offset`."""
    if not overlays:
        return [Segment(text, base)]
    edges = {0, len(text)}
    for start, end, _ in overlays:
        edges.update((min(max(start - offset, 0), len(text)), min(max(end - offset, 0), len(text))))
    cuts = sorted(edges)
    segments = []
    for start, end in pairwise(cuts):
        style = base
        for overlay_start, overlay_end, look in overlays:
            if overlay_start - offset <= start and overlay_end - offset >= end:
                style += look
        segments.append(Segment(text[start:end], style))
    return segments
