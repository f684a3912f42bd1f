"""The list of a run's findings over the viewer."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.runs import relax_line
from tests.tui.viewer import Viewer, viewing

from rollscope.tui.widgets.findings_screen import FindingsScreen

pytestmark = pytest.mark.asyncio


async def listed(viewer: Viewer) -> FindingsScreen:
    """Press `i` and wait for the list."""
    await viewer.press("I")
    screen = viewer.app.screen
    assert isinstance(screen, FindingsScreen)
    while screen.report is None:
        await viewer.pilot.pause(0.02)
    await viewer.settle()
    return screen


async def test_a_title_that_is_cut_in_the_list_says_so(looping: Path) -> None:
    async with viewing(looping, size=(66, 24)) as viewer:
        await listed(viewer)
        row = next(line for line in viewer.lines if "Answers end" in line)
        assert "Answers end in a loop" not in row
        assert row.rstrip("│ ▕▁▂▃▄▅▆▇█").endswith("…")


async def test_i_lists_findings_enter_goes_to_their_samples_and_escape_back(looping: Path) -> None:
    async with viewing(looping) as viewer:
        await viewer.press("n")
        before = viewer.address
        screen = await listed(viewer)
        assert screen.report is not None
        place = [finding.kind for finding in screen.report.findings].index("loop")
        await viewer.press(*["down"] * place)
        row = next(line for line in viewer.lines if "Answers end in a loop" in line)
        onset = screen.report.findings[place].onset
        assert onset is not None
        assert f" 12.5%  {onset[0]} to {onset[1]} " in row
        assert "0.375   0.375  Answers" in row  # the reward of these, and of the others
        assert "text.loop > 0" in viewer.screen()
        assert "looked at 48 samples for" in viewer.screen()

        await viewer.press("enter")
        assert (viewer.address, viewer.value("sample")) == ("train/3/2", "1 of 6")
        assert "filter text.loop > 0" in [fact for fact, _ in viewer.app.status.facts]
        await viewer.until_findings_are_known()
        assert any("Answers end in a loop" in fact for fact, _ in viewer.app.status.facts[2:])
        await viewer.press("n", "n")
        assert viewer.address == "train/4/2"

        again = await listed(viewer)
        await viewer.press("enter")  # the cursor is at the finding one came from
        assert not again.is_current
        assert viewer.address == "train/3/2"

        await viewer.press("escape")
        assert (viewer.address, viewer.value("sample")) == (before, "2 of 8")
        assert "filter" not in viewer.bottom


async def test_where_nothing_is_found_it_says_what_was_looked_at_and_what_cannot_be_known(tmp_path: Path) -> None:
    path = tmp_path / "quiet" / "train" / "0.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(relax_line(0, index, f"It is {index}.") for index in range(4)) + "\n")
    async with viewing(path.parent.parent) as viewer:
        await listed(viewer)
        assert "nothing found; looked at 4 samples for" in viewer.screen()
        assert "no token entropy was recorded" in viewer.screen()
        await viewer.press("enter")  # there is nothing to go to
        await viewer.press("escape")
        assert not isinstance(viewer.app.screen, FindingsScreen)
