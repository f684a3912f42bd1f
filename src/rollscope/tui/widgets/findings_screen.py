"""The list of a run's findings over the viewer, and below it what is known of the one at the cursor."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

from rollscope.query.insights.findings.model import Finding, FindingsReport
from rollscope.tui.palette import Palette
from rollscope.tui.text.document import Document
from rollscope.tui.text.findings import COLUMNS, finding_document, finding_pieces
from rollscope.tui.widgets.list_view import ListView, Pieces
from rollscope.tui.widgets.text_pane import TextPane


class FindingRows:
    """The findings of a report as rows."""

    def __init__(self, report: FindingsReport) -> None:
        self.report = report

    def __len__(self) -> int:
        return len(self.report.findings)

    def pieces(self, index: int) -> Pieces:
        return finding_pieces(self.report.findings[index])


class _FindingList(ListView):
    class Moved(Message):
        """The cursor is at another finding."""

    def move_cursor(self, index: int) -> None:
        super().move_cursor(index)
        self.post_message(self.Moved())


class FindingsScreen(ModalScreen[Finding]):
    """Returns the finding to read, or None. `look` is called once the screen is mounted, and gives what was found."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,i", "dismiss(None)", "close", show=False),
        Binding("j", "page(1)", "page down", show=False),
        Binding("k", "page(-1)", "page up", show=False),
    ]

    def __init__(self, palette: Palette, look: Callable[[], None]) -> None:
        super().__init__()
        self._palette = palette
        self._look = look
        self.report: FindingsReport | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="paper"):
            yield Static(COLUMNS, classes="columns", markup=False)
            yield _FindingList(self._palette)
            yield TextPane(self._palette)

    def on_mount(self) -> None:
        paper = self.query_one("#paper")
        paper.border_title = "what is worth reading"
        paper.border_subtitle = "↑ ↓ choose · enter its samples · j k scroll below · esc closes"
        self._show_list(False)
        self._look()

    def wait(self, document: Document) -> None:
        """Nothing is known yet; the document says how far that is."""
        if self.report is None and self._pane.document != document:
            self._pane.show(document, folded=frozenset())

    def show(self, report: FindingsReport, cursor: int) -> None:
        if report is self.report:
            return
        self.report = report
        self._show_list(bool(report.findings))
        view = self.query_one(_FindingList)
        view.styles.max_height = max(3, self.app.size.height // 2 - 2)
        view.styles.height = len(report.findings)
        view.focus()
        view.show(FindingRows(report), cursor)
        self.call_after_refresh(lambda: view.move_cursor(cursor))
        self._describe()

    def action_page(self, pages: int) -> None:
        self._pane.action_page(pages)

    @on(_FindingList.Moved)
    def _describe(self) -> None:
        if self.report is not None:
            findings, place = self.report.findings, self.query_one(_FindingList).cursor
            finding = findings[place] if place < len(findings) else None
            document = finding_document(finding, self.report)
            if document != self._pane.document:
                self._pane.show(document, folded=frozenset())

    @on(ListView.Chosen)
    def _choose(self, event: ListView.Chosen) -> None:
        if self.report is not None and event.index < len(self.report.findings):
            self.dismiss(self.report.findings[event.index])

    def _show_list(self, shown: bool) -> None:
        self.query_one(_FindingList).display = shown
        self.query_one(".columns").display = shown

    @property
    def _pane(self) -> TextPane:
        return self.query_one(TextPane)
