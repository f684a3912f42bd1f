"""Keys that go from sample to sample, on a real run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.viewer import viewing

pytestmark = pytest.mark.asyncio


async def test_n_and_p_go_from_sample_to_sample_and_stop_at_the_ends(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("n", "n", "p")
        assert viewer.address == "train/0/1"
        await viewer.press("p", "p")
        assert viewer.address == "train/0/0"
        assert "first sample" in viewer.bottom
        await viewer.press(*["n"] * 9)
        assert viewer.address == "train/0/7"
        assert "last sample" in viewer.bottom


async def test_capital_n_and_p_go_from_step_to_step(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("n", "N")
        assert viewer.address == "train/1/0"
        await viewer.press("P", "P")
        assert viewer.address == "train/0/0"
        assert "first step" in viewer.bottom


async def test_brackets_go_from_group_to_group(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("]")
        assert viewer.address == "train/0/4"
        await viewer.press("]")
        assert "last group" in viewer.bottom
        await viewer.press("[")
        assert viewer.address in ("train/0/0", "train/0/3")


async def test_d_goes_round_kept_discarded_all(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("D")
        assert viewer.value("show") == "discarded"
        assert "1/4" in viewer.top
        assert "zero_advantage" in viewer.top
        await viewer.press("D")
        assert "1/12" in viewer.top
        await viewer.press("D")
        assert "1/8" in viewer.top


async def test_capital_f_follows_the_newest_step(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("F")
        assert viewer.address == "train/5/0"
        assert "follow" in viewer.bottom
        await viewer.press("F")
        assert not viewer.app.browser.state.follow


async def test_r_reads_again_and_says_what_came_of_it(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("n", "r")
        assert viewer.address == "train/0/1"
        assert "nothing new on disk" in viewer.bottom


async def test_a_lists_all_steps_and_stays_at_the_sample(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("N", "n")
        assert viewer.address == "train/1/1"
        await viewer.press("a")
        assert viewer.address == "train/1/1"
        assert "all steps · step 1  10/48" in viewer.top
        assert viewer.value("step") == "all"
        await viewer.press("P")
        assert viewer.address == "train/0/0"
        await viewer.choose("sort", "reward desc")
        best = viewer.address
        assert best.startswith("train/5/")
        await viewer.press("a")
        assert viewer.address == best
        assert viewer.top.startswith("step 5")
