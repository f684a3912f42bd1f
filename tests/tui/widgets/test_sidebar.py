"""The dropdowns, the reward line and the list of fields."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.tui.runs import relax_line, write_run
from tests.tui.viewer import Viewer, viewing

from rollscope import record
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


async def test_the_sample_list_goes_to_a_position(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.choose("sample", "6")
        assert viewer.address == "train/0/5"
        assert viewer.value("sample") == "6 of 8"


async def test_splits_are_training_first_then_every_eval_set(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        assert viewer.app.browser.state.splits == ["train", "eval/aime24", "eval/gsm8k"]
        await viewer.choose("split", "gsm")
        assert viewer.address == "eval/gsm8k/0/0"
        assert viewer.top.startswith("eval/gsm8k  step 0")


async def test_the_dataset_list_is_there_with_eval_data_and_goes_to_another_set(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        dataset = viewer.app.query_one("#choose-dataset")
        assert not dataset.display
        await viewer.choose("split", "aime")
        assert dataset.display
        assert viewer.value("dataset") == "aime24"
        await viewer.choose("dataset", "gsm8k")
        assert viewer.address == "eval/gsm8k/0/0"


async def test_datasets_of_training_data_filter_it(tmp_path: Path) -> None:
    run = record.start(tmp_path / "run", {})
    with run.iteration(0) as iteration, iteration.group(prompt="Say something.") as group:
        for n in range(8):
            group.add(response="text", reward=1.0, dataset="easy" if n % 2 else "hard")
    run.close()
    async with viewing(tmp_path) as viewer:
        await viewer.choose("dataset", "easy")
        assert viewer.address == "train/0/1"
        assert "1/4" in viewer.top
        await viewer.choose("dataset", "all")
        assert "1/8" in viewer.top


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("reward asc", "train/0/0"),
        ("reward desc", "train/0/3"),
        ("response_length asc", "train/0/3"),
        ("metrics.length desc", "train/0/3"),
        ("index desc", "train/0/7"),
    ],
)
async def test_samples_sort_by_any_number_up_and_down(run_path: Path, typed: str, first: str) -> None:
    async with viewing(run_path) as viewer:
        await viewer.choose("sort", typed)
        assert viewer.address == first
        assert "1/8" in viewer.top


async def test_every_numeric_field_of_the_step_can_be_sorted_by(run_path: Path) -> None:
    async with viewing(run_path, size=(100, 60)) as viewer:
        viewer.app.query_one("#choose-sort").focus()
        await viewer.press("enter")
        for name in ("index", "reward", "response_length", "advantage", "completion_tokens", "metrics.correct"):
            assert f"{name} ↑" in viewer.screen()
            assert f"{name} ↓" in viewer.screen()


async def test_the_show_list_chooses_discarded_samples(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.choose("show", "discarded")
        assert viewer.address == "train/0/8"
        await viewer.choose("show", "all")
        assert "1/12" in viewer.top


async def test_runs_under_a_root_are_chosen_by_name(tmp_path: Path, run_path: Path) -> None:
    shutil.copytree(run_path, tmp_path / "first")
    write_run(tmp_path / "second", steps=2)
    async with viewing(tmp_path) as viewer:
        assert viewer.value("run") == "first"
        await viewer.choose("run", "second")
        assert viewer.app.browser.run.name == "second"
        assert len(viewer.app.browser.state.steps) == 2
        assert viewer.address == "train/0/0"


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


async def test_how_one_reads_is_remembered(run_path: Path, tmp_path: Path) -> None:
    preferences = tmp_path / "terminal.json"
    async with viewing(run_path, preferences=preferences) as viewer:
        await viewer.press("s", "t", "b", "w")
    async with viewing(run_path, preferences=preferences) as viewer:
        assert "── prompt ─" in viewer.screen()
        assert not viewer.app.sidebar.display
        assert "no wrap" in viewer.bottom
        await viewer.press("s")
        assert "▸ thinking" in viewer.screen()
