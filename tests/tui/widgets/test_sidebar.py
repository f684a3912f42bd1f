"""The dropdowns, the reward line and the list of fields."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.runs import relax_line
from tests.tui.viewer import Viewer, viewing

from rollscope.tui.widgets.dropdown import PickScreen
from rollscope.tui.widgets.sidebar import FieldList, FieldRows
from rollscope.tui.widgets.sparkline import Sparkline
from rollscope.userdata.preferences import load_preferences

pytestmark = pytest.mark.asyncio


async def test_the_step_list_shows_every_step_with_its_size_and_mean_reward(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        viewer.app.query_one("#choose-step").focus()
        await viewer.press("enter")
        assert isinstance(viewer.app.screen, PickScreen)
        rows = [line for line in viewer.lines if "8 samples" in line]
        assert len(rows) == 6
        assert "0.25" in rows[0]
        assert "4 discarded" in rows[0]
        await viewer.press("down", "down", "enter")
        assert viewer.address == "train/2/0"


async def test_one_run_needs_no_list_of_runs(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        assert not viewer.app.query_one("#choose-run").display


async def test_enter_on_the_reward_line_goes_to_the_step_under_its_cursor(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        line = viewer.app.query_one(Sparkline)
        assert "▁▂▄▅▇█" in viewer.screen()
        line.focus()
        await viewer.press("l", "l", "l", "h")
        assert "step 2 · reward 0.41" in viewer.screen()
        await viewer.press("enter")
        assert viewer.address == "train/2/0"


async def test_a_click_on_the_reward_line_goes_there(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.pilot.click(Sparkline, offset=(4, 0))
        await viewer.settle()
        assert viewer.address == "train/4/0"


async def test_steps_without_a_reward_are_dots(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    for step in range(3):
        reward = None if step == 1 else float(step)
        line = relax_line(step, 0, "text", reward=reward)
        (tmp_path / "train" / f"{step}.jsonl").write_text(line + "\n")
    async with viewing(tmp_path) as viewer:
        assert "▁·█" in viewer.screen()


def fields_of(viewer: Viewer) -> list[str]:
    rows = viewer.app.query_one(FieldList).rows
    assert isinstance(rows, FieldRows)
    return rows.names


async def toggle(viewer: Viewer, name: str) -> None:
    fields = viewer.app.query_one(FieldList)
    fields.focus()
    fields.move_cursor(fields_of(viewer).index(name))
    await viewer.press("space")


async def test_a_field_is_shown_and_hidden_and_that_is_remembered(run_path: Path, tmp_path: Path) -> None:
    preferences = tmp_path / "terminal.json"
    async with viewing(run_path, preferences=preferences) as viewer:
        assert "advantage -1.5" in viewer.text
        await toggle(viewer, "advantage")
        assert "advantage -1.5" not in viewer.text
        await toggle(viewer, "prompt")
        assert "What is 12 × 7?" not in viewer.text
    assert load_preferences(preferences).fields == {"advantage": False, "prompt": False}
    async with viewing(run_path, preferences=preferences) as viewer:
        assert "advantage -1.5" not in viewer.text
        await toggle(viewer, "advantage")
        assert "advantage -1.5" in viewer.text


async def test_the_list_has_all_fields_also_those_hidden_at_first(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        names = fields_of(viewer)
        assert {"prompt", "response", "golden_answers", "reward", "metrics.correct", "source.file"} <= set(names)
        assert any(name.startswith("record.") for name in names)
        await viewer.press("s")
        assert "train_iteration_000000_rollouts.jsonl" not in viewer.text
        await toggle(viewer, "source.file")
        assert "train_iteration_000000_rollouts.jsonl" in viewer.text
