"""Answers that were cut off, and those of them that are paid."""

from __future__ import annotations

import pytest
from tests.query.insights.findings.splits import split_data

from rollscope.features.base import SampleTexts
from rollscope.query.insights.findings.detectors.truncation import truncated, truncated_rewarded
from rollscope.query.insights.findings.find import Detector
from rollscope.query.insights.findings.model import CannotKnow

STATUS = ["truncated", "truncated", "completed", None]


def test_answers_that_were_cut_off_are_seen_at_their_end() -> None:
    (item,) = truncated(split_data([1] * 4, status=STATUS))
    assert (item.where, item.mask.tolist()) == ('status = "truncated"', [True, True, False, False])
    assert item.known.tolist() == [True, True, True, False]
    assert item.spans is not None
    assert item.spans(SampleTexts("q", "a" * 900))[0].end == 900


def test_those_that_are_paid_are_in_the_top_quarter_of_the_range() -> None:
    (item,) = truncated_rewarded(split_data([1] * 4, status=STATUS, reward=[1.0, 0.5, 1.0, 1.0]))
    assert (item.where, item.mask.tolist()) == ('status = "truncated" and reward >= 0.75', [True, False, False, False])


@pytest.mark.parametrize("detector", [truncated, truncated_rewarded])
def test_without_a_status_it_cannot_be_known(detector: Detector) -> None:
    with pytest.raises(CannotKnow, match="no sample has a status"):
        list(detector(split_data([1], reward=[1.0])))
