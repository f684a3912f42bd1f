"""Tokens, the group as a tree and two samples word by word, by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.viewer import viewing

pytestmark = pytest.mark.asyncio


async def test_v_shows_the_group_as_a_tree(recorded_path: Path) -> None:
    async with viewing(recorded_path) as viewer:
        await viewer.press("t")
        screen = viewer.screen()
        assert "3 × 0.3333  so" in screen
        assert "2 × 0.5  we add and get" in screen
        assert "◀ rewards differ most here, by 1" in screen
        await viewer.press("escape")
        assert "the group as a tree" not in viewer.screen()


async def test_x_marks_a_sample_and_shows_it_beside_another(recorded_path: Path) -> None:
    async with viewing(recorded_path) as viewer:
        await viewer.press("d")
        assert "train/0/0 is marked" in viewer.bottom
        await viewer.press("n", "d")
        assert "get [-4-]{+5+}" in viewer.screen()
        assert "5 words in both; 6 and 6 in each" in viewer.screen()
