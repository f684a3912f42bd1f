"""The left side: what to look at, the reward over the steps, and which fields are shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from rollscope.tui.palette import Palette
from rollscope.tui.session.choices import shown_view
from rollscope.tui.session.state import BrowserState
from rollscope.tui.session.view import sort_name
from rollscope.tui.text.document import one_line
from rollscope.tui.widgets.dropdown import Dropdown
from rollscope.tui.widgets.list_view import ListView, Pieces
from rollscope.tui.widgets.sparkline import Sparkline

DROPDOWNS = ("run", "split", "dataset", "step", "sample", "sort", "show")


class FieldRows:
    """Field names with a tick where the field is shown."""

    def __init__(self, names: list[str], shows: Callable[[str], bool]) -> None:
        self.names = names
        self._shows = shows

    def __len__(self) -> int:
        return len(self.names)

    def pieces(self, index: int) -> Pieces:
        name = self.names[index]
        return [("[x] ", "text") if self._shows(name) else ("[ ] ", "note"), (one_line(name), "text")]


class FieldList(ListView):
    """Enter or space shows and hides a field. The arrows leave it where it ends."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "choose", "show or hide the field", show=False)]

    def action_move(self, rows: int) -> None:
        if self.cursor + rows < 0:
            self.app.action_focus_previous()
        else:
            super().action_move(rows)


class Sidebar(Vertical):
    def __init__(self, palette: Palette) -> None:
        super().__init__(id="sidebar")
        self.palette = palette

    def compose(self) -> ComposeResult:
        for name in DROPDOWNS:
            yield Dropdown(name, self.palette)
        yield Static("reward", classes="heading", markup=False)
        yield Sparkline(self.palette)
        yield Static("fields", classes="heading", markup=False)
        yield FieldList(self.palette, id="fields")

    def show(
        self, state: BrowserState, run_name: str, runs: int, names: list[str], shows: Callable[[str], bool]
    ) -> None:
        view = state.view
        self._set("run", one_line(run_name), visible=runs > 1)
        self._set("split", one_line(view.split), visible=True)
        is_eval = view.split.startswith("eval/")
        dataset = view.split.removeprefix("eval/") if is_eval else (view.dataset or "all")
        self._set("dataset", one_line(dataset), visible=is_eval or len(state.datasets) > 1 or view.dataset is not None)
        step = "–" if view.step is None else str(view.step)
        self._set("step", "all" if view.all_steps else step, visible=True)
        total = state.order.total
        self._set("sample", f"{state.position + 1:,} of {total:,}" if total else "none", visible=True)
        self._set("sort", one_line(sort_name(view.sort)), visible=True)
        self._set("show", shown_view(view), visible=True)
        self.query_one(Sparkline).show(state.steps, view.step)
        fields = self.query_one(FieldList)
        fields.show(FieldRows(names, shows), fields.cursor)

    def _set(self, name: str, value: str, *, visible: bool) -> None:
        dropdown = self.query_one(f"#choose-{name}", Dropdown)
        dropdown.show(value)
        dropdown.display = visible
