"""Rows of cells as lines whose columns line up on a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence


def aligned(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> Iterator[str]:
    """A line for each row. ``right`` says of each column whether it stands to the right, as numbers do."""
    widths = column_widths(rows)
    for cells in rows:
        yield "  ".join(map(_pad, cells, widths, right)).rstrip()


def column_widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(width, column)) for column in zip(*rows)]


def width(text: str) -> int:
    """Terminal columns that a text takes: East Asian wide signs two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "WF") for sign in text)


def _pad(text: str, size: int, right: bool) -> str:
    space = " " * (size - width(text))
    return space + text if right else text + space
