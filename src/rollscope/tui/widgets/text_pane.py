"""The pane that shows a document: draws only the rows in the window, whatever the length of the text."""

from __future__ import annotations

import time
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from rollscope.tui.palette import Palette
from rollscope.tui.text.document import Document
from rollscope.tui.text.layout import Layout, LayoutRow
from rollscope.tui.text.matches import Matches
from rollscope.tui.text.row_segments import row_segments, spans_in
from rollscope.tui.text.wrap import UNWRAPPED_WIDTH, columns, fit

#: Rows are found in slices of this many seconds, between which keys are answered, and counted in portions of this many.
SLICE_SECONDS, PORTION_ROWS = 0.008, 500


class TextPane(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a `Document`. Wrapping goes on between key presses, so that keys always work."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll_up", "line up", show=False),
        Binding("down", "scroll_down", "line down", show=False),
        Binding("pageup", "page(-1)", "page up", show=False),
        Binding("pagedown,space", "page(1)", "page down", show=False),
        Binding("home", "edge('top')", "top", show=False),
        Binding("end", "edge('bottom')", "bottom", show=False),
    ]

    class WidthChanged(Message):
        """The document was made for another width."""

    class Moved(Message):
        """Other rows came into view, or more of them are known."""

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's name for it
        super().__init__(id=id)
        self.palette = palette
        self.document = Document()
        self.folded: frozenset[int] = frozenset()
        self.wrap = True
        self.matches: Matches | None = None
        self.current_match: int | None = None
        self._layout = Layout(self.document, 1)
        #: A place to scroll to as soon as its row is known.
        self._missing: tuple[int, int] | None = None
        self._slicing = False

    # What to show

    def show(self, document: Document, *, folded: frozenset[int], keep_place: bool = False) -> None:
        """Show another document from its top, or a new version of the same one at the same position."""
        place = self.place() if keep_place else None
        self.document, self.folded = document, folded
        self.matches, self.current_match = None, None
        self._relayout(place)

    def fold(self, folded: frozenset[int]) -> None:
        place = self.place()
        self.folded = folded
        self._relayout(place)

    def set_wrap(self, wrap: bool) -> None:
        place = self.place()
        self.wrap = wrap
        self._relayout(place)

    def set_matches(self, matches: Matches | None, current: int | None = None) -> None:
        self.matches, self.current_match = matches, current
        self.refresh()

    def go_to_match(self, number: int) -> None:
        """Make a match the current one and bring it into view; a folded block that hides it unfolds."""
        if self.matches is None:
            return
        self.current_match = number
        block, offset = self.matches.place(number)
        if block in self.folded:
            self.fold(self.folded - {block})
        self._layout.advance_to(block, offset)
        self._resize_virtual()
        row = self._layout.row_of(block, offset) or 0
        top, page = self.scroll_offset.y, self._page_rows
        if not top <= row < top + page - 1:
            self.scroll_to(y=max(0, row - page // 3), animate=False, force=True)
        self.refresh()

    def go_to_turn(self, turn: int) -> bool:
        """Bring the beginning of a turn to the top of the window. False where it is not shown."""
        block = next((block for block, number in self.document.turn_starts() if number == turn), None)
        if block is None:
            return False
        self._layout.advance_to(block, 0)
        self._resize_virtual()
        self._missing = None
        self.scroll_to(y=self._layout.title_row(block) or 0, animate=False, force=True)
        return True

    def turn_in_view(self) -> int | None:
        """The turn at the top of the window; None above the first."""
        block, _ = self.place()
        begun = [turn for start, turn in self.document.turn_starts() if start <= block]
        return begun[-1] if begun else None

    # Where we are

    @property
    def text_width(self) -> int:
        """Columns there are for text."""
        return self.scrollable_content_region.width or self.size.width or 1

    @property
    def rows(self) -> int:
        return self._layout.rows

    @property
    def complete(self) -> bool:
        """All rows are known."""
        return self._layout.done

    def place(self) -> tuple[int, int]:
        """The (block, offset) at the top of the window."""
        return self._missing or self._layout.place(self.scroll_offset.y)

    def share_seen(self) -> float:
        """How much of the text lies above the window's lower edge, 0 to 1."""
        return min(1.0, (self.scroll_offset.y + self._page_rows) / max(1, self._layout.rows))

    # Moving

    @property
    def _page_rows(self) -> int:
        return max(1, self.scrollable_content_region.height)

    def action_page(self, pages: int) -> None:
        # One row stays in view, to keep the reader's place.
        self._missing = None
        self.scroll_to(y=self.scroll_offset.y + pages * max(1, self._page_rows - 1), animate=False)

    def action_page_sideways(self, pages: int) -> None:
        self.scroll_to(x=self.scroll_offset.x + pages * max(1, self.text_width // 2), animate=False)

    def action_edge(self, edge: str) -> None:
        self._missing = None
        if edge == "bottom" and not self._layout.done:
            self._missing = (len(self.document.blocks), 0)  # behind the last block: reached when all rows are known
        self.scroll_to(y=0 if edge == "top" else self._layout.rows, animate=False, force=True)

    def action_scroll_up(self) -> None:
        self._missing = None
        self.scroll_to(y=self.scroll_offset.y - 1, animate=False)

    def action_scroll_down(self) -> None:
        self._missing = None
        self.scroll_to(y=self.scroll_offset.y + 1, animate=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Moved())

    # Layout

    def on_resize(self, event: events.Resize) -> None:
        if self.text_width == self._layout.width:
            return
        if self.document.width is not None and self.document.width != self.text_width:
            self.post_message(self.WidthChanged())
        self._relayout(self.place())

    def _relayout(self, place: tuple[int, int] | None) -> None:
        self._layout = Layout(self.document, self.text_width, folded=self.folded, wrap=self.wrap)
        self._missing = place if place and place != (0, 0) else None
        self._advance()
        if self._missing is None:
            self.scroll_to(0, 0, animate=False, force=True)
        self._after_rows()
        self.refresh()

    def _slice(self) -> None:
        self._slicing = False
        if not self._layout.done:
            self._advance()
            self._after_rows()

    def _advance(self) -> None:
        until = time.monotonic() + SLICE_SECONDS
        self._layout.advance(PORTION_ROWS)
        while not self._layout.done and time.monotonic() < until:
            self._layout.advance(PORTION_ROWS)

    def _after_rows(self) -> None:
        """More rows are known: grow, go where we wanted to, and go on when nothing else is to be done."""
        self._resize_virtual()
        if self._missing is not None:
            row = self._layout.row_of(*self._missing)
            if row is None and self._layout.done:
                row = self._layout.rows
            if row is not None:
                self._missing = None
                self.scroll_to(y=row, animate=False, force=True)
        if not self._layout.done and not self._slicing:
            self._slicing = True
            self.set_timer(0.001, self._slice)
        self.post_message(self.Moved())

    def _resize_virtual(self) -> None:
        wide = any(block.wrapped for block in self.document.blocks) or not self.wrap
        width = self._widest() if wide else self.text_width
        self.virtual_size = Size(width, self._layout.rows)

    def _widest(self) -> int:
        """Columns of the longest row when rows are not wrapped (of the first ten thousand rows; sideways is for tables)."""
        longest = 0
        for index in range(min(self._layout.rows, 10_000)):
            row = self._layout.row(index)
            if row.piece == "text":
                block = self.document.blocks[row.block]
                longest = max(longest, row.end - row.start + columns(block.indent or block.label))
        return min(max(longest, 1), UNWRAPPED_WIDTH)

    # Drawing

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        base = self.rich_style
        if index >= self._layout.rows:
            return Strip.blank(width, base)
        strip = Strip(self._segments(self._layout.row(index), index))
        strip = strip.crop_extend(self.scroll_offset.x, self.scroll_offset.x + width, base)
        return strip.apply_style(base).apply_offsets(self.scroll_offset.x, index)

    def _segments(self, row: LayoutRow, index: int) -> list[Segment]:
        block = self.document.blocks[row.block]
        if row.piece == "gap":
            return []
        if row.piece == "title":
            return self._title(row)
        label = block.label if row.first else block.indent
        segments = [Segment(label, self.palette[block.label_look])] if label else []
        text = (block.text or "")[row.start : row.end]
        overlays = [(span.start, span.end, self.palette[span.look]) for span in spans_in(block.spans, row)]
        for match, start, end in self.matches.in_range(row.block, row.start, row.end) if self.matches else ():
            look = "match.current" if match == self.current_match else "match"
            overlays.append((start, end, self.palette[look]))
        selected = self._selected(index, len(label))
        if selected is not None:
            overlays.append((row.start + selected[0], row.start + selected[1], Style(reverse=True)))
        segments += row_segments(text, row.start, self.palette[block.look], overlays)
        return segments

    def _title(self, row: LayoutRow) -> list[Segment]:
        block = self.document.blocks[row.block]
        look = self.palette[block.title_look]
        title = block.title
        if block.foldable:
            title = f"{'▸' if row.block in self.folded else '▾'} {title}"
        width = self.text_width
        if not block.rule:
            return [Segment(fit(title, width), look)]
        title = fit(title, width - 4)
        line = self.palette["bar"]
        return [Segment("── ", line), Segment(title, look), Segment(" " + "─" * (width - 4 - columns(title)), line)]

    # Selecting with the mouse

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        first = selection.start.y if selection.start else 0
        last = selection.end.y if selection.end else self._layout.rows - 1
        lines = []
        for index in range(first, min(last, self._layout.rows - 1) + 1):
            text = "".join(segment.text for segment in self._segments(self._layout.row(index), index))
            start, end = selection.get_span(index) or (0, 0)
            lines.append(text[start : len(text) if end < 0 else end])
        return "\n".join(lines), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def _selected(self, index: int, label: int) -> tuple[int, int] | None:
        """The selected characters of a row's text (the label before it is left out)."""
        selection = self.text_selection
        span = selection.get_span(index) if selection is not None else None
        if span is None:
            return None
        start, end = span
        return max(0, start - label), UNWRAPPED_WIDTH if end < 0 else max(0, end - label)
