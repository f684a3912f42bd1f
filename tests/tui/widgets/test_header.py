"""The top line: what the sample got, as far as there is room."""

from __future__ import annotations

from rich.style import Style
from tests.tui.rows import step_row

from rollscope.model import Sample
from rollscope.tui.palette import Palette
from rollscope.tui.session.sample_order import SampleOrder
from rollscope.tui.session.state import BrowserState
from rollscope.tui.session.view import View
from rollscope.tui.widgets.header import facts, fitted


def test_the_top_line_leaves_out_the_least_important_first() -> None:
    found = [(0, "step 12", Style.null()), (9, "environment", Style.null()), (1, "3/64", Style.null())]
    assert [text for text, _ in fitted(found, 80)] == ["step 12", "environment", "3/64"]
    assert [text for text, _ in fitted(found, 15)] == ["step 12", "3/64"]
    assert [text for text, _ in fitted(found, 4)] == ["ste…"]


def test_the_top_line_says_what_the_sample_got() -> None:
    state = BrowserState(
        view=View(step=12), steps=[step_row(12, 0.0), step_row(13, 1.0)], order=SampleOrder(64), position=2
    )
    state.sample = Sample(
        step=12,
        group=4,
        reward=0.75,
        advantage=-0.5,
        status="truncated",
        discard_reason="zero\x1badvantage",
        completion_tokens=1234,
    )
    line = "  ".join(text for _, text, _ in facts(state, Palette()))
    assert line == "step 12  3/64  group 4   reward 0.75 ▇   adv -0.5   zero␛advantage   truncated  1,234 tok"
