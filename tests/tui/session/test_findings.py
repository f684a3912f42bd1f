"""What is worth reading, by keys: the list, the samples of one finding, and back."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.tui.viewer import viewing

pytestmark = pytest.mark.asyncio


async def test_the_list_says_how_far_texts_are_read_and_does_not_keep_anybody(
    looping: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    async with viewing(looping) as viewer:
        run = viewer.app.browser.run
        report = run.findings_report
        monkeypatch.setattr(run, "findings_report", lambda: (release.wait(60), report())[1])
        await viewer.press("I")
        while "esc closes this" not in viewer.screen():
            await viewer.pilot.pause(0.02)
        assert "I shows" in viewer.screen()
        await viewer.press("escape", "n")
        assert viewer.address == "train/0/1"
        await viewer.press("I")
        release.set()
        while "Answers end in a loop" not in viewer.screen():
            await viewer.pilot.pause(0.02)
