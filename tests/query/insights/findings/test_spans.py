"""Where in a text a finding can be seen."""

from __future__ import annotations

from rollscope.features.base import FeatureSpan, SampleTexts
from rollscope.query.insights.findings.spans import END_CHARS, end_of_response, one_span


def test_a_place_that_is_not_there_is_no_span() -> None:
    texts = SampleTexts("q", "a b")
    place = FeatureSpan(0, 1, "a")
    assert list(one_span(lambda texts: place)(texts)) == [place]
    assert list(one_span(lambda texts: None)(texts)) == []


def test_the_end_of_a_response_is_its_last_characters() -> None:
    long = end_of_response(SampleTexts("q", "x" * 500), "here")
    assert (long.start, long.end, long.value) == (500 - END_CHARS, 500, "here")
    short = end_of_response(SampleTexts("q", "abc"), "here")
    assert (short.start, short.end) == (0, 3)
