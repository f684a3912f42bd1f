"""NaN and infinities, which a line names by their path, are put back where they were."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rollscope.formats.rollscope.nonfinite import restore
from rollscope.model import Sample, TokenArrays, Turn


def sample() -> Sample:
    return Sample(
        turns=[Turn(index=0), Turn(index=1, metrics={"a": 1.0})], tokens=TokenArrays(logprobs=[None, -0.5, None])
    )


def test_numbers_stand_where_their_paths_say() -> None:
    found = sample()
    restore(
        found,
        {
            "reward": "NaN",
            "metrics/kl/mean": "Infinity",
            "rewards/format": "-Infinity",
            "turns/1/reward": "NaN",
            "turns/1/metrics/b": "Infinity",
            "tokens/logprobs/2": "-Infinity",
        },
    )
    assert found.tokens is not None
    assert found.reward is not None
    assert math.isnan(found.reward)
    assert (found.metrics, found.rewards) == ({"kl/mean": math.inf}, {"format": -math.inf})
    assert found.turns[1].reward is not None
    assert math.isnan(found.turns[1].reward)
    assert found.turns[1].metrics == {"a": 1.0, "b": math.inf}
    assert found.tokens.logprobs == [None, -0.5, -math.inf]


@pytest.mark.parametrize(
    "named",
    [
        None,
        "torn",
        {"turns/9/reward": "NaN"},
        {"turns/x/reward": "NaN"},
        {"tokens/logprobs/1": "NaN"},
        {"tokens/logprobs/7": "NaN"},
        {"tokens/unheard/0": "NaN"},
        {"messages": "NaN"},
        {"": "NaN"},
    ],
)
def test_paths_that_lead_nowhere_change_nothing(named: Any) -> None:
    found = sample()
    restore(found, named)
    assert found == sample()
