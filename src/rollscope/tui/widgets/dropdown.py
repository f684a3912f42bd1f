"""One line that names a choice, and the list that opens from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Region
from textual.message import Message
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from rollscope.tui.palette import Palette
from rollscope.tui.text.wrap import columns, fit
from rollscope.tui.widgets.list_view import ListRows, ListView, Pieces

LABEL_COLUMNS = 9
LIST_COLUMNS = 60


class Dropdown(Widget, can_focus=True):
    """``step      12 ▾``: enter opens its list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "open", "open the list", show=False),
        Binding("up", "app.focus_previous", "widget above", show=False),
        Binding("down", "app.focus_next", "widget below", show=False),
    ]

    class Opened(Message):
        """Sent when the list of this dropdown should open."""

        def __init__(self, dropdown: Dropdown) -> None:
            super().__init__()
            self.dropdown = dropdown

    def __init__(self, name: str, palette: Palette) -> None:
        super().__init__(name=name, id=f"choose-{name}", classes="dropdown")
        self.palette = palette
        self.value = ""

    def show(self, value: str) -> None:
        """The choice's name, safe for a terminal."""
        if value != self.value:
            self.value = value
            self.refresh()

    def action_open(self) -> None:
        self.post_message(self.Opened(self))

    def on_click(self) -> None:
        self.focus()
        self.action_open()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.rich_style
        value = fit(self.value, max(1, width - LABEL_COLUMNS - 2))
        value += " " * max(0, width - LABEL_COLUMNS - 2 - columns(value))
        look = self.palette["cursor"] if self.has_focus else self.palette["text"]
        segments = [
            Segment(f"{self.name or '':<{LABEL_COLUMNS}}"[:LABEL_COLUMNS], base + self.palette["label"]),
            Segment(f"{value} ▾", base + look),
        ]
        return Strip(segments).crop_extend(0, width, base)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()


class Choice(NamedTuple):
    """One row of a list to choose from."""

    value: Any
    pieces: Pieces


class Choices:
    """A list of choices that typing narrows."""

    #: Said in the box one types into.
    prompt = "type to narrow"

    def __init__(self, choices: Sequence[Choice]) -> None:
        self._all = choices
        self._kept = choices

    def __len__(self) -> int:
        return len(self._kept)

    def pieces(self, index: int) -> Pieces:
        return self._kept[index].pieces

    def value(self, index: int) -> Any:
        return self._kept[index].value

    def narrow(self, typed: str) -> int:
        """Keep what contains every typed word; say where the cursor belongs: on what begins with them, if anything."""
        words = typed.lower().split()
        texts = ["".join(text for text, _ in choice.pieces).strip().lower() for choice in self._all]
        kept = [place for place, text in enumerate(texts) if all(word in text for word in words)]
        self._kept = [self._all[place] for place in kept]
        first = words[0] if words else ""
        whole = (n for n, place in enumerate(kept) if texts[place].split(None, 1)[:1] == [first])
        begins = (n for n, place in enumerate(kept) if texts[place].startswith(first))
        return next(whole, next(begins, 0))


class ChoosableRows(ListRows, Protocol):
    """What `PickScreen` needs of its rows."""

    @property
    def prompt(self) -> str: ...

    def value(self, index: int) -> Any: ...

    def narrow(self, typed: str) -> int: ...


class _PickInput(Input):
    """The box above the list: arrows move in the list, so that one can type and choose without leaving it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "screen.forward('move', -1)", show=False),
        Binding("down", "screen.forward('move', 1)", show=False),
        Binding("pageup", "screen.forward('move_page', -1)", show=False),
        Binding("pagedown", "screen.forward('move_page', 1)", show=False),
    ]


class _PickList(ListView, can_focus=False):
    @property
    def shows_cursor(self) -> bool:
        return True


class PickScreen(ModalScreen[Any]):
    """The open list of a dropdown. Its answer is the chosen value, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "close", show=False)]

    def __init__(
        self,
        title: str,
        rows: ChoosableRows,
        cursor: int,
        anchor: Region,
        palette: Palette,
    ) -> None:
        super().__init__()
        self._title = title
        self._rows = rows
        self._cursor = cursor
        self._anchor = anchor
        self._palette = palette

    def compose(self) -> ComposeResult:
        with Vertical(id="pick"):
            yield _PickInput(placeholder=self._rows.prompt, compact=True, select_on_focus=False)
            yield _PickList(self._palette)

    def on_mount(self) -> None:
        box = self.query_one("#pick")
        box.border_title = self._title
        self._place()
        self.query_one(_PickInput).focus()
        self.call_after_refresh(self._show)

    def on_resize(self) -> None:
        self._place()

    def refresh_rows(self) -> None:
        """More rows were read."""
        if self.is_mounted:
            view = self.query_one(_PickList)
            view.show(self._rows, view.cursor)

    def action_forward(self, action: str, amount: int) -> None:
        view = self.query_one(_PickList)
        (view.action_move if action == "move" else view.action_move_page)(amount)

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        cursor = self._rows.narrow(event.value)
        self.query_one(_PickList).show(self._rows, cursor if event.value.strip() else self._cursor)

    @on(Input.Submitted)
    def _submit(self) -> None:
        self.query_one(_PickList).action_choose()

    @on(ListView.Chosen)
    def _choose(self, event: ListView.Chosen) -> None:
        value = self._rows.value(event.index)
        if value is not None:
            self.dismiss(value)

    def _show(self) -> None:
        self.query_one(_PickList).show(self._rows, self._cursor)

    def _place(self) -> None:
        """Below the dropdown where there is room, else as high as needed."""
        screen = self.app.size
        height = min(len(self._rows) + 3, screen.height - 2)
        width = min(max(LIST_COLUMNS, self._anchor.width), screen.width)
        box = self.query_one("#pick")
        box.styles.width, box.styles.height = width, height
        box.styles.offset = (self._anchor.x, max(0, min(self._anchor.y + 1, screen.height - height)))
