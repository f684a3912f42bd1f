"""The viewer under test: the real app on a real run, driven by Textual's pilot, read as a person reads the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from rollscope.query.library import Library
from rollscope.render import parse_mask
from rollscope.tui.app import RollscopeApp
from rollscope.tui.widgets.dropdown import Dropdown


class Viewer:
    def __init__(self, app: RollscopeApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other, and wait until nothing is being read any more."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def type(self, text: str) -> None:
        await self.pilot.press(*("space" if character == " " else character for character in text))
        await self.settle()

    async def settle(self) -> None:
        for _ in range(2):
            await self.pilot.pause()
            while not self.app.settled:
                await self.pilot.pause(0.01)
        await self.pilot.pause()

    async def until_up_to_date(self) -> None:
        """Until the run is indexed and shown as it is."""
        await self.settle()
        while not (self.app.browser.up_to_date and self.app.browser.run.progress().done):
            await self.pilot.pause(0.05)
            await self.settle()

    async def until_findings_are_known(self) -> None:
        """Until the bottom line can name the findings of the open sample."""
        await self.settle()
        while not self.app.findings.knows_sample:
            await self.pilot.pause(0.05)
        self.app.show_status()
        await self.settle()

    async def choose(self, dropdown: str, typed: str) -> None:
        """Open a dropdown, type to narrow it, and take the first."""
        self.app.query_one(f"#choose-{dropdown}", Dropdown).focus()
        await self.press("enter")
        await self.type(typed)
        await self.press("enter")

    def screen(self) -> str:
        """The whole screen as text."""
        strips = self.app.screen._compositor.render_strips(self.app.size)
        assert len(strips) == self.app.size.height
        return "\n".join(strip.text.rstrip() for strip in strips)

    @property
    def lines(self) -> list[str]:
        return self.screen().split("\n")

    @property
    def top(self) -> str:
        return self.lines[0].strip()

    @property
    def bottom(self) -> str:
        return self.lines[-1].strip()

    def value(self, dropdown: str) -> str:
        return self.app.query_one(f"#choose-{dropdown}", Dropdown).value

    @property
    def address(self) -> str:
        sample = self.app.browser.state.sample
        return sample.address if sample else ""

    @property
    def text(self) -> str:
        """All text of the open document, also what is out of sight."""
        lines = (line for block in self.app.pane.document.blocks for line in (block.title, block.text) if line)
        return "\n".join(lines).replace("\u00a0", " ")


@asynccontextmanager
async def viewing(
    *paths: Path,
    size: tuple[int, int] = (100, 30),
    mask: str | None = None,
    preferences: Path | None = None,
    wait: bool = True,
    first_step: bool = True,
) -> AsyncIterator[Viewer]:
    """The viewer, opened with `--first` unless a test is about where it opens."""
    library = Library(list(paths))
    app = RollscopeApp(
        library, library.runs()[0], mask=parse_mask(mask), preferences_file=preferences, first_step=first_step
    )
    async with app.run_test(size=size) as pilot:
        viewer = Viewer(app, pilot)
        if wait:
            await viewer.until_up_to_date()
        yield viewer
