"""Screens that cover the viewer for a moment: help, and what could not be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.viewer import viewing

from rollscope.model import Skipped
from rollscope.query.answers import DoctorReport
from rollscope.tui.keys import SECTIONS
from rollscope.tui.widgets.text_screen import help_document, skipped_document


def test_help_names_every_key() -> None:
    shown = [block.label.strip() for block in help_document().blocks]
    for section in SECTIONS:
        for binding in section.bindings:
            assert (binding.key_display or binding.key) in shown


def test_what_was_skipped_is_listed_and_what_is_not_listed_is_counted() -> None:
    report = DoctorReport(
        run="r",
        path="p",
        format="relax",
        confidence=0.9,
        reasons=["names agree"],
        others=[],
        splits=[],
        limits=["No advantages."],
        skipped=[Skipped(file="a.jsonl", line=3, reason="torn")],
        skipped_total=9,
        unclaimed=[],
        unclaimed_total=0,
        warnings=[],
    )
    blocks = skipped_document(report).blocks
    titles = [block.title for block in blocks]
    text = "\n".join(block.text or "" for block in blocks)
    assert "relax, 90% sure\nnames agree" in text
    assert "a.jsonl:3: torn" in text
    assert "8 more: rollscope doctor lists them" in text
    assert "What this format does not tell" in titles
    assert "Warnings" not in titles, "an empty part is left out"


@pytest.mark.asyncio
async def test_help_opens_over_the_sample_scrolls_and_closes(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        before = viewer.screen()
        await viewer.press("question_mark")
        first = viewer.screen()
        assert "esc closes" in first
        await viewer.press("j")
        assert viewer.screen() != first
        await viewer.press("escape")
        assert viewer.screen() == before
