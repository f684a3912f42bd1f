"""Find and filter by keys, on a real run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.viewer import viewing
from textual.widgets import Input

pytestmark = pytest.mark.asyncio


async def test_slash_filters_in_the_filter_language(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("/")
        await viewer.type('status = "truncated" and reward > 0.1')
        await viewer.press("enter")
        assert "1/2" in viewer.top
        assert "truncated" in viewer.top
        assert 'filter status = "truncated"' in viewer.bottom
        await viewer.press("i", "ctrl+u", "enter")  # as on the page
        assert "1/8" in viewer.top


async def test_a_wrong_filter_is_explained_where_it_is_typed_and_changes_nothing(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("n", "/")
        await viewer.type("rewrd < 1")
        await viewer.press("enter")
        assert "did you mean reward" in viewer.screen()
        assert viewer.app.query_one("#prompt-input", Input).has_focus
        assert viewer.address == "train/0/1"
        pointer = next(line for line in viewer.lines if "▼" in line)
        typed = next(line for line in viewer.lines if "filter rewrd" in line)
        assert pointer.index("▼") == typed.index("rewrd")
        await viewer.press("escape")
        assert "did you mean" not in viewer.screen()
        assert viewer.app.pane.has_focus


async def test_backspace_goes_back_and_escape_clears_the_search(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("f")
        await viewer.type("e")
        await viewer.press("enter", "enter", "enter", "backspace")
        assert "find e: 2 of" in viewer.bottom
        await viewer.press("escape")
        assert "find" not in viewer.bottom
        assert viewer.app.pane.matches is None


async def test_keys_typed_in_one_burst_after_f_go_into_the_box(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.pilot.press("f", *"splint", "enter")
        await viewer.settle()
        assert "splint" in viewer.bottom
        assert not viewer.app.preferences.table, "the s of the search text is no key"
