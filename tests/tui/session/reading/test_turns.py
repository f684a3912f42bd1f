"""Going from turn to turn."""

from __future__ import annotations

import pytest

from rollscope.render.turn_outcomes import TurnOutcome
from rollscope.tui.session.reading.turns import next_turn

OUTCOMES = [TurnOutcome(turn=turn) for turn in (0, 2, 5)]


@pytest.mark.parametrize(
    ("at", "by", "turn"),
    [(None, 1, 0), (None, -1, None), (0, 1, 2), (1, 1, 2), (5, 1, None), (5, -1, 2), (1, -1, 0), (0, -1, None)],
)
def test_the_next_turn_is_the_nearest_in_that_direction(at: int | None, by: int, turn: int | None) -> None:
    assert next_turn(OUTCOMES, at, by) == turn
    assert next_turn([], at, by) is None
