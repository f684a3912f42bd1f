"""Going from turn to turn of the sample that is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rollscope.model import Sample
from rollscope.render.turn_outcomes import TurnOutcome, next_failing, turn_outcomes
from rollscope.tui.widgets.text_pane import TextPane
from rollscope.tui.widgets.turn_strip import TurnStrip


class Turns:
    """Keeps the strip of turns and the text pane together."""

    def __init__(self, strip: TurnStrip, pane: TextPane, notice: Callable[[str], None]) -> None:
        self._strip = strip
        self._pane = pane
        self._notice = notice

    def sample_opened(self, sample: Sample | None) -> None:
        self._strip.show(turn_outcomes(sample) if sample is not None else [])

    def scrolled(self) -> None:
        self._strip.mark(self._pane.turn_in_view())

    def go(self, by: int) -> None:
        turn = next_turn(self._strip.outcomes, self._pane.turn_in_view(), by)
        if len(self._strip.outcomes) < 2:
            self._notice("this sample has no turns to go through")
        elif turn is None:
            self._notice(f"this is the {'last' if by > 0 else 'first'} turn")
        else:
            self.go_to(turn)

    def go_to_failing(self) -> None:
        turn = next_failing(self._strip.outcomes, self._pane.turn_in_view())
        if turn is None:
            self._notice("no turn of this sample is known to have gone wrong")
        else:
            self.go_to(turn)

    def go_to(self, turn: int) -> None:
        if not self._pane.go_to_turn(turn):
            self._notice("raw text has no turns to go to · R shows the text, which has")


def next_turn(outcomes: Sequence[TurnOutcome], at: int | None, by: int) -> int | None:
    """The turn before or after the one that is read; None where there is none."""
    turns = [outcome.turn for outcome in outcomes]
    if by > 0:
        return next((turn for turn in turns if at is None or turn > at), None)
    return next((turn for turn in reversed(turns) if at is not None and turn < at), None)
