"""Markdown rendered for a terminal, as text and spans so that find and wrapping treat it like any other text."""

from __future__ import annotations

import io
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown, MarkdownElement
from rich.segment import Segment
from rich.text import Text

from rollscope.tui.text.document import StyledSpan

#: Longer texts stay as they are: rendering is for reading, takes 2 ms per KB and cannot be done in slices.
MAX_MARKDOWN = 64 * 1024


class _PlainCode(CodeBlock):
    """Code with a bar at its left, in the terminal's own colours: highlighting themes fit one background only."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in str(self.text).rstrip().split("\n"):
            yield Text(f"▏ {line}", style="cyan", no_wrap=False)


class _Markdown(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "fence": _PlainCode,
        "code_block": _PlainCode,
    }


def rendered_markdown(text: str, width: int) -> tuple[str, list[StyledSpan]]:
    """The text (already safe for a terminal) as lines of at most `width` columns, and how stretches of them look.

    Links are shown with their address, as text: nothing a model wrote becomes a link of the terminal."""
    console = Console(
        width=max(8, width),
        file=io.StringIO(),
        force_terminal=True,
        color_system="standard",
        legacy_windows=False,
        _environ={},
    )
    pieces: list[str] = []
    spans: list[StyledSpan] = []
    length = 0
    for line in console.render_lines(_Markdown(text, hyperlinks=False), pad=False):
        for piece, style, _ in Segment.simplify(line):
            if style:
                spans.append(StyledSpan(length, length + len(piece), str(style)))
            pieces.append(piece)
            length += len(piece)
        pieces.append("\n")
        length += 1
    return "".join(pieces).rstrip(), spans
