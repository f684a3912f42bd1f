"""What the viewer shows now."""

from __future__ import annotations

import math

from tests.tui.rows import step_row

from rollscope.model import Sample
from rollscope.tui.session.state import BrowserState, same_content


def test_a_declared_range_wins_over_the_observed_one() -> None:
    state = BrowserState(steps=[step_row(0, 0.25), step_row(1, 0.5)])
    observed = state.reward_range()
    assert observed is not None
    assert (observed.min, observed.max, observed.origin) == (0.25, 0.5, "observed")


def test_content_is_the_same_when_it_looks_the_same() -> None:
    one, other = Sample(reward=math.nan), Sample(reward=math.nan)
    assert same_content(one, other)
    other.metrics = {"correct": 1.0}
    assert not same_content(one, other)
