"""Declared ranges: how they may be written, what is kept, and whose range holds for a sample."""

from __future__ import annotations

import pytest

from rollscope.model import Range
from rollscope.record.samples.ranges import ANY_ENV, DeclaredRanges, RangeLike, range_dict


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ((0, 1), {"min": 0.0, "max": 1.0, "higher_is_better": True}),
        ((None, 5), {"max": 5.0, "higher_is_better": True}),
        ({"min": -1}, {"min": -1.0, "higher_is_better": True}),
        ({"min": 0, "max": 9, "higher_is_better": False}, {"min": 0.0, "max": 9.0, "higher_is_better": False}),
        (Range(min=1.0, max=2.0, higher_is_better=False), {"min": 1.0, "max": 2.0, "higher_is_better": False}),
    ],
)
def test_a_range_may_be_a_pair_a_mapping_or_a_range(given: RangeLike, kept: dict[str, object]) -> None:
    assert range_dict(given) == kept


def test_a_later_declaration_adds_metrics_and_replaces_the_reward() -> None:
    ranges = DeclaredRanges()
    ranges.declare("math", reward=(0, 1), metrics={"kl": (0, 10)})
    ranges.declare("math", reward=(0, 2), metrics={"length": (0, 500)})
    ranges.declare("math", reward=None, metrics=None)
    entry = ranges.declared["math"]
    assert entry["reward"]["max"] == 2.0
    assert sorted(entry["metrics"]) == ["kl", "length"]


def test_an_environments_own_range_comes_before_that_of_all() -> None:
    ranges = DeclaredRanges()
    ranges.declare(ANY_ENV, reward=(0, 1), metrics=None)
    ranges.declare("chess", reward=(-1, 1), metrics=None)
    ranges.declare("open", reward=(0, None), metrics=None)
    ranges.declare("empty", reward=(3, 3), metrics=None)
    assert ranges.reward_bounds("chess") == (-1.0, 1.0)
    assert ranges.reward_bounds("other") == ranges.reward_bounds(None) == (0.0, 1.0)
    # One end says nothing about how far a reward is from the other, and a range of one value nothing at all.
    assert ranges.reward_bounds("open") == ranges.reward_bounds("empty") == (0.0, 1.0)
    assert DeclaredRanges().reward_bounds("chess") is None


def test_ranges_of_an_earlier_attempt_hold_unless_they_are_declared_again() -> None:
    ranges = DeclaredRanges()
    ranges.adopt({"math": {"reward": {"min": 0.0, "max": 1.0}}, "broken": 7})
    ranges.adopt("not a mapping")
    assert ranges.reward_bounds("math") == (0.0, 1.0)
    assert "broken" not in ranges.declared
    ranges.declare("math", reward=(0, 4), metrics=None)
    assert ranges.reward_bounds("math") == (0.0, 4.0)
