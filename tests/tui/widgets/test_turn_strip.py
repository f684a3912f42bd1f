"""The turns of a sample in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.viewer import viewing

from rollscope import record
from rollscope.render import split_parts

pytestmark = pytest.mark.asyncio


async def test_turns_are_a_strip_and_j_k_x_go_along_it(tmp_path: Path) -> None:
    run = record.start(tmp_path, {})
    with run.iteration(0) as iteration, iteration.group(prompt="Look it up.") as group:
        said = []
        for turn in range(5):
            failed = turn == 3
            said.append(record.Message(role="assistant", parts=split_parts(f"call {turn}\n" * 30)))
            said.append(record.Message(role="tool", parts=split_parts("Error: no file" if failed else "fine")))
        group.add(response=said, reward=1.0)
    run.close()
    async with viewing(tmp_path) as viewer:
        assert "5 turns, 1 failing" in viewer.screen()
        await viewer.press("J", "J")
        assert "turn 2 of 5" in viewer.lines[1]
        await viewer.press("K")
        assert "turn 1 of 5" in viewer.lines[1]
        await viewer.press("x")
        assert "turn 4 of 5 · its text begins like an error" in viewer.lines[1]
        await viewer.press("x")
        assert "turn 4 of 5" in viewer.lines[1]
        await viewer.press("s", "g", "J", "J", "J")
        assert "turn 3 of 5" in viewer.lines[1]
        assert "call 2" in viewer.screen()
        await viewer.press("R", "J")
        assert "raw text has no turns" in viewer.screen()
