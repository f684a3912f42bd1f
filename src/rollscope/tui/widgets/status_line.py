"""The bottom line: what goes on, and the box one types into when finding or filtering."""

from __future__ import annotations

from typing import Literal

from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from rollscope.errors import FilterError, RollscopeError
from rollscope.query.answers import Progress
from rollscope.tui.palette import Palette
from rollscope.tui.session.state import BrowserState
from rollscope.tui.text.document import one_line
from rollscope.tui.text.fields import joined
from rollscope.tui.text.wrap import columns, fit

Asking = Literal["find", "filter"]

_PLACEHOLDERS: dict[Asking, str] = {
    "find": "text, or /regex",
    "filter": 'reward < 0.2 and status = "truncated"   (empty: all)',
}


class StatusLine(Widget):
    """Facts at the left, a hint at the right."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(id="status")
        self.palette = palette
        self.facts: list[tuple[str, str]] = []
        self.hint = "? help"

    def show(self, facts: list[tuple[str, str]], hint: str) -> None:
        if (facts, hint) != (self.facts, self.hint):
            self.facts, self.hint = facts, hint
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.rich_style
        room = width - columns(self.hint) - 1
        segments: list[Segment] = []
        for text, look in self.facts:
            between = " · " if segments else ""
            left = room - sum(columns(segment.text) for segment in segments) - len(between)
            if left <= 3:
                break
            segments.append(Segment(between, base + self.palette["note"]))
            segments.append(Segment(fit(text, left), base + self.palette[look]))
        used = sum(columns(segment.text) for segment in segments)
        segments.append(Segment(" " * max(1, width - used - columns(self.hint)), base))
        segments.append(Segment(self.hint, base + self.palette["note"]))
        return Strip(segments).crop_extend(0, width, base)


class Prompt(Vertical):
    """A question in place of the status line; a wrong answer is explained above it."""

    class Answered(Message):
        def __init__(self, asking: Asking, text: str) -> None:
            super().__init__()
            self.asking: Asking = asking
            self.text = text

    class Closed(Message):
        """It was left without an answer."""

    BINDINGS = [Binding("escape", "close", "close", show=False)]  # Textual's way

    def __init__(self, palette: Palette) -> None:
        super().__init__(id="prompt")
        self.palette = palette
        self.asking: Asking = "find"

    def compose(self) -> ComposeResult:
        yield Static("", id="prompt-error", markup=False)
        with Horizontal():
            yield Static("", id="prompt-name", markup=False)
            yield Input(compact=True, id="prompt-input")

    def ask(self, asking: Asking, text: str) -> None:
        self.asking = asking
        self.query_one("#prompt-name", Static).update(f"{asking} ")
        box = self.query_one(Input)
        box.placeholder = _PLACEHOLDERS[asking]
        box.value = text
        box.cursor_position = len(text)
        self.explain("")
        self.display = True
        # At once, not after the next refresh: what is typed right after the key belongs into the box.
        self.screen.set_focus(box)

    def explain(self, problem: str, place: int | None = None) -> None:
        """Say what is wrong, above the box; `place` points at the character where it begins."""
        text = problem if place is None else f"{problem}\n{' ' * (len(self.asking) + 1 + place)}▼"
        line = self.query_one("#prompt-error", Static)
        line.update(text)
        line.display = bool(problem)

    def close(self) -> None:
        self.display = False

    def action_close(self) -> None:
        self.close()
        self.post_message(self.Closed())

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Answered(self.asking, event.value))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.explain("")


def state_facts(state: BrowserState) -> list[tuple[str, str]]:
    """What the browser's state adds to the line: the filter, indexing, lines that could not be read."""
    facts: list[tuple[str, str]] = []
    if state.view.where:
        facts.append((f"filter {one_line(state.view.where)}", "text"))
    if not state.progress.done:
        facts.append((progress_text(state.progress), "note"))
    if skipped := state.skipped():
        facts.append((f"{skipped:,} lines skipped (D)" if skipped > 1 else "1 line skipped (D)", "warning"))
    return facts


def progress_text(progress: Progress) -> str:
    share = f"{progress.bytes_done / progress.bytes_total:.0%}" if progress.bytes_total else ""
    left = f"{progress.seconds_left:.0f} s left" if progress.seconds_left is not None else ""
    return joined(["indexing " + share, f"{progress.samples:,} samples", left])


def explained(error: Exception) -> str:
    """An error as one line: what happened, and what to do where that is known."""
    if isinstance(error, FilterError):
        # Its hint shows the expression with a mark below it; the prompt has both already.
        return joined([str(error), error.hint.rpartition("\n")[2]])
    if isinstance(error, RollscopeError):
        return one_line(joined([str(error), error.hint]))
    return one_line(f"{type(error).__name__}: {error}")
