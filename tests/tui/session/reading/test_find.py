"""Finding: in the open sample, then on into the following ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.viewer import viewing

pytestmark = pytest.mark.asyncio


async def test_f_finds_in_the_sample_and_enter_goes_on_into_the_following_ones(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("f")
        await viewer.type("twelve")
        await viewer.press("enter")
        assert viewer.address == "train/0/0"
        assert "find twelve: 1 of 1" in viewer.bottom
        await viewer.press("enter")
        assert viewer.address == "train/0/1"
        assert "find twelve: 1 of 1" in viewer.bottom


async def test_what_is_not_in_the_sample_is_found_in_later_samples_and_steps(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("f")
        await viewer.type("zebra")
        await viewer.press("enter")
        assert viewer.address == "train/0/6"
        await viewer.press("enter")
        assert viewer.address == "train/3/3"
        await viewer.press("enter")
        assert viewer.address == "train/0/6", "after the end it goes on from the beginning"


async def test_find_follows_the_order_and_the_filter_of_the_view(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.choose("sort", "reward desc")
        await viewer.press("/")
        await viewer.type("metrics.correct = 0")
        await viewer.press("enter", "f")
        await viewer.type("answer is")
        await viewer.press("enter")
        found = [viewer.address]
        for _ in range(3):
            await viewer.press("enter")
            found.append(viewer.address)
        assert found == ["train/0/2", "train/0/6", "train/0/0", "train/0/4"]


async def test_a_capital_makes_find_look_at_case(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("f")
        await viewer.type("Twelve")
        await viewer.press("enter")
        assert viewer.address == "train/0/0"
        assert "no match in any sample" in viewer.bottom


async def test_find_takes_a_regular_expression_after_a_slash(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("f")
        await viewer.type(r"/try [23]")
        await viewer.press("enter")
        assert viewer.address == "train/0/2"
        await viewer.press("f", "ctrl+u")
        await viewer.type("/(")
        await viewer.press("enter")
        assert "not a regular expression" in viewer.screen()


async def test_find_goes_through_all_steps_in_the_order_of_the_list(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("a")
        await viewer.choose("sort", "reward desc")
        await viewer.press("f")
        await viewer.type("zebra")
        await viewer.press("enter")
        assert viewer.address == "train/3/3"
        await viewer.press("enter")
        assert viewer.address == "train/0/6"


async def test_what_is_looked_for_before_the_run_is_open_is_found_when_it_is(run_path: Path) -> None:
    async with viewing(run_path, wait=False) as viewer:
        await viewer.pilot.press("f", *"zebra", "enter")
        await viewer.until_up_to_date()
        assert viewer.address == "train/0/6"
