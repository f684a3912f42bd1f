"""Every key does what its line in the help says, on a real run."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
from tests.tui.runs import relax_line
from tests.tui.viewer import viewing

from rollscope.tui import keys
from rollscope.tui.widgets.sidebar import FieldList
from rollscope.tui.widgets.sparkline import Sparkline
from rollscope.tui.widgets.text_pane import TextPane
from rollscope.tui.widgets.text_screen import TextScreen

pytestmark = pytest.mark.asyncio


async def test_first_opens_on_the_first_sample_of_the_first_step(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        assert viewer.address == "train/0/0"
        assert viewer.top == "step 0  1/8  group 0   reward 0 ▁   adv -1.5  completed  100 tok  prompt 20  arithmetic"
        assert "What is 12 × 7?" in viewer.screen()


async def test_tab_and_arrows_move_between_widgets(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        assert isinstance(viewer.app.focused, TextPane)
        await viewer.press("tab")
        assert viewer.app.focused is not None
        assert viewer.app.focused.id == "choose-split"
        await viewer.press("right")
        assert viewer.app.focused.id == "choose-step"
        await viewer.press("left", "left")
        assert isinstance(viewer.app.focused, TextPane)
        await viewer.press("left")
        assert isinstance(viewer.app.focused, FieldList)
        await viewer.press("shift+tab")
        assert isinstance(viewer.app.focused, Sparkline)


async def test_b_hides_the_sidebar_and_gives_its_room_to_the_text(run_path: Path) -> None:
    async with viewing(run_path, size=(100, 24)) as viewer:
        before = viewer.app.pane.text_width
        await viewer.press("b")
        assert viewer.app.pane.text_width > before + 20
        await viewer.press("b")
        assert viewer.app.pane.text_width == before


async def test_a_narrow_window_is_the_samples_until_b_asks_for_the_sidebar(run_path: Path) -> None:
    async with viewing(run_path, size=(80, 24)) as viewer:
        assert viewer.app.pane.text_width > 70
        await viewer.press("b")
        assert viewer.app.pane.text_width < 60
        assert "reward" in viewer.screen()
        await viewer.press("b")
        assert viewer.app.pane.text_width > 70
        await viewer.pilot.resize_terminal(120, 24)
        await viewer.settle()
        assert viewer.app.sidebar.display
        await viewer.pilot.resize_terminal(80, 24)
        await viewer.settle()
        assert not viewer.app.sidebar.display


async def test_it_opens_at_the_last_step_and_every_split_too(run_path: Path) -> None:
    async with viewing(run_path, first_step=False) as viewer:
        assert viewer.address == "train/5/0"
        await viewer.choose("split", "eval/gsm8k")
        assert viewer.address.startswith("eval/gsm8k/5/")


async def test_what_a_key_could_not_do_is_said_until_the_next_key(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("P")
        assert "this is the first step" in viewer.bottom
        await viewer.press("j")
        assert "this is the first step" not in viewer.bottom


async def test_c_copies_the_text_and_capital_c_the_address(run_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with viewing(run_path) as viewer:
        sent: list[str] = []
        assert viewer.app._driver is not None
        monkeypatch.setattr(viewer.app._driver, "write", sent.append)
        await viewer.press("c")
        copied = next(text for text in sent if text.startswith("\x1b]52;c;"))
        text = base64.b64decode(copied.removeprefix("\x1b]52;c;").rstrip("\a")).decode()
        assert "What is 12 × 7?" in text
        assert "<think>" in text
        assert "copied" in viewer.bottom
        await viewer.press("C")
        assert base64.b64encode(b"train/0/0").decode() in sent[-1]


async def test_e_says_when_there_is_no_terminal_to_hand_over(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("E")
        assert "pager" in viewer.bottom


async def test_capital_d_lists_what_could_not_be_read(run_path: Path, tmp_path: Path) -> None:
    broken = tmp_path / "train" / "0.jsonl"
    broken.parent.mkdir()
    broken.write_text(relax_line(0, 0, "fine") + "\n{broken\n" + relax_line(0, 1, "fine too") + "\n")
    async with viewing(tmp_path) as viewer:
        assert "1 line skipped (D)" in viewer.bottom
        await viewer.press("exclamation_mark")
        assert isinstance(viewer.app.screen, TextScreen)
        assert "train/0.jsonl:2" in viewer.screen()
        await viewer.press("escape")
        assert not isinstance(viewer.app.screen, TextScreen)


async def test_the_help_names_every_key(run_path: Path) -> None:
    async with viewing(run_path, size=(100, 60)) as viewer:
        await viewer.press("?")
        for binding in keys.BINDINGS:
            assert binding.description in viewer.screen()
        await viewer.press("?")
        assert "── assistant ─" in viewer.screen()


async def test_q_quits(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.pilot.press("q")
        await viewer.pilot.pause()
        assert not viewer.app.is_running or viewer.app._exit


async def test_ctrl_c_says_how_to_quit(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("ctrl+c")
        assert "q quits" in viewer.bottom
        assert viewer.app.is_running


async def test_no_key_is_bound_twice() -> None:
    bound = [key for binding in keys.BINDINGS for key in binding.key.split(",")]
    assert len(bound) == len(set(bound))


#: What the page calls what a key of the viewer does.
ON_THE_PAGE = {
    "sample(1)": "next-sample",
    "sample(-1)": "previous-sample",
    "step(1)": "next-step",
    "step(-1)": "previous-step",
    "group(1)": "next-group",
    "group(-1)": "previous-group",
    "all_steps": "all-steps",
    "filter": "filter",
    "find": "find",
    "clear": "clear",
    "edge('top')": "top",
    "edge('bottom')": "bottom",
    "failing_turn": "failing-turn",
    "thinking": "fold",
    "group_tree": "tree",
    "diff": "diff",
    "outlier(1)": "outlier",
    "sidebar": "list-pane",
    "help": "help",
}


async def test_what_the_page_has_too_has_the_same_letter_there() -> None:
    table = (Path(__file__).parents[2] / "web/src/state/keys.ts").read_text()
    rows = re.findall(r'\{ keys: \[([^]]*|"]"|"\[")\], action: "([a-z-]+)"', table)
    page = {action: set(re.findall(r'"([^"]+)"', found)) for found, action in rows}
    for binding in keys.BINDINGS:
        if action := ON_THE_PAGE.get(binding.action):
            letters = {"Escape" if key == "escape" else key for key in binding.key.split(",")}
            assert letters & page[action], (binding.action, letters, page[action])
