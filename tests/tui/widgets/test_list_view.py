"""A list draws only the rows in its window, and keeps its cursor in view."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from rollscope.tui.palette import Palette
from rollscope.tui.theme import CSS
from rollscope.tui.widgets.list_view import ListView, Pieces

pytestmark = pytest.mark.asyncio


class Numbers:
    """100,000 rows that note which of them were asked for."""

    def __init__(self) -> None:
        self.asked: set[int] = set()

    def __len__(self) -> int:
        return 100_000

    def pieces(self, index: int) -> Pieces:
        self.asked.add(index)
        return [(f"row {index}", "text")]


class Window(App[None]):
    CSS = CSS

    def __init__(self) -> None:
        super().__init__()
        self.chosen: list[int] = []

    def compose(self) -> ComposeResult:
        yield ListView(Palette(), id="rows")

    def on_list_view_chosen(self, event: ListView.Chosen) -> None:
        self.chosen.append(event.index)


def shown(app: Window) -> list[str]:
    return [strip.text.strip() for strip in app.screen._compositor.render_strips(app.size)]


async def test_only_rows_in_the_window_are_asked_for() -> None:
    app, rows = Window(), Numbers()
    async with app.run_test(size=(30, 10)) as pilot:
        view = app.query_one(ListView)
        view.focus()
        view.show(rows, 50_000)
        await pilot.pause()
        assert "row 50000" in shown(app)
        assert len(rows.asked) < 50


async def test_keys_move_the_cursor_and_stop_at_the_ends() -> None:
    app = Window()
    async with app.run_test(size=(30, 10)) as pilot:
        view = app.query_one(ListView)
        view.focus()
        view.show(Numbers())
        for keys, cursor in (("up", 0), ("down", 1), ("pagedown", 10), ("end", 99_999), ("down", 99_999), ("home", 0)):
            await pilot.press(keys)
            assert view.cursor == cursor, keys
            await pilot.pause()
            assert f"row {cursor}" in shown(app)


async def test_enter_and_a_click_choose_a_row() -> None:
    app = Window()
    async with app.run_test(size=(30, 10)) as pilot:
        view = app.query_one(ListView)
        view.focus()
        view.show(Numbers(), 3)
        await pilot.press("enter")
        await pilot.click(ListView, offset=(2, 5))
        await pilot.pause()
        assert app.chosen == [3, 5]


async def test_an_empty_list_has_nothing_to_choose() -> None:
    app = Window()
    async with app.run_test(size=(30, 10)) as pilot:
        app.query_one(ListView).focus()
        await pilot.press("enter", "down")
        assert (app.chosen, app.query_one(ListView).cursor) == ([], 0)
