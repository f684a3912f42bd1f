"""The pane by itself, in a real Textual app: what is drawn, where keys go, and that length does not matter."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from rollscope.tui.palette import Palette
from rollscope.tui.text.document import Document, StyledSpan, TextBlock
from rollscope.tui.text.matches import Matches, parse_find
from rollscope.tui.widgets.text_pane import TextPane


class PaneApp(App[None]):
    CSS = "TextPane { height: 1fr; overflow-y: scroll; scrollbar-size-vertical: 1; }"

    def __init__(self, document: Document) -> None:
        super().__init__(ansi_color=True)
        self.pane = TextPane(Palette())
        self._document_to_show = document

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self.pane.focus()
        self.pane.show(self._document_to_show, folded=frozenset())


async def complete(pilot: Pilot[None], pane: TextPane) -> None:
    while not pane.complete:
        await pilot.pause(0.01)
    await pilot.pause()


def screen_lines(pane: TextPane) -> list[str]:
    return [pane.render_line(y).text.rstrip() for y in range(pane.scrollable_content_region.height)]


Check = Callable[[Pilot[None], TextPane], Awaitable[None]]


async def with_pane(document: Document, check: Check, size: tuple[int, int] = (41, 10)) -> None:
    app = PaneApp(document)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await complete(pilot, app.pane)
        await check(pilot, app.pane)


NUMBERED = Document([TextBlock(text="\n".join(f"line {n}" for n in range(1000)), gap=False)])


@pytest.mark.asyncio
async def test_pages_keep_one_row_of_the_last_page_in_view() -> None:
    async def check(pilot: Pilot[None], pane: TextPane) -> None:
        assert screen_lines(pane)[0] == "line 0"
        await pilot.press("pagedown")
        assert screen_lines(pane)[0] == "line 9"
        await pilot.press("pageup")
        assert screen_lines(pane)[0] == "line 0"

    await with_pane(NUMBERED, check)


@pytest.mark.asyncio
async def test_home_and_end_go_to_the_edges() -> None:
    async def check(pilot: Pilot[None], pane: TextPane) -> None:
        await pilot.press("end")
        assert screen_lines(pane)[-1] == "line 999"
        await pilot.press("home")
        assert screen_lines(pane)[0] == "line 0"

    await with_pane(NUMBERED, check)


@pytest.mark.asyncio
async def test_arrows_scroll_by_one_row() -> None:
    async def check(pilot: Pilot[None], pane: TextPane) -> None:
        await pilot.press("down", "down", "up")
        assert screen_lines(pane)[0] == "line 1"

    await with_pane(NUMBERED, check)


@pytest.mark.asyncio
async def test_twenty_megabytes_are_drawn_before_they_are_wrapped() -> None:
    text = "".join(f"{n:07} some words of a very long answer " for n in range(500_000))

    async def check(pilot: Pilot[None], pane: TextPane) -> None:
        pane.show(Document([TextBlock(text=text, gap=False)]), folded=frozenset())
        assert not pane.complete, "the first screen does not wait for the last row"
        assert screen_lines(pane)[0].startswith("0000000 some words")
        await pilot.press("end")
        await complete(pilot, pane)
        assert "0499999" in "".join(screen_lines(pane)), "end is the end, once it is known"

    await with_pane(NUMBERED, check, size=(81, 24))


@pytest.mark.asyncio
async def test_a_resize_keeps_what_is_read_in_view() -> None:
    text = "\n".join(f"paragraph {n} " + "with words " * 10 for n in range(200))

    async def check(pilot: Pilot[None], pane: TextPane) -> None:
        pane.scroll_to(y=pane.rows // 2, animate=False)
        await pilot.pause()
        before = pane.place()
        await pilot.resize_terminal(60, 12)
        await pilot.pause()
        await complete(pilot, pane)
        block, offset = pane.place()
        assert block == before[0]
        assert abs(offset - before[1]) < 60

    await with_pane(Document([TextBlock(text=text)]), check)


@pytest.mark.asyncio
async def test_a_match_is_highlighted_also_where_its_line_wraps() -> None:
    async def check(pilot: Pilot[None], pane: TextPane) -> None:
        pane.set_matches(Matches(pane.document, parse_find("needle in")))
        pane.go_to_match(0)
        await pilot.pause()
        pieces = [
            segment.text for y in range(3) for segment in pane.render_line(y) if segment.style and segment.style.reverse
        ]
        assert pieces == ["needle", "in"]

    await with_pane(Document([TextBlock(text="x " * 16 + "needle in a haystack")]), check)


@pytest.mark.asyncio
async def test_a_match_inside_a_folded_block_unfolds_it() -> None:
    document = Document([TextBlock(title="thinking", text="a needle", foldable=True), TextBlock(text="hay")])

    async def check(pilot: Pilot[None], pane: TextPane) -> None:
        pane.fold(frozenset({0}))
        await pilot.pause()
        assert "a needle" not in screen_lines(pane)
        assert screen_lines(pane)[0] == "▸ thinking"
        pane.set_matches(Matches(document, parse_find("needle")))
        pane.go_to_match(0)
        await pilot.pause()
        assert screen_lines(pane)[:2] == ["▾ thinking", "a needle"]

    await with_pane(document, check)


@pytest.mark.asyncio
async def test_spans_colour_their_stretch_and_nothing_else() -> None:
    async def check(pilot: Pilot[None], pane: TextPane) -> None:
        looks = [(segment.text, bool(segment.style and segment.style.bold)) for segment in pane.render_line(0)]
        assert ("bold", True) in looks
        assert ("and not ", False) in looks

    await with_pane(Document([TextBlock(text="and not bold", spans=[StyledSpan(8, 12, "strong")])]), check)


@pytest.mark.asyncio
async def test_rules_reach_the_edge_of_the_window() -> None:
    async def check(pilot: Pilot[None], pane: TextPane) -> None:
        line = screen_lines(pane)[0]
        assert line.startswith("── user ──")
        assert len(line) == 40

    await with_pane(Document([TextBlock(title="user", rule=True)]), check)


@pytest.mark.asyncio
async def test_what_is_selected_with_the_mouse_is_the_text() -> None:
    async def check(pilot: Pilot[None], pane: TextPane) -> None:
        assert pane.get_selection(Selection(Offset(5, 1), Offset(4, 2))) == ("1\nline", "\n")

    await with_pane(NUMBERED, check)
