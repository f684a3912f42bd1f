"""Keys that move through a sample and say how it is read, on a real run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.viewer import viewing

pytestmark = pytest.mark.asyncio


async def test_s_switches_between_text_and_table(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        assert "── assistant ─" in viewer.screen()
        await viewer.press("s")
        assert "metrics.correct    0" in viewer.screen()
        assert "── assistant ─" not in viewer.screen()
        await viewer.press("s")
        assert "── assistant ─" in viewer.screen()


async def test_t_folds_thinking_and_find_unfolds_what_it_finds(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        assert "Let me see." in viewer.screen()
        await viewer.press("e")
        assert "Let me see." not in viewer.screen()
        assert "▸ thinking" in viewer.screen()
        await viewer.press("f")
        await viewer.type("Let me")
        await viewer.press("enter")
        assert "Let me see." in viewer.screen()
        await viewer.press("e", "e")
        assert "▸ thinking" in viewer.screen()


async def test_m_renders_markdown(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        assert "**80**" in viewer.screen()
        await viewer.press("m")
        assert "**80**" not in viewer.screen()
        assert "The answer is 80" in viewer.screen()
        await viewer.press("m")
        assert "**80**" in viewer.screen()


async def test_capital_r_shows_the_raw_text(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        assert "<think>" not in viewer.screen()
        await viewer.press("R")
        assert "<think>" in viewer.screen()
        assert "[user]" in viewer.screen()
        assert "[assistant]" in viewer.screen()
        assert "raw" in viewer.bottom


async def test_j_k_g_and_capital_g_page_through_the_text(run_path: Path) -> None:
    async with viewing(run_path, size=(80, 14)) as viewer:
        pane = viewer.app.pane
        await viewer.press("j")
        assert pane.scroll_offset.y > 3
        await viewer.press("k")
        assert pane.scroll_offset.y == 0
        await viewer.press("G")
        assert pane.scroll_offset.y == pane.max_scroll_y > 0
        await viewer.press("g")
        assert pane.scroll_offset.y == 0


async def test_h_and_l_page_sideways_when_lines_are_not_wrapped(run_path: Path) -> None:
    async with viewing(run_path, size=(60, 20)) as viewer:
        await viewer.press("w")
        assert "no wrap" in viewer.bottom
        await viewer.press("l")
        assert viewer.app.pane.scroll_offset.x > 0
        await viewer.press("h")
        assert viewer.app.pane.scroll_offset.x == 0


async def test_a_hint_about_wrapping_goes_when_wrapping_changes(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("l")
        assert "w turns that off" in viewer.bottom
        await viewer.press("w")
        assert "w turns that off" not in viewer.bottom
