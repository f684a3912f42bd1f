"""The bottom line: the most important facts first, and no further than there is room."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from rollscope.errors import FilterError, UsageError
from rollscope.query.answers import Progress
from rollscope.tui.palette import Palette
from rollscope.tui.session.state import BrowserState
from rollscope.tui.theme import CSS
from rollscope.tui.widgets.status_line import Prompt, StatusLine, explained, progress_text, state_facts


class Line(App[None]):
    CSS = CSS

    def compose(self) -> ComposeResult:
        yield StatusLine(Palette())
        yield Prompt(Palette())


async def line_of(facts: list[tuple[str, str]], width: int) -> str:
    app = Line()
    async with app.run_test(size=(width, 4)) as pilot:
        status = app.query_one(StatusLine)
        status.show(facts, "? help")
        await pilot.pause()
        return status.render_line(0).text


@pytest.mark.asyncio
async def test_the_hint_stands_at_the_right_edge_and_facts_that_have_no_room_are_left_out() -> None:
    facts = [("filter reward < 1", "text"), ("indexing 40%", "note")]
    wide, narrow = await line_of(facts, 60), await line_of(facts, 28)
    assert wide.startswith("filter reward < 1 · indexing 40%")
    assert wide.endswith("? help")
    assert narrow.startswith("filter reward < 1")
    assert "indexing" not in narrow
    assert narrow.endswith("? help")


@pytest.mark.asyncio
async def test_a_question_shows_what_was_typed_before_and_points_at_what_is_wrong() -> None:
    app = Line()
    async with app.run_test(size=(60, 6)) as pilot:
        prompt = app.query_one(Prompt)
        assert not prompt.display
        prompt.ask("filter", "reward <")
        await pilot.pause()
        prompt.explain("a value is missing", 8)
        await pilot.pause()
        shown = "\n".join(strip.text for strip in app.screen._compositor.render_strips(app.size))
        assert "filter reward <" in shown
        rows = shown.split("\n")
        place = next(number for number, row in enumerate(rows) if "a value is missing" in row)
        assert rows[place + 1].index("▼") - rows[place].index("a value") == len("filter ") + 8
        await pilot.press("1")
        assert not app.query_one("#prompt-error").display, "typing takes the complaint away"


def test_the_state_adds_filter_indexing_and_skipped_lines() -> None:
    state = BrowserState()
    assert state_facts(state) == [] or all(look != "warning" for _, look in state_facts(state))
    state.progress = Progress(done=False, bytes_done=1, bytes_total=4, samples=1200, seconds_left=3.2)
    assert (progress_text(state.progress), "note") in state_facts(state)
    assert progress_text(state.progress) == "indexing 25% · 1,200 samples · 3 s left"


def test_an_error_is_one_line_with_what_to_do() -> None:
    assert explained(UsageError("no such file", hint="look elsewhere")) == "no such file · look elsewhere"
    assert explained(ValueError("two\nlines")).startswith("ValueError: two")
    assert "\n" not in explained(ValueError("two\nlines"))
    wrong = FilterError("a value is missing", source="reward <", position=8, hint="reward <\n        ^\nwrite one")
    assert explained(wrong) == "a value is missing · write one"
