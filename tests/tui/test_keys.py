"""Every key does what its line in the help says, on a real run."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from tests.tui.runs import relax_line
from tests.tui.viewer import viewing
from textual.widgets import Input

from rollscope import record
from rollscope.render import split_parts
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


async def test_n_and_p_go_from_sample_to_sample_and_stop_at_the_ends(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("n", "n", "p")
        assert viewer.address == "train/0/1"
        await viewer.press("p", "p")
        assert viewer.address == "train/0/0"
        assert "first sample" in viewer.bottom
        await viewer.press(*["n"] * 9)
        assert viewer.address == "train/0/7"
        assert "last sample" in viewer.bottom


async def test_capital_n_and_p_go_from_step_to_step(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("n", "N")
        assert viewer.address == "train/1/0"
        await viewer.press("P", "P")
        assert viewer.address == "train/0/0"
        assert "first step" in viewer.bottom


async def test_brackets_go_from_group_to_group(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("]")
        assert viewer.address == "train/0/4"
        await viewer.press("]")
        assert "last group" in viewer.bottom
        await viewer.press("[")
        assert viewer.address in ("train/0/0", "train/0/3")


async def test_d_goes_round_kept_discarded_all(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("d")
        assert viewer.value("show") == "discarded"
        assert "1/4" in viewer.top
        assert "zero_advantage" in viewer.top
        await viewer.press("d")
        assert "1/12" in viewer.top
        await viewer.press("d")
        assert "1/8" in viewer.top


async def test_slash_filters_in_the_filter_language(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("/")
        await viewer.type('status = "truncated" and reward > 0.1')
        await viewer.press("enter")
        assert "1/2" in viewer.top
        assert "truncated" in viewer.top
        assert 'filter status = "truncated"' in viewer.bottom
        await viewer.press("i", "ctrl+u", "enter")  # as on the page
        assert "1/8" in viewer.top


async def test_a_wrong_filter_is_explained_where_it_is_typed_and_changes_nothing(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("n", "/")
        await viewer.type("rewrd < 1")
        await viewer.press("enter")
        assert "did you mean reward" in viewer.screen()
        assert viewer.app.query_one("#prompt-input", Input).has_focus
        assert viewer.address == "train/0/1"
        pointer = next(line for line in viewer.lines if "▼" in line)
        typed = next(line for line in viewer.lines if "filter rewrd" in line)
        assert pointer.index("▼") == typed.index("rewrd")
        await viewer.press("escape")
        assert "did you mean" not in viewer.screen()
        assert viewer.app.pane.has_focus


async def test_capital_f_follows_the_newest_step(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("F")
        assert viewer.address == "train/5/0"
        assert "follow" in viewer.bottom
        await viewer.press("F")
        assert not viewer.app.browser.state.follow


async def test_r_reads_again_and_says_what_came_of_it(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("n", "r")
        assert viewer.address == "train/0/1"
        assert "nothing new on disk" in viewer.bottom


async def test_f_finds_in_the_sample_and_enter_goes_on_into_the_following_ones(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("f")
        await viewer.type("twelve")
        await viewer.press("enter")
        assert viewer.address == "train/0/0"
        assert "find twelve: 1 of 1" in viewer.bottom
        await viewer.press("enter")
        assert viewer.address == "train/0/1"
        assert "find twelve: 1 of 1" in viewer.bottom


async def test_what_is_not_in_the_sample_is_found_in_later_samples_and_steps(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("f")
        await viewer.type("zebra")
        await viewer.press("enter")
        assert viewer.address == "train/0/6"
        await viewer.press("enter")
        assert viewer.address == "train/3/3"
        await viewer.press("enter")
        assert viewer.address == "train/0/6", "after the end it goes on from the beginning"


async def test_find_follows_the_order_and_the_filter_of_the_view(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.choose("sort", "reward desc")
        await viewer.press("/")
        await viewer.type("metrics.correct = 0")
        await viewer.press("enter", "f")
        await viewer.type("answer is")
        await viewer.press("enter")
        found = [viewer.address]
        for _ in range(3):
            await viewer.press("enter")
            found.append(viewer.address)
        assert found == ["train/0/2", "train/0/6", "train/0/0", "train/0/4"]


async def test_a_capital_makes_find_look_at_case(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("f")
        await viewer.type("Twelve")
        await viewer.press("enter")
        assert viewer.address == "train/0/0"
        assert "no match in any sample" in viewer.bottom


async def test_find_takes_a_regular_expression_after_a_slash(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("f")
        await viewer.type(r"/try [23]")
        await viewer.press("enter")
        assert viewer.address == "train/0/2"
        await viewer.press("f", "ctrl+u")
        await viewer.type("/(")
        await viewer.press("enter")
        assert "not a regular expression" in viewer.screen()


async def test_backspace_goes_back_and_escape_clears_the_search(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("f")
        await viewer.type("e")
        await viewer.press("enter", "enter", "enter", "backspace")
        assert "find e: 2 of" in viewer.bottom
        await viewer.press("escape")
        assert "find" not in viewer.bottom
        assert viewer.app.pane.matches is None


async def test_keys_typed_in_one_burst_after_f_go_into_the_box(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.pilot.press("f", *"splint", "enter")
        await viewer.settle()
        assert "splint" in viewer.bottom
        assert not viewer.app.preferences.table, "the s of the search text is no key"


async def test_s_switches_between_text_and_table(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        assert "── assistant ─" in viewer.screen()
        await viewer.press("s")
        assert "metrics.correct    0" in viewer.screen()
        assert "── assistant ─" not in viewer.screen()
        await viewer.press("s")
        assert "── assistant ─" in viewer.screen()


async def test_t_folds_thinking_and_find_unfolds_what_it_finds(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        assert "Let me see." in viewer.screen()
        await viewer.press("t")
        assert "Let me see." not in viewer.screen()
        assert "▸ thinking" in viewer.screen()
        await viewer.press("f")
        await viewer.type("Let me")
        await viewer.press("enter")
        assert "Let me see." in viewer.screen()
        await viewer.press("t", "t")
        assert "▸ thinking" in viewer.screen()


async def test_m_renders_markdown(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        assert "**80**" in viewer.screen()
        await viewer.press("m")
        assert "**80**" not in viewer.screen()
        assert "The answer is 80" in viewer.screen()
        await viewer.press("m")
        assert "**80**" in viewer.screen()


async def test_capital_r_shows_the_raw_text(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        assert "<think>" not in viewer.screen()
        await viewer.press("R")
        assert "<think>" in viewer.screen()
        assert "[user]" in viewer.screen()
        assert "[assistant]" in viewer.screen()
        assert "raw" in viewer.bottom


async def test_j_k_g_and_capital_g_page_through_the_text(run_path: Path) -> None:
    async with viewing(run_path, size=(80, 14)) as viewer:
        pane = viewer.app.pane
        await viewer.press("j")
        assert pane.scroll_offset.y > 3
        await viewer.press("k")
        assert pane.scroll_offset.y == 0
        await viewer.press("G")
        assert pane.scroll_offset.y == pane.max_scroll_y > 0
        await viewer.press("g")
        assert pane.scroll_offset.y == 0


async def test_h_and_l_page_sideways_when_lines_are_not_wrapped(run_path: Path) -> None:
    async with viewing(run_path, size=(60, 20)) as viewer:
        await viewer.press("w")
        assert "no wrap" in viewer.bottom
        await viewer.press("l")
        assert viewer.app.pane.scroll_offset.x > 0
        await viewer.press("h")
        assert viewer.app.pane.scroll_offset.x == 0


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


async def test_a_hint_about_wrapping_goes_when_wrapping_changes(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("l")
        assert "w turns that off" in viewer.bottom
        await viewer.press("w")
        assert "w turns that off" not in viewer.bottom


async def test_what_a_key_could_not_do_is_said_until_the_next_key(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("P")
        assert "this is the first step" in viewer.bottom
        await viewer.press("j")
        assert "this is the first step" not in viewer.bottom


async def test_a_lists_all_steps_and_stays_at_the_sample(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("N", "n")
        assert viewer.address == "train/1/1"
        await viewer.press("a")
        assert viewer.address == "train/1/1"
        assert "all steps · step 1  10/48" in viewer.top
        assert viewer.value("step") == "all"
        await viewer.press("P")
        assert viewer.address == "train/0/0"
        await viewer.choose("sort", "reward desc")
        best = viewer.address
        assert best.startswith("train/5/")
        await viewer.press("a")
        assert viewer.address == best
        assert viewer.top.startswith("step 5")


async def test_find_goes_through_all_steps_in_the_order_of_the_list(run_path: Path) -> None:
    async with viewing(run_path) as viewer:
        await viewer.press("a")
        await viewer.choose("sort", "reward desc")
        await viewer.press("f")
        await viewer.type("zebra")
        await viewer.press("enter")
        assert viewer.address == "train/3/3"
        await viewer.press("enter")
        assert viewer.address == "train/0/6"


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
        await viewer.press("X")
        assert "turn 4 of 5 · its text begins like an error" in viewer.lines[1]
        await viewer.press("X")
        assert "turn 4 of 5" in viewer.lines[1]


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
        await viewer.press("e")
        assert "pager" in viewer.bottom


async def test_capital_d_lists_what_could_not_be_read(run_path: Path, tmp_path: Path) -> None:
    broken = tmp_path / "train" / "0.jsonl"
    broken.parent.mkdir()
    broken.write_text(relax_line(0, 0, "fine") + "\n{broken\n" + relax_line(0, 1, "fine too") + "\n")
    async with viewing(tmp_path) as viewer:
        assert "1 line skipped (D)" in viewer.bottom
        await viewer.press("D")
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


async def test_what_is_looked_for_before_the_run_is_open_is_found_when_it_is(run_path: Path) -> None:
    async with viewing(run_path, wait=False) as viewer:
        await viewer.pilot.press("f", *"zebra", "enter")
        await viewer.until_up_to_date()
        assert viewer.address == "train/0/6"


async def test_no_key_is_bound_twice() -> None:
    bound = [key for binding in keys.BINDINGS for key in binding.key.split(",")]
    assert len(bound) == len(set(bound))
