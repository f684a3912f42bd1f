"""The viewer as a whole: what it remembers, and how it fits its window."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.viewer import viewing

pytestmark = pytest.mark.asyncio


async def test_how_one_reads_is_remembered(run_path: Path, tmp_path: Path) -> None:
    preferences = tmp_path / "terminal.json"
    async with viewing(run_path, preferences=preferences) as viewer:
        await viewer.press("s", "e", "b", "w")
    async with viewing(run_path, preferences=preferences) as viewer:
        assert "── prompt ─" in viewer.screen()
        assert not viewer.app.sidebar.display
        assert "no wrap" in viewer.bottom
        await viewer.press("s")
        assert "▸ thinking" in viewer.screen()


async def test_in_a_narrow_window_the_sample_has_all_the_room_until_the_sidebar_is_asked_for(run_path: Path) -> None:
    async with viewing(run_path, size=(80, 24)) as viewer:
        assert not viewer.app.sidebar.display
        await viewer.press("b")
        assert viewer.app.sidebar.display
        assert viewer.app.preferences.sidebar, "a narrow window changes nothing for a wide one"
    async with viewing(run_path, size=(120, 24)) as viewer:
        assert viewer.app.sidebar.display


async def test_a_note_goes_with_the_next_key(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("p")
        assert "first sample" in viewer.bottom
        await viewer.press("n")
        assert "first sample" not in viewer.bottom


async def test_ctrl_c_says_how_to_leave(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("ctrl+c")
        assert "q quits" in viewer.bottom
