"""What the text pane shows: a list of blocks. A block is a text with its look; widths and rows come later (`layout`).

All text here is safe to print: it went through `shown`, which makes control characters, escape sequences and bidi
overrides visible. Offsets (spans, matches) count characters of that text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rollscope.render import visible

#: `visible` runs over this many characters at a time, so that a 20 MB text never holds other threads up for long.
SLICE = 256 * 1024

TAB_COLUMNS = 4


class StyledSpan(NamedTuple):
    """A part of a block's text that looks different from the rest."""

    start: int
    end: int
    look: str


@dataclass(slots=True, kw_only=True)
class TextBlock:
    """A text that is shown as one piece."""

    #: Names the look of its text (see `palette`).
    look: str = "text"
    text: str | None = None
    spans: list[StyledSpan] = field(default_factory=list)
    #: A line above the text; with `rule`, the line goes on to the edge of the window.
    title: str = ""
    title_look: str = "title"
    rule: bool = False
    #: What stands before the first row, and before every other row.
    label: str = ""
    indent: str = ""
    label_look: str = "bar"
    #: A thinking block can be folded to its title.
    foldable: bool = False
    #: Already broken into lines of the right width.
    wrapped: bool = False
    gap: bool = True
    #: The turn that begins with this block.
    turn: int | None = None


@dataclass(slots=True)
class Document:
    """The blocks of one view of one sample."""

    blocks: list[TextBlock] = field(default_factory=list)
    #: The width its wrapped blocks were made for; another width needs another document.
    width: int | None = None

    def turn_starts(self) -> list[tuple[int, int]]:
        """(block, turn) of the first block of each turn, in order."""
        return [(number, block.turn) for number, block in enumerate(self.blocks) if block.turn is not None]

    def foldable(self) -> frozenset[int]:
        return frozenset(number for number, block in enumerate(self.blocks) if block.foldable)


def shown(text: str) -> str:
    """The text as it may go to a terminal. An ordinary text comes back itself, not a copy."""
    if any(visible(piece) != piece for piece in _slices(text)):
        text = "".join(visible(piece) for piece in _slices(text))
    return text.expandtabs(TAB_COLUMNS) if "\t" in text else text


def one_line(text: str) -> str:
    """The text on a single line: line ends and tabs become blanks."""
    return visible(" ".join(text.split()))


def _slices(text: str) -> Iterator[str]:
    return (text[start : start + SLICE] for start in range(0, len(text), SLICE))
