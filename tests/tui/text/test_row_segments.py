"""A row's text is cut where its look changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from rollscope.tui.text.document import StyledSpan
from rollscope.tui.text.layout import LayoutRow
from rollscope.tui.text.row_segments import Overlay, row_segments, spans_in

BASE = Style(color="red")
LOOKS = (Style(bold=True), Style(reverse=True), Style(underline=True))
OVERLAYS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.sampled_from(LOOKS)), max_size=5)


@given(st.text("ab漢", max_size=20), st.integers(0, 20), OVERLAYS)
def test_every_character_has_the_looks_that_lie_over_it(text: str, offset: int, overlays: list[Overlay]) -> None:
    segments = row_segments(text, offset, BASE, overlays)
    assert "".join(segment.text for segment in segments) == text
    looks = [segment.style for segment in segments for _ in segment.text]
    for place, look in enumerate(looks):
        expected = BASE
        for start, end, over in overlays:
            if start <= offset + place < end:
                expected += over
        assert look == expected


def test_a_text_without_overlays_is_one_segment() -> None:
    (segment,) = row_segments("ab", 3, BASE, [])
    assert (segment.text, segment.style) == ("ab", BASE)


def test_only_spans_that_reach_into_the_row_are_looked_at() -> None:
    spans = [StyledSpan(start, start + 4, "note") for start in range(0, 40, 5)]
    row = LayoutRow(block=0, piece="text", start=9, end=16)
    assert [span.start for span in spans_in(spans, row)] == [5, 10, 15]
