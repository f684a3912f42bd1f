"""Rows of a document at one width, found a slice at a time so that a 20 MB text is on screen at once.

Only the rows' positions are kept; their text is cut out of the blocks when a row is drawn.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal, NamedTuple

from rollscope.tui.text.document import Document, TextBlock
from rollscope.tui.text.wrap import UNWRAPPED_WIDTH, Wrapping, columns


class LayoutRow(NamedTuple):
    """One row of the window: which block, which piece of it, and for text from where to where."""

    block: int
    piece: Literal["title", "text", "gap"]
    start: int = 0
    end: int = 0
    #: The block's first row of text, the one with the label.
    first: bool = False


class _Placed(NamedTuple):
    """A block with its place among the rows."""

    block: int
    first_row: int
    title_rows: int
    wrapping: Wrapping | None
    gap_rows: int


class Layout:
    """`advance` until `done`; `rows` grows meanwhile, and what was found never moves."""

    def __init__(self, document: Document, width: int, *, folded: frozenset[int] = frozenset(), wrap: bool = True):
        self.document = document
        self.width = max(1, width)
        self.folded = folded
        self.wrap = wrap
        self.rows = 0
        self._placed: list[_Placed] = []
        self._first_rows: list[int] = []

    @property
    def done(self) -> bool:
        if len(self._placed) < len(self.document.blocks):
            return False
        return not self._placed or self._placed[-1].wrapping is None or self._placed[-1].wrapping.done

    def advance(self, rows: int) -> None:
        """Find at least `rows` further rows, or the end."""
        goal = self.rows + rows
        while self.rows < goal and not self.done:
            last = self._placed[-1] if self._placed else None
            if last is None or last.wrapping is None or last.wrapping.done:
                self._place(len(self._placed))
            else:
                last.wrapping.advance(goal - self.rows)
            self._count()

    def advance_to(self, block: int, offset: int, *, budget: int = 4096) -> None:
        """Find rows until this place of the document has one."""
        while self.row_of(block, offset) is None and not self.done:
            self.advance(budget)

    def row(self, index: int) -> LayoutRow:
        placed = self._placed[bisect_right(self._first_rows, index) - 1]
        within = index - placed.first_row
        if within < placed.title_rows:
            return LayoutRow(placed.block, "title")
        within -= placed.title_rows
        if placed.wrapping is not None and within < placed.wrapping.rows:
            start, end = placed.wrapping.row(within)
            return LayoutRow(placed.block, "text", start, end, within == 0)
        return LayoutRow(placed.block, "gap")

    def row_of(self, block: int, offset: int) -> int | None:
        """The row that shows this character of a block; of a folded block its title; None while not known."""
        if block >= len(self._placed):
            return None
        placed = self._placed[block]
        if placed.wrapping is None:
            return placed.first_row
        within = placed.wrapping.row_of(offset)
        return None if within is None else placed.first_row + placed.title_rows + within

    def title_row(self, block: int) -> int | None:
        """The first row of a block; None while not known."""
        return self._placed[block].first_row if block < len(self._placed) else None

    def place(self, row: int) -> tuple[int, int]:
        """(block, offset) of the first character of a row: what stays in view when the width changes."""
        if not self.rows:
            return 0, 0
        found = self.row(min(row, self.rows - 1))
        return found.block, found.start

    def text_of(self, row: LayoutRow) -> str:
        text = self.document.blocks[row.block].text or ""
        return text[row.start : row.end]

    def _place(self, number: int) -> None:
        block = self.document.blocks[number]
        hidden = block.text is None or number in self.folded
        wrapping = None if hidden else self._wrapping(block)
        placed = _Placed(number, self.rows, 1 if block.title else 0, wrapping, 1 if block.gap else 0)
        self._placed.append(placed)
        self._first_rows.append(placed.first_row)

    def _wrapping(self, block: TextBlock) -> Wrapping:
        if block.wrapped or not self.wrap:
            return Wrapping(block.text or "", UNWRAPPED_WIDTH, at_words=False)
        return Wrapping(block.text or "", self.width - columns(block.indent or block.label))

    def _count(self) -> None:
        last = self._placed[-1]
        text_rows = 0 if last.wrapping is None else last.wrapping.rows
        finished = last.wrapping is None or last.wrapping.done
        self.rows = last.first_row + last.title_rows + text_rows + (last.gap_rows if finished else 0)
