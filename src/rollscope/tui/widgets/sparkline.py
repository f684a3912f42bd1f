"""The mean reward over the steps in one line, with the current step marked; enter goes to the step under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from rollscope.query.answers import StepRow
from rollscope.tui.palette import Palette, height, number, share_of
from rollscope.tui.text.wrap import fit


class Sparkline(Widget, can_focus=True):
    """Two lines: the bars, and below them the step they are about."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h", "move(-1)", "step to the left", show=False),
        Binding("l", "move(1)", "step to the right", show=False),
        Binding("enter", "jump", "go to the step under the cursor", show=False),
        Binding("up", "app.focus_previous", "widget above", show=False),
        Binding("down", "app.focus_next", "widget below", show=False),
    ]

    class Jumped(Message):
        """A step was chosen."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, palette: Palette) -> None:
        super().__init__(id="sparkline")
        self.palette = palette
        self._steps: list[StepRow] = []
        self._current: int | None = None
        #: The column under the cursor, while one moves it.
        self._cursor: int | None = None

    def show(self, steps: list[StepRow], current: int | None) -> None:
        self._steps, self._current = steps, current
        self.refresh()

    @property
    def cursor(self) -> int | None:
        """The marked column: where one moved it, else where the current step is."""
        if self._cursor is not None:
            return min(self._cursor, max(0, self._columns - 1))
        if self._current is None or not self._steps:
            return None
        place = next((place for place, row in enumerate(self._steps) if row.step == self._current), None)
        return None if place is None else place * self._columns // len(self._steps)

    @property
    def _columns(self) -> int:
        return min(len(self._steps), max(1, self.size.width))

    def bin(self, column: int) -> list[StepRow]:
        """The steps one column stands for."""
        total, wide = len(self._steps), self._columns
        return self._steps[-(-column * total // wide) : -(-(column + 1) * total // wide)]

    def action_move(self, columns: int) -> None:
        self._cursor = min(max((self.cursor or 0) + columns, 0), max(0, self._columns - 1))
        self.refresh()

    def action_jump(self) -> None:
        if self.cursor is not None and (rows := self.bin(self.cursor)):
            self._cursor = None
            self.post_message(self.Jumped(rows[0].step))

    def on_click(self, event: events.Click) -> None:
        if event.x < self._columns:
            self._cursor = event.x
            self.action_jump()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self._cursor = None
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.rich_style
        if not self._steps:
            return Strip.blank(width, base)
        segments = self._bars() if y == 0 else self._caption()
        return Strip(segments).apply_style(base).crop_extend(0, width, base)

    def _bars(self) -> list[Segment]:
        means = bin_means([self.bin(column) for column in range(self._columns)])
        known = [mean for mean in means if mean is not None]
        low, high = (min(known), max(known)) if known else (0.0, 0.0)
        cursor = self.cursor
        segments = []
        for column, mean in enumerate(means):
            bar = "·" if mean is None else (height(share_of(mean, low, high)) or "▄")
            look = "cursor" if column == cursor else "role.assistant"
            segments.append(Segment(bar, self.palette[look]))
        return segments

    def _caption(self) -> list[Segment]:
        column = self.cursor
        rows = self.bin(column) if column is not None else []
        if not rows:
            return []
        if self._cursor is None:
            rows = [row for row in rows if row.step == self._current] or rows
        steps = f"step {rows[0].step}" if len(rows) == 1 else f"steps {rows[0].step}–{rows[-1].step}"
        text = f"{steps} · reward {number(bin_means([rows])[0])}"
        return [Segment(fit(text, self.size.width), self.palette["note"])]


def bin_means(bins: Sequence[Sequence[StepRow]]) -> list[float | None]:
    """Mean reward of the samples of each bin; None where there is none."""
    means: list[float | None] = []
    for rows in bins:
        counted = [(row.reward.mean, row.reward.count) for row in rows if row.reward.mean is not None]
        samples = sum(count for _, count in counted)
        means.append(sum(mean * count for mean, count in counted) / samples if samples else None)
    return means
