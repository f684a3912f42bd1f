"""A list that draws only the rows in its window: a step may have 100,000 samples."""

from __future__ import annotations

from typing import ClassVar, Protocol

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from rollscope.tui.palette import Palette

#: Pieces of a row with their looks.
Pieces = list[tuple[str, str]]


class ListRows(Protocol):
    """What a list shows. A row that is still being read may say so; it is asked again when it is there."""

    def __len__(self) -> int: ...

    def pieces(self, index: int) -> Pieces:
        """The row's text, safe for a terminal, with the looks of its pieces."""
        ...


class NoRows:
    def __len__(self) -> int:
        return 0

    def pieces(self, index: int) -> Pieces:
        raise IndexError(index)


class ListView(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows with a cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "up", show=False),
        Binding("down", "move(1)", "down", show=False),
        Binding("pageup", "move_page(-1)", "page up", show=False),
        Binding("pagedown", "move_page(1)", "page down", show=False),
        Binding("home", "move_to('first')", "first", show=False),
        Binding("end", "move_to('last')", "last", show=False),
        Binding("enter", "choose", "choose", show=False),
    ]

    class Chosen(Message):
        """A row was chosen with enter or the mouse."""

        def __init__(self, view: ListView, index: int) -> None:
            super().__init__()
            self.view = view
            self.index = index

        @property
        def control(self) -> ListView:
            return self.view

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name for it
        super().__init__(id=id)
        self.palette = palette
        self.rows: ListRows = NoRows()
        self.cursor = 0

    def show(self, rows: ListRows, cursor: int = 0) -> None:
        self.rows = rows
        self.virtual_size = Size(self.size.width, len(rows))
        self.move_cursor(cursor)
        self.refresh()

    def move_cursor(self, index: int) -> None:
        self.cursor = max(0, min(index, len(self.rows) - 1))
        top, height = self.scroll_offset.y, max(1, self.scrollable_content_region.height)
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, force=True)
        self.refresh()

    def action_move(self, rows: int) -> None:
        self.move_cursor(self.cursor + rows)

    def action_move_page(self, pages: int) -> None:
        self.move_cursor(self.cursor + pages * max(1, self.scrollable_content_region.height - 1))

    def action_move_to(self, end: str) -> None:
        self.move_cursor(0 if end == "first" else len(self.rows) - 1)

    def action_choose(self) -> None:
        if len(self.rows):
            self.post_message(self.Chosen(self, self.cursor))

    def on_click(self, event: events.Click) -> None:
        index = event.y + self.scroll_offset.y
        if index < len(self.rows):
            self.move_cursor(index)
            self.action_choose()

    def on_resize(self) -> None:
        self.virtual_size = Size(self.size.width, len(self.rows))
        self.move_cursor(self.cursor)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    @property
    def cursor_look(self) -> Style:
        return self.palette["cursor"]

    @property
    def shows_cursor(self) -> bool:
        return self.has_focus

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        base = self.rich_style
        if index >= len(self.rows):
            return Strip.blank(width, base)
        segments = [Segment(text, self.palette[look]) for text, look in self.rows.pieces(index)]
        strip = Strip(segments)
        if strip.cell_length > width:
            # What is cut says so.
            strip = Strip([*strip.crop(0, width - 1), Segment("…", segments[-1].style)])
        strip = strip.crop_extend(0, width, base).apply_style(base)
        if index == self.cursor and self.shows_cursor:
            # Reverse undoes itself where a piece is reversed already; one plain bar reads best.
            strip = Strip([Segment(strip.text, base + self.cursor_look)], width)
        return strip
