"""High and low rewards, each within the range of its own environment, and the filter that says the same."""

from __future__ import annotations

import pytest
from tests.query.insights.findings.splits import split_data

from rollscope.model import Range
from rollscope.query.insights.findings.model import CannotKnow
from rollscope.query.insights.findings.rewards.reward_bands import top_paid

REWARDS = [0.0, 0.4, 0.74, 0.75, 1.0, None]


@pytest.mark.parametrize(
    ("top", "share", "where", "rows"),
    [
        (True, None, "reward >= 0.75", [3, 4]),
        (False, None, "reward <= 0.4", [0, 1]),
        (True, 0.5, "reward >= 0.5", [2, 3, 4]),
    ],
)
def test_the_top_and_the_bottom_of_the_range(top: bool, share: float | None, where: str, rows: list[int]) -> None:
    clause, mask = top_paid(split_data([1] * 6, reward=REWARDS), top=top, share=share)
    assert (clause, mask.nonzero()[0].tolist()) == (where, rows)


def test_each_environment_has_its_own_range() -> None:
    data = split_data([1] * 4, reward=[0.9, 0.9, 9.0, 9.0], env=["a", "b", "b", "a"])
    data.ranges["b"] = {"reward": Range(min=0, max=10, origin="declared", higher_is_better=True)}
    where, mask = top_paid(data)
    assert where == '((env = "a" and reward >= 0.75) or (env = "b" and reward >= 7.5))'
    assert mask.tolist() == [True, False, True, True]


@pytest.mark.parametrize("reward_range", [None, (1.0, 1.0)])
def test_without_a_range_nothing_is_high(reward_range: tuple[float, float] | None) -> None:
    with pytest.raises(CannotKnow, match="all rewards are the same"):
        top_paid(split_data([1, 1], reward_range=reward_range, reward=[1.0, 1.0]))
    with pytest.raises(CannotKnow, match="no sample has a reward"):
        top_paid(split_data([1, 1]))
