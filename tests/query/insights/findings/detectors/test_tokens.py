"""Old weights, low entropy, disagreement: limits follow what the first steps had."""

from __future__ import annotations

import pytest
from tests.query.insights.findings.splits import split_data

from rollscope.query.insights.findings.detectors.tokens import entropy, mismatch, stale
from rollscope.query.insights.findings.find import Detector
from rollscope.query.insights.findings.model import CannotKnow

STEPS = [step for step in range(20) for _ in range(20)]


@pytest.mark.parametrize(
    ("usual", "where"), [(1.0, "staleness >= 4"), (2.0, "staleness >= 5"), (9.0, "staleness >= 8")]
)
def test_stale_is_more_than_the_first_steps_had(usual: float, where: str) -> None:
    (item,) = stale(split_data(STEPS, staleness=[usual] * 390 + [20.0] * 10))
    assert item.where == where
    assert item.mask[390:].all()


def test_low_entropy_counts_wherever_it_is_where_the_first_steps_were_far_from_it() -> None:
    (far,) = entropy(split_data(STEPS, token__entropy=[0.8] * 390 + [0.1] * 10))
    assert (far.where, int(far.mask.sum()), far.rise) == ("token.entropy <= 0.2", 10, 0.0)
    (near,) = entropy(split_data(STEPS, token__entropy=[0.25] * 390 + [0.1] * 10))
    assert near.rise > 0


@pytest.mark.parametrize(
    ("usual", "where"), [(0.02, "token.ratio > 0.06"), (0.001, "token.ratio > 0.05"), (0.2, "token.ratio > 0.1")]
)
def test_disagreement_is_three_times_what_is_usual_within_bounds(usual: float, where: str) -> None:
    (item,) = mismatch(split_data(STEPS, token__ratio=[usual] * 390 + [0.5] * 10))
    assert item.where == where


@pytest.mark.parametrize("detector", [stale, entropy, mismatch])
def test_what_was_not_recorded_cannot_be_known(detector: Detector) -> None:
    with pytest.raises(CannotKnow, match="record"):
        list(detector(split_data(STEPS)))
