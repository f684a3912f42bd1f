"""Screens that cover the viewer for a moment: help, and what could not be read."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from rollscope.query.answers import DoctorReport
from rollscope.tui.keys import SECTIONS
from rollscope.tui.palette import Palette
from rollscope.tui.text.document import Document, TextBlock, one_line
from rollscope.tui.widgets.text_pane import TextPane

_KEY_COLUMNS = 10


class TextScreen(ModalScreen[None]):
    """A text to read and close."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter,D", "dismiss", "close", show=False),
        Binding("j", "page(1)", "page down", show=False),
        Binding("k", "page(-1)", "page up", show=False),
        Binding("g", "edge('top')", "top", show=False),
        Binding("G", "edge('bottom')", "bottom", show=False),
    ]

    def __init__(self, title: str, document: Document, palette: Palette) -> None:
        super().__init__()
        self._title = title
        self._document = document
        self._palette = palette

    def compose(self) -> ComposeResult:
        with Vertical(id="paper"):
            yield TextPane(self._palette)

    def on_mount(self) -> None:
        paper = self.query_one("#paper")
        paper.border_title = self._title
        paper.border_subtitle = "j k scroll · esc closes"
        self._pane.show(self._document, folded=frozenset())

    @property
    def _pane(self) -> TextPane:
        return self.query_one(TextPane)

    def action_page(self, pages: int) -> None:
        self._pane.action_page(pages)

    def action_edge(self, edge: str) -> None:
        self._pane.action_edge(edge)


def help_document() -> Document:
    """The keys, from the bindings themselves."""
    blocks = []
    for section in SECTIONS:
        blocks.append(TextBlock(title=section.title, title_look="heading", gap=False))
        blocks += [
            TextBlock(
                text=binding.description,
                label=f"  {binding.key_display or binding.key:<{_KEY_COLUMNS}}",
                indent=" " * (_KEY_COLUMNS + 2),
                label_look="key",
                gap=False,
            )
            for binding in section.bindings
        ]
        blocks[-1].gap = True
    blocks.append(TextBlock(title="In lists and on the reward line", title_look="heading", gap=False))
    blocks.append(
        TextBlock(
            text="enter opens a list; type to narrow it, ↑ ↓ to choose. On the reward line h and l move, enter goes there. "
            "On a field, enter or space shows and hides it."
        )
    )
    return Document(blocks)


def skipped_document(report: DoctorReport) -> Document:
    """What was detected and why, what could not be read, what was guessed."""
    blocks = [
        _paragraph("Format", [f"{report.format}, {report.confidence:.0%} sure", *report.reasons]),
        _paragraph(
            f"Skipped lines: {report.skipped_total:,}",
            [f"{skipped.file}:{skipped.line}: {skipped.reason}" for skipped in report.skipped] or ["none"],
        ),
    ]
    if report.skipped_total > len(report.skipped):
        left = report.skipped_total - len(report.skipped)
        blocks.append(TextBlock(look="note", text=f"{left:,} more: rollscope doctor lists them"))
    for title, lines in (
        ("Warnings", report.warnings),
        ("What this format does not tell", report.limits),
        (f"Files that belong to no format: {report.unclaimed_total:,}", report.unclaimed),
    ):
        if lines:
            blocks.append(_paragraph(title, lines))
    return Document(blocks)


def _paragraph(title: str, lines: list[str]) -> TextBlock:
    text = "\n".join(one_line(line) for line in lines)
    return TextBlock(title=title, title_look="heading", text=text, label="  ", indent="  ")
