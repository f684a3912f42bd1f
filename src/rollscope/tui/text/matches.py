"""Find in the text of a document: what to look for, and where it is.

A plain text is found whatever its case, unless it has capitals; after a leading ``/`` it is a regular expression in
RE2's syntax, which takes linear time whatever is typed.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any

import re2

from rollscope.errors import UsageError
from rollscope.query.search.scan import Pattern
from rollscope.tui.text.document import Document

#: More matches than this in one sample are not listed (the status line says so): at 4 µs each, this is most of a second.
MAX_MATCHES = 200_000


@dataclass(frozen=True, slots=True)
class FindText:
    """What a person typed after `f`."""

    typed: str
    pattern: Pattern

    def compile(self) -> Any:
        options = re2.Options()
        options.log_errors = False
        options.case_sensitive = not self.pattern.ignore_case
        options.literal = not self.pattern.regex
        return re2.compile(self.pattern.text, options)


def parse_find(typed: str) -> FindText:
    """What to look for. Raises UsageError for a regular expression that is none."""
    regex = typed.startswith("/") and len(typed) > 1
    pattern = typed[1:] if regex else typed
    # In a regex, `\S` and the like are no capitals a person meant as text.
    has_capitals = any(character.isupper() for character in _without_escapes(pattern, regex))
    found = FindText(typed, Pattern(pattern, regex, not has_capitals))
    try:
        found.compile()
    except re2.error as error:
        raise UsageError(
            f"not a regular expression: {_reason(error)}", hint="leave out the leading / to find text"
        ) from error
    return found


class Matches:
    """All matches in a document, in reading order."""

    def __init__(self, document: Document | None = None, find_text: FindText | None = None) -> None:
        self.blocks = array("L")
        self.starts = array("Q")
        self.ends = array("Q")
        #: Which matches lie in which block: the first of each block's, by the block's number.
        self._first: dict[int, tuple[int, int]] = {}
        #: There are more than MAX_MATCHES.
        self.cut = False
        if document is None or find_text is None:
            return
        pattern = find_text.compile()
        for number, block in enumerate(document.blocks):
            if block.text and not self.cut:
                self._add(number, block.text, pattern)

    @classmethod
    def of_spans(cls, block: int, spans: list[tuple[int, int]]) -> Matches:
        """Stretches of one block that are known already."""
        found = cls()
        for start, end in spans:
            found.blocks.append(block)
            found.starts.append(start)
            found.ends.append(end)
        found._first[block] = (0, len(spans))
        return found

    def __len__(self) -> int:
        return len(self.starts)

    def in_range(self, block: int, start: int, end: int) -> list[tuple[int, int, int]]:
        """The matches that touch a range of a block: (number of the match, start, end)."""
        if block not in self._first:
            return []
        low, high = self._first[block]
        # The match before the first one that begins in the range may reach into it.
        first = max(low, bisect_left(self.starts, start, low, high) - 1)
        last = bisect_left(self.starts, end, low, high)
        return [(n, self.starts[n], self.ends[n]) for n in range(first, last) if self.ends[n] > start]

    def first_from(self, block: int, offset: int) -> int | None:
        """The first match at or behind a place, or None."""
        low = bisect_left(self.blocks, block)
        high = bisect_right(self.blocks, block)
        found = bisect_left(self.starts, offset, low, high)
        return found if found < len(self) else None

    def place(self, number: int) -> tuple[int, int]:
        return self.blocks[number], self.starts[number]

    def _add(self, number: int, text: str, pattern: Any) -> None:
        first = len(self.starts)
        for match in pattern.finditer(text):
            start, end = match.span()
            if start == end:
                continue
            if len(self.starts) >= MAX_MATCHES:
                self.cut = True
                break
            self.blocks.append(number)
            self.starts.append(start)
            self.ends.append(end)
        if len(self.starts) > first:
            self._first[number] = (first, len(self.starts))


def _without_escapes(pattern: str, regex: bool) -> str:
    if not regex:
        return pattern
    kept, skip = [], False
    for character in pattern:
        if skip:
            skip = False
        elif character == "\\":
            skip = True
        else:
            kept.append(character)
    return "".join(kept)


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else error
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
