"""Texts that match a pattern: a finding for each, with the pattern's reason, severity and place."""

from __future__ import annotations

import pytest
from tests.query.insights.findings.splits import split_data

from rollscope.features.base import SampleTexts
from rollscope.features.patterns.table import TextPattern
from rollscope.query.insights.findings.detectors.patterns import flags
from rollscope.query.insights.findings.model import CannotKnow

PATTERN = TextPattern(name="hesitates", pattern="hm+", reason="It hesitates.", severity="low")


def test_each_pattern_that_matched_is_a_finding_of_its_own() -> None:
    data = split_data([1, 1, 2], text__flags=[["hesitates"], [], ["hesitates", "unheard"]])
    data.patterns = {"hesitates": PATTERN}
    (item,) = flags(data)
    assert (item.kind, item.where) == ("pattern:hesitates", 'text.flags contains "hesitates"')
    assert (item.mask.tolist(), item.title, item.severity) == ([True, False, True], "It hesitates.", "low")
    assert item.spans is not None
    (span,) = item.spans(SampleTexts("q", "so hmm 4"))
    assert (span.start, span.end) == (3, 6)


def test_samples_without_flags_cannot_be_judged() -> None:
    data = split_data([1, 1], text__flags=[["hesitates"], None])
    data.patterns = {"hesitates": PATTERN}
    (item,) = flags(data)
    assert item.known.tolist() == [True, False]
    with pytest.raises(CannotKnow):
        list(flags(split_data([1])))
