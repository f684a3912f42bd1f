"""What each dropdown offers, and what choosing does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.tui.runs import write_run
from tests.tui.viewer import viewing

from rollscope import record

pytestmark = pytest.mark.asyncio


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
