"""A run that grows, changes and breaks while one looks at it."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from tests.tui.runs import relax_line
from tests.tui.viewer import Viewer, viewing

from rollscope.query.run import Run
from rollscope.tui.session.listing import Goal, ViewListing, read_listing
from rollscope.tui.session.view import View

pytestmark = pytest.mark.asyncio


def write_step(root: Path, step: int, samples: int, text: str = "some words") -> Path:
    path = root / "train" / f"{step}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(relax_line(step, n, f"{text} {n}") + "\n" for n in range(samples)))
    return path


async def until(viewer: Viewer, seen: str, where: str) -> None:
    """Wait for the viewer to notice by itself; pytest's own timeout ends a wait in vain."""
    while seen not in (viewer.screen() if where == "visible" else getattr(viewer, where)):
        await asyncio.sleep(0.05)
        await viewer.pilot.pause()


async def test_new_samples_appear_and_what_one_reads_stays(tmp_path: Path) -> None:
    path = write_step(tmp_path, 0, 3)
    async with viewing(tmp_path) as viewer:
        await viewer.press("n")
        assert "2/3" in viewer.top
        with path.open("a") as file:
            file.write(relax_line(0, 3, "a new one") + "\n")
        await until(viewer, "2/4", "top")
        assert viewer.address == "train/0/1"


async def test_following_goes_to_a_new_step_and_not_following_stays(tmp_path: Path) -> None:
    write_step(tmp_path, 0, 2)
    async with viewing(tmp_path) as viewer:
        write_step(tmp_path, 1, 2)
        while len(viewer.app.browser.state.steps) < 2:
            await asyncio.sleep(0.05)
        await viewer.settle()
        assert viewer.address == "train/0/0"
        await viewer.press("F")
        assert viewer.address == "train/1/0"
        write_step(tmp_path, 2, 2)
        await until(viewer, "train/2/0", "address")


async def test_a_rewritten_file_is_shown_anew(tmp_path: Path) -> None:
    write_step(tmp_path, 0, 2)
    async with viewing(tmp_path) as viewer:
        assert "some words 0" in viewer.text
        write_step(tmp_path, 0, 2, text="quite other words")
        await until(viewer, "quite other words 0", "text")


async def test_a_deleted_step_leaves_its_neighbour(tmp_path: Path) -> None:
    write_step(tmp_path, 0, 2)
    gone = write_step(tmp_path, 1, 2)
    async with viewing(tmp_path) as viewer:
        await viewer.press("N")
        assert viewer.address == "train/1/0"
        gone.unlink()
        await until(viewer, "train/0/0", "address")


async def test_a_step_larger_than_one_page_is_walked_through(tmp_path: Path) -> None:
    write_step(tmp_path, 0, 600)
    async with viewing(tmp_path) as viewer:
        viewer.app.query_one("#choose-sample").focus()
        await viewer.press("enter", *["pagedown"] * 13)
        await until(viewer, "#310", "visible")
        await viewer.press("escape")
        await viewer.choose("sample", "599")
        assert viewer.address == "train/0/598"
        await viewer.press("n", "n")
        assert viewer.address == "train/0/599"
        await viewer.choose("sort", "reward desc")
        await viewer.choose("sample", "300")
        assert "300/600" in viewer.top
        await viewer.press("p")
        assert "299/600" in viewer.top


async def test_a_run_that_begins_while_one_looks_joins_the_list(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    write_step(tmp_path / "first", 0, 2)
    async with viewing(tmp_path) as viewer:
        assert not viewer.app.query_one("#choose-run").display
        (tmp_path / "second").mkdir()
        write_step(tmp_path / "second", 0, 2)
        while not viewer.app.query_one("#choose-run").display:
            await asyncio.sleep(0.05)
        await viewer.settle()
        await viewer.choose("run", "second")
        assert viewer.app.browser.run.name == "second"


async def test_a_look_at_the_disk_never_calls_one_back(run_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with viewing(run_path) as viewer:
        gate = threading.Event()

        def slowly(run: Run, view: View, goal: Goal) -> ViewListing:
            gate.wait(60)
            return read_listing(run, view, goal)

        monkeypatch.setattr("rollscope.tui.session.browser.read_listing", slowly)
        await viewer.pilot.press("r", "n")
        await until(viewer, "train/0/1", "address")
        gate.set()
        await viewer.settle()
        assert viewer.address == "train/0/1"
        assert "2/8" in viewer.top
