"""Text that wants to be more than text, values that are none, and lines that are too long."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event

import pytest
from tests.fixtures import fixture_path
from tests.tui.runs import relax_line
from tests.tui.viewer import viewing
from textual.widgets import Static

from rollscope.tui.session.background_jobs import Finished, _Job

pytestmark = pytest.mark.asyncio


def write(root: Path, *lines: str) -> Path:
    path = root / "train" / "0.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return root


async def test_markup_in_text_names_and_statuses_is_text(tmp_path: Path) -> None:
    evil = "[bold red]x[/] [@click=app.quit]y[/] [/nothing]"
    write(tmp_path, relax_line(0, 0, evil, status=evil, **{evil: 1.0}))
    async with viewing(tmp_path) as viewer:
        assert evil in viewer.text
        await viewer.press("s", "exclamation_mark", "escape", "f")
        await viewer.type("[bold")
        await viewer.press("enter")
        assert "find [bold: 1 of" in viewer.bottom


async def test_values_that_are_no_numbers_are_named(tmp_path: Path) -> None:
    nan = relax_line(0, 0, "text").replace('"reward": 0.0', '"reward": NaN')
    infinite = relax_line(0, 1, "text").replace('"reward": 0.25', '"reward": -Infinity')
    write(tmp_path, nan, infinite, relax_line(0, 2, "text"), relax_line(0, 3, "text", reward=None))
    async with viewing(tmp_path) as viewer:
        assert "reward NaN" in viewer.top
        await viewer.press("n")
        assert "reward -Infinity" in viewer.top
        await viewer.press("n", "n")
        assert "reward –" in viewer.top


async def test_masks_count_runs_and_can_be_turned_off(tmp_path: Path) -> None:
    pads = "<|image_pad|>" * 96
    write(tmp_path, relax_line(0, 0, f"seen {pads} there"))
    async with viewing(tmp_path) as viewer:
        assert "seen *×96 there" in viewer.text
        await viewer.press("R")
        assert pads in viewer.text, "raw shows what is there"
    async with viewing(tmp_path, mask="") as viewer:
        assert pads in viewer.text
    async with viewing(tmp_path, mask="seen|there") as viewer:
        assert "*×1" in viewer.text


async def test_a_response_of_twenty_megabytes_is_found_in_and_paged_through(tmp_path: Path) -> None:
    words = "".join(f"{n:07} some words of a very long answer\n" for n in range(500_000))
    write(tmp_path, relax_line(0, 0, words + "the needle"), relax_line(0, 1, "short"))
    async with viewing(tmp_path, size=(80, 24)) as viewer:
        assert "0000000 some words" in viewer.screen()
        await viewer.press("j")
        assert "0000000 some words" not in viewer.screen()
        await viewer.press("f")
        await viewer.type("needle")
        await viewer.press("enter")
        assert "the needle" in viewer.screen()
        assert "find needle: 1 of 1" in viewer.bottom
        await viewer.press("g", "n")
        assert viewer.address == "train/0/1"


async def test_a_record_nested_deeper_than_python_likes_opens_in_every_view(tmp_path: Path) -> None:
    deep = "[" * 900 + "]" * 900
    line = relax_line(0, 0, "text").removesuffix("}") + f', "deep": {deep}}}'
    write(tmp_path, line)
    async with viewing(tmp_path) as viewer:
        assert "text" in viewer.text
        viewer.app.preferences.fields["record.deep"] = True
        await viewer.press("s", "R", "r")
        assert viewer.address == "train/0/0"


async def test_an_empty_run_says_so_and_fills_as_samples_come(tmp_path: Path) -> None:
    write(tmp_path, relax_line(0, 0, "one"))
    async with viewing(tmp_path) as viewer:
        await viewer.press("D")
        assert "No sample of step 0 is shown (discarded)" in viewer.text
        await viewer.press("n", "p", "N", "]", "s", "c", "E", "e", "m", "f", "escape")
        await viewer.press("D")
        assert viewer.address == "train/0/0"


async def test_what_is_read_while_quitting_is_shown_nowhere(tmp_path: Path) -> None:
    write(tmp_path, relax_line(0, 0, "one"))
    async with viewing(tmp_path) as viewer:
        app = viewer.app
        shown: list[object] = []

        class LastWord(Static):
            """Goes before the rest of the screen, and the next look at the disk is answered just then."""

            def on_unmount(self) -> None:
                app._finished(Finished(app.small_jobs, _Job(str, shown.append, shown.append, Event()), "read", None))

        await app.sidebar.mount(LastWord())
    assert shown == []


@pytest.mark.parametrize("name", ["relax", "relax_hazards", "tinker_flat", "verl"])
async def test_runs_of_real_trainers_are_read_step_by_step(name: str) -> None:
    async with viewing(fixture_path(name), size=(80, 24)) as viewer:
        steps = [row.step for row in viewer.app.browser.state.steps]
        assert steps
        for step in steps[:6]:
            assert f"step {step}" in viewer.top
            await viewer.press("s", "G", "s", "g", "n", "e", "R", "R", "N")
        for split in viewer.app.browser.state.splits[1:3]:
            viewer.app.browser.choose_split(split)
            await viewer.settle()
            assert viewer.address.startswith(f"{split}/")


async def test_a_sample_that_vanishes_is_one_line_and_no_crash(tmp_path: Path) -> None:
    write(tmp_path, relax_line(0, 0, "one"), relax_line(0, 1, "two"))
    async with viewing(tmp_path) as viewer:
        (tmp_path / "train" / "0.jsonl").write_text(json.dumps({"no": "sample"}) + "\n")
        await viewer.press("n")
        await viewer.press("r")
        assert viewer.app.is_running


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (80, 24), (240, 70)])
async def test_every_screen_fits_a_window_of_any_size(run_path: Path, size: tuple[int, int]) -> None:
    async with viewing(run_path, size=size) as viewer:
        for keys in (
            "n",
            "s",
            "?",
            "escape",
            "exclamation_mark",
            "escape",
            "f",
            "escape",
            "/",
            "escape",
            "tab",
            "enter",
            "escape",
            "b",
        ):
            await viewer.press(keys)
            assert len(viewer.lines) == size[1]
        await viewer.pilot.resize_terminal(60, 20)
        await viewer.settle()
        assert len(viewer.lines) == 20
        assert viewer.address == "train/0/1"


async def test_a_timer_that_fires_while_the_viewer_closes_does_no_harm(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        app = viewer.app
    app._tick()
