"""Where the rows of a long text begin, found a slice at a time.

A row is a stretch of the text that fits the window. The index of rows is one integer per row, so that a 20 MB text
costs 2 MB and half a second in slices of a few milliseconds; nothing of the text is copied.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate

from rich.cells import cell_len, get_character_cell_size, split_graphemes

#: Rows of one text are cut at this many columns when wrapping is off. A terminal shows a few hundred; what matters is
#: that one 20 MB line does not have to be measured from its start for every scroll to the right.
UNWRAPPED_WIDTH = 4096


class Wrapping:
    """The row starts of one text at one width. `advance` finds more of them, until `done`."""

    def __init__(self, text: str, width: int, *, at_words: bool = True) -> None:
        self.text = text
        self.width = max(1, width)
        self.at_words = at_words
        self.starts = array("Q", [0])
        self.done = not text
        self._position = 0
        self._line_end = _line_end(text, 0)

    @property
    def rows(self) -> int:
        """Rows whose beginning and end are known; an empty text has one."""
        return len(self.starts) if self.done else len(self.starts) - 1

    def advance(self, rows: int) -> int:
        """Find up to `rows` further row starts; say how many were found."""
        text, width, starts = self.text, self.width, self.starts
        position, line_end, found = self._position, self._line_end, 0
        while found < rows and not self.done:
            # ASCII has one column per character: a row that surely fits needs no measuring.
            if line_end - position <= width and text[position:line_end].isascii():
                cut = line_end
            else:
                cut = self._cut(position, line_end)
            if cut >= line_end:
                if line_end >= len(text):
                    self.done = True
                    break
                position = line_end + 1
                line_end = _line_end(text, position)
            else:
                position = cut
            starts.append(position)
            found += 1
        self._position, self._line_end = position, line_end
        return found

    def row(self, index: int) -> tuple[int, int]:
        """Where the row's text begins and ends, without its newline and without the blanks it was broken at."""
        start, last = self.starts[index], index + 1 == len(self.starts)
        end = len(self.text) if last else self.starts[index + 1]
        if last or (end > start and self.text[end - 1] == "\n"):
            return start, self._visible_end(start, end if last else end - 1)
        while end > start and self.text[end - 1] == " ":
            end -= 1
        return start, end

    def row_of(self, offset: int) -> int | None:
        """The row that shows this character, or None while wrapping has not reached it."""
        if not self.done and offset >= self._position:
            return None
        return bisect_right(self.starts, offset) - 1

    def _visible_end(self, start: int, line_end: int) -> int:
        """The end of a line's last row: blanks at the end of a line never begin a row, so those too many are not shown."""
        if line_end - start <= self.width and self.text[start:line_end].isascii():
            return line_end
        return fitting_end(self.text, start, line_end, self.width)

    def _cut(self, start: int, line_end: int) -> int:
        """Where the next row begins: behind the last blank that fits, else where the window ends."""
        fits = fitting_end(self.text, start, line_end, self.width)
        if fits >= line_end:
            return line_end
        if self.at_words:
            blank = fits if self.text[fits] == " " else self.text.rfind(" ", start, fits)
            if blank > start:
                fits = blank + 1
                while fits < line_end and self.text[fits] == " ":
                    fits += 1
        return fits


def fitting_end(text: str, start: int, end: int, width: int) -> int:
    """The end of the longest text from `start` that is at most `width` columns wide, and at least one character."""
    limit = min(end, start + width)
    window = text[start:limit]
    if window.isascii() and (
        limit >= end or text[limit].isascii()
    ):  # else an accent or a joiner may belong to the last one
        return limit
    # Wide characters make it shorter, combining ones longer; a grapheme is never cut, except that a row holds at most
    # eight characters per column: no terminal draws more, and a text of nothing but accents must not stall.
    furthest = min(end, start + 8 * width)
    while True:
        fits = _simple_fit(window, width) if _JOINED.isdisjoint(window) else _grapheme_fit(window, width)
        if fits < len(window) or limit >= furthest:
            return start + max(fits, 1)
        limit = min(furthest, limit + max(8, width - cell_len(window)))
        if limit - start == len(window):
            return limit
        window = text[start:limit]


#: Characters that change the width of what stands before them.
_JOINED = frozenset("\u200d\ufe0f")


class _Widths(dict[str, int]):
    """Columns by character, looked up once for each. A loop over graphemes takes 20 µs a row, this takes 3."""

    def __missing__(self, character: str) -> int:
        width = self[character] = get_character_cell_size(character)
        return width


_WIDTHS = _Widths()


def _simple_fit(window: str, width: int) -> int:
    """How many characters fit, where each has a width of its own (marks above a letter have none and stay with it)."""
    return bisect_right(list(accumulate(map(_WIDTHS.__getitem__, window))), width)


def _grapheme_fit(window: str, width: int) -> int:
    used, ends = 0, []
    for start, end, cells in split_graphemes(window)[0]:
        if used + cells > width and start:
            break
        used += cells
        ends.append(end)
    # Rich splits and measures stray joiners differently; what counts is what it measures when the row is drawn.
    while len(ends) > 1 and cell_len(window[: ends[-1]]) > width:
        ends.pop()
    return ends[-1]


def columns(text: str) -> int:
    """How many columns a terminal needs for it."""
    return len(text) if text.isascii() else cell_len(text)


def fit(text: str, width: int) -> str:
    """The text cut to `width` columns, with an ellipsis where something was cut."""
    if columns(text) <= width:
        return text
    if width <= 1:
        return "…"[:width]
    kept = text[: fitting_end(text, 0, len(text), width - 1)].rstrip()
    return f"{kept}…" if columns(kept) < width else "…"


def _line_end(text: str, start: int) -> int:
    found = text.find("\n", start)
    return len(text) if found < 0 else found
