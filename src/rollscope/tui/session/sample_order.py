"""The samples of the current view in their order, read a page at a time."""

from __future__ import annotations

from rollscope.lru import LruCache
from rollscope.query.answers import SamplePage, SampleRow
from rollscope.tui.palette import height, number, share_of
from rollscope.tui.text.document import one_line
from rollscope.tui.widgets.list_view import Pieces

#: Rows asked for at once, and pages kept: 20 pages are some 10 MB, whatever the size of the step.
PAGE_ROWS, MAX_PAGES = 256, 20
#: A window shows two pages at most; one more is read ahead.
PAGES_AT_ONCE = 3


class SampleOrder:
    """Rows by their position. What is not there yet is asked for by looking at it (`take_missing_pages`)."""

    prompt = "type a position"

    def __init__(self, total: int = 0) -> None:
        self.total = total
        #: (lowest, highest) reward of the step, for the bars.
        self.reward_range: tuple[float | None, float | None] = (None, None)
        self._pages: LruCache[int, list[SampleRow]] = LruCache(max_entries=MAX_PAGES)
        #: Pages that were looked at and are missing, the latest last.
        self._missing: dict[int, None] = {}

    def add(self, page: SamplePage) -> None:
        """Take a page whose offset is a multiple of PAGE_ROWS."""
        number_of_page = page.offset // PAGE_ROWS
        self.total = page.total
        self._pages.put(number_of_page, page.rows)
        self._missing.pop(number_of_page, None)

    def row(self, position: int) -> SampleRow | None:
        """The sample at a position, or None while its page is not there."""
        page, within = divmod(position, PAGE_ROWS)
        rows = self._pages.get(page)
        if rows is None:
            self._missing.pop(page, None)
            self._missing[page] = None
            return None
        return rows[within] if within < len(rows) else None

    def take_missing_pages(self) -> list[int]:
        """The pages to read now. Those looked at long ago are forgotten; if they are looked at again, they are back."""
        latest = list(self._missing)[-PAGES_AT_ONCE:]
        self._missing.clear()
        return latest

    # As rows of the sample list

    def __len__(self) -> int:
        return self.total

    def pieces(self, index: int) -> Pieces:
        row = self.row(index)
        if row is None:
            return [(f"{index + 1:>6}  …", "note")]
        share = share_of(row.reward, *self.reward_range)
        reward = row.nonfinite.get("reward") or number(row.reward)
        pieces = [
            (f"{index + 1:>6}  ", "text"),
            (f"{height(share):1} {reward:>8}", "strong"),
            (f"  #{row.index}", "note"),
        ]
        if row.group is not None:
            pieces.append((f"  group {one_line(str(row.group))}", "note"))
        if row.completion_tokens is not None:
            pieces.append((f"  {row.completion_tokens:,} tok", "note"))
        if row.discard_reason:
            pieces.append((f"  {one_line(row.discard_reason)}", "warning"))
        elif row.status and row.status != "completed":
            pieces.append((f"  {one_line(row.status)}", "warning"))
        return pieces

    def value(self, index: int) -> int:
        return index

    def narrow(self, typed: str) -> int:
        """Typing a number goes to that position; all rows stay."""
        digits = "".join(character for character in typed if character.isdigit())
        return min(int(digits) - 1, self.total - 1) if digits and int(digits) else 0
