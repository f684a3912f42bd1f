"""The turns of a sample in one line: a bar each, failing ones marked, and which one is being read."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from rollscope.render.turn_outcomes import TurnOutcome
from rollscope.tui.palette import Palette, height, number, share_of
from rollscope.tui.text.document import one_line
from rollscope.tui.text.wrap import fit

#: Columns kept for the words beside the bars.
_WORDS = 34


class TurnStrip(Widget):
    """Hidden where a sample has one turn. A click on a bar goes to its turn."""

    class Chosen(Message):
        def __init__(self, turn: int) -> None:
            super().__init__()
            self.turn = turn

    def __init__(self, palette: Palette) -> None:
        super().__init__(id="turns")
        self.palette = palette
        self.display = False
        self.outcomes: Sequence[TurnOutcome] = ()
        self.current: int | None = None

    def show(self, outcomes: Sequence[TurnOutcome]) -> None:
        self.outcomes, self.current = outcomes, None
        self.display = len(outcomes) > 1
        self.refresh()

    def mark(self, turn: int | None) -> None:
        """This turn is being read; None above the first."""
        if turn != self.current:
            self.current = turn
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        if event.x < self._bars:
            self.post_message(self.Chosen(self._bin(event.x)[0].turn))

    @property
    def _bars(self) -> int:
        return min(len(self.outcomes), max(1, self.size.width - _WORDS))

    def _bin(self, column: int) -> Sequence[TurnOutcome]:
        """The turns that one column stands for."""
        total, wide = len(self.outcomes), self._bars
        return self.outcomes[column * total // wide : max((column + 1) * total // wide, column * total // wide + 1)]

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.rich_style
        rewards = [outcome.reward for outcome in self.outcomes if outcome.reward is not None]
        low, high = (min(rewards), max(rewards)) if rewards else (None, None)
        segments = [self._bar(column, low, high) for column in range(self._bars)]
        segments.append(Segment(fit(f"  {self._words()}", max(1, width - self._bars)), self.palette["note"]))
        return Strip(segments).apply_style(base).crop_extend(0, width, base)

    def _bar(self, column: int, low: float | None, high: float | None) -> Segment:
        turns = self._bin(column)
        failing = any(outcome.failure is not None for outcome in turns)
        rewards = [outcome.reward for outcome in turns if outcome.reward is not None]
        sign = "!" if failing else height(share_of(min(rewards), low, high)) or "▄" if rewards else "·"
        look = self.palette["error" if failing else "role.assistant" if rewards else "note"]
        here = self.current is not None and turns[0].turn <= self.current <= turns[-1].turn
        return Segment(sign, look + self.palette["cursor"] if here else look)

    def _words(self) -> str:
        total = len(self.outcomes)
        failing = sum(outcome.failure is not None for outcome in self.outcomes)
        here = next((outcome for outcome in self.outcomes if outcome.turn == self.current), None)
        if here is None:
            return f"{total} turns" + (f", {failing} failing" if failing else "")
        words = f"turn {here.turn + 1} of {total}"
        if here.failure is not None:
            return f"{words} · {one_line(here.failure)}"
        return words if here.reward is None else f"{words} · reward {number(here.reward)}"
