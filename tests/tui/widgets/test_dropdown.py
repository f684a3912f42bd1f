"""One line that names a choice, and the list that opens from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.viewer import viewing

from rollscope.tui.widgets.dropdown import PickScreen

pytestmark = pytest.mark.asyncio


async def test_typing_a_number_picks_that_step(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.choose("step", "4")
        assert viewer.address == "train/4/0"
        assert viewer.value("step") == "4"


async def test_escape_closes_a_list_and_changes_nothing(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        viewer.app.query_one("#choose-step").focus()
        await viewer.press("enter", "down", "escape")
        assert not isinstance(viewer.app.screen, PickScreen)
        assert viewer.address == "train/0/0"
