"""What is worth reading, by keys: the list, the samples of one finding, and back."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.tui.runs import relax_line
from tests.tui.viewer import viewing

pytestmark = pytest.mark.asyncio

LOOP = "Let me see. " + "wait, no. " * 60


@pytest.fixture
def looping(tmp_path: Path) -> Path:
    """From step 3 on, two of eight samples end in a loop."""
    folder = tmp_path / "looping" / "train"
    folder.mkdir(parents=True)
    for step in range(6):
        said = [LOOP if step >= 3 and index in (2, 5) else f"It is {step + index}." for index in range(8)]
        lines = [relax_line(step, index, text) for index, text in enumerate(said)]
        (folder / f"{step}.jsonl").write_text("\n".join(lines) + "\n")
    return folder.parent


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
