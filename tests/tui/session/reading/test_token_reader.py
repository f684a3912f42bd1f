"""Reading a sample token by token."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.viewer import viewing

pytestmark = pytest.mark.asyncio


async def test_tokens_are_coloured_by_one_value_after_the_other(recorded_path: Path) -> None:
    async with viewing(recorded_path) as viewer:
        await viewer.press("T")
        assert "6 tokens by ratio" in viewer.screen()
        assert "token 1 of 6 'so ' · sampler -0.1 · trainer -0.1 · ratio 1" in viewer.bottom
        spans = viewer.app.pane.document.blocks[0].spans
        assert [(span.start, span.end, span.look) for span in spans] == [(6, 10, "token.4")]
        await viewer.press("T")
        assert "6 tokens by sampler's log-probability" in viewer.screen()
        await viewer.press("T", "T")
        assert "tokens by" not in viewer.screen()


async def test_o_goes_to_the_outlier_and_the_line_below_says_its_values(recorded_path: Path) -> None:
    async with viewing(recorded_path) as viewer:
        await viewer.press("o")
        assert "T shows the tokens" in viewer.bottom
        await viewer.press("T", "o")
        assert "token 3 of 6 'add '" in viewer.bottom
        assert "ratio 0.2466" in viewer.bottom
        await viewer.press("o")
        assert "no further outlier; there is 1 in this sample" in viewer.bottom
        await viewer.press("escape", "full_stop")
        assert "token 4 of 6 'and '" in viewer.bottom
        await viewer.press("comma", "comma")
        assert "token 2 of 6 'we '" in viewer.bottom


async def test_a_sample_without_values_is_read_as_text(recorded_path: Path) -> None:
    async with viewing(recorded_path) as viewer:
        await viewer.press("T", "n", "n")
        assert "so I guess 7" in viewer.screen()
        await viewer.press("T")
        assert "no values are recorded" in viewer.bottom
