"""What detectors say about where in a sample's text their finding can be seen."""

from __future__ import annotations

from collections.abc import Callable

from rollscope.features.base import FeatureSpan, SampleTexts
from rollscope.query.insights.findings.model import Spans

#: Characters shown from the end of a response.
END_CHARS = 200


def one_span(find: Callable[[SampleTexts], FeatureSpan | None]) -> Spans:
    """For a function that finds one place or none."""
    return lambda texts: [span for span in [find(texts)] if span is not None]


def end_of_response(texts: SampleTexts, note: str) -> FeatureSpan:
    return FeatureSpan(max(0, len(texts.response_text) - END_CHARS), len(texts.response_text), note)
