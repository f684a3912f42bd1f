"""Numbers, colours, bars, memory, choices: the small logic behind the widgets."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from rich.style import Style

from rollscope.errors import MissingExtraError, UsageError
from rollscope.model import Range, Sample
from rollscope.query.answers import Progress, SamplePage, SampleRow, StepRow, Summary
from rollscope.tui import INSTALL, keys, run_tui
from rollscope.tui.palette import Palette, height, number, share_in, share_of
from rollscope.tui.session.choices import size, sort_choices, step_choices
from rollscope.tui.session.sample_order import PAGE_ROWS, SampleOrder
from rollscope.tui.session.state import BrowserState, same_content
from rollscope.tui.session.view import View, sort_name
from rollscope.tui.widgets.header import facts, fitted
from rollscope.tui.widgets.sparkline import bin_means
from rollscope.userdata.preferences import Preferences, load_preferences, save_preferences


def step_row(step: int, mean: float | None, count: int = 4) -> StepRow:
    reward = Summary(count=count if mean is not None else 0, mean=mean, std=None, min=mean, max=mean)
    values: dict[str, Any] = dict.fromkeys(StepRow.__struct_fields__)
    known = {"step": step, "samples": count, "discarded": 0, "reward": reward, "bytes": 1000, "skipped_lines": 0}
    return StepRow(**{**values, **known, "complete": True})


def sample_row(index: int) -> SampleRow:
    values: dict[str, Any] = dict.fromkeys(SampleRow.__struct_fields__)
    texts = {"run": "r", "address": f"train/0/{index}", "split": "train", "step": 0, "index": index, "tags": []}
    return SampleRow(**{**values, **texts, "metrics": {}, "rewards": {}, "nonfinite": {}})


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0.0, "0"), (1.0, "1"), (0.123456, "0.1235"), (12345.0, "12,345"), (-0.5, "-0.5"), (1e-7, "1e-07")],
)
def test_numbers_are_short(value: float | None, text: str) -> None:
    assert number(value) == text


def test_numbers_that_are_none_are_named() -> None:
    assert [number(value) for value in (math.nan, math.inf, -math.inf)] == ["NaN", "∞", "-∞"]


def test_a_sign_is_shown_where_it_matters() -> None:
    assert number(0.5, signed=True) == "+0.5"
    assert number(-0.5, signed=True) == "-0.5"
    assert number(0.0, signed=True) == "0"


def test_the_scale_knows_which_end_is_good() -> None:
    assert share_of(0.25, 0, 1) == 0.25
    assert share_of(0.25, 0, 1, higher_is_better=False) == 0.75
    assert share_of(7, 0, 1) == 1.0
    assert share_of(1, 1, 1) is None
    assert share_of(math.nan, 0, 1) is None
    assert share_in(3, Range(min=0, max=4)) == 0.75
    assert share_in(3, None) is None


def test_heights_follow_the_share() -> None:
    assert [height(share) for share in (None, 0.0, 0.5, 1.0)] == ["", "▁", "▅", "█"]


def test_without_colours_a_match_is_still_marked() -> None:
    plain = Palette(no_color=True)
    assert plain["match"].underline
    assert plain["match.current"].reverse
    assert plain["match"].color is None


def test_a_role_without_a_look_of_its_own_looks_like_a_role() -> None:
    assert Palette()["role.critic"] == Palette()["role"]


def test_sixteen_colours_use_no_others() -> None:
    few = [Palette(many_colors=False).on_scale(share) for share in (0.0, 0.5, 1.0)]
    assert all(style.bgcolor is not None and style.bgcolor.triplet is None for style in few)
    assert len(set(few)) == 3


def test_a_bin_is_the_mean_of_its_samples_not_of_its_steps() -> None:
    assert bin_means([[step_row(0, 1.0, count=3), step_row(1, 0.0, count=1)], [step_row(2, None)]]) == [0.75, None]


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


def test_a_declared_range_wins_over_the_observed_one() -> None:
    state = BrowserState(steps=[step_row(0, 0.25), step_row(1, 0.5)])
    observed = state.reward_range()
    assert observed is not None
    assert (observed.min, observed.max, observed.origin) == (0.25, 0.5, "observed")


def test_content_is_the_same_when_it_looks_the_same() -> None:
    one, other = Sample(reward=math.nan), Sample(reward=math.nan)
    assert same_content(one, other)
    other.metrics = {"correct": 1.0}
    assert not same_content(one, other)


def test_what_was_remembered_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "state" / "terminal.json"
    assert load_preferences(path) == Preferences()
    assert save_preferences(path, Preferences(fields={"reward": False}, fold_thinking=True))
    assert load_preferences(path) == Preferences(fields={"reward": False}, fold_thinking=True)
    assert [entry.name for entry in path.parent.iterdir()] == ["terminal.json"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"fields": 3}', b"\xff\xfe"])
def test_a_broken_memory_is_an_empty_one(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "terminal.json"
    path.write_bytes(content)
    assert load_preferences(path) == Preferences()


def test_a_memory_that_cannot_be_written_is_said_and_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not save_preferences(tmp_path / "file" / "terminal.json", Preferences())


def test_the_order_asks_for_pages_it_does_not_have() -> None:
    order = SampleOrder(1000)
    assert order.row(PAGE_ROWS + 3) is None
    assert "…" in order.pieces(PAGE_ROWS + 3)[0][0]
    rows = [sample_row(n) for n in range(PAGE_ROWS, 2 * PAGE_ROWS)]
    order.add(SamplePage(total=1000, offset=PAGE_ROWS, rows=rows, progress=Progress(done=True)))
    row = order.row(PAGE_ROWS + 3)
    assert row is not None
    assert row.index == PAGE_ROWS + 3
    assert order.take_missing_pages() == []
    assert order.position_of(f"train/0/{PAGE_ROWS + 3}") == PAGE_ROWS + 3


def test_of_the_pages_flown_over_only_the_last_are_read() -> None:
    order = SampleOrder(100_000)
    for position in range(0, 100_000, PAGE_ROWS):
        order.row(position)
    assert order.take_missing_pages() == [388, 389, 390]
    assert order.take_missing_pages() == []


def test_typing_a_number_goes_to_that_sample() -> None:
    order = SampleOrder(1000)
    assert order.narrow("501") == 500
    assert order.narrow("9999") == 999
    assert order.narrow("") == 0


def test_typing_narrows_a_list_and_prefers_the_whole_word() -> None:
    rows = step_choices([step_row(step, 0.5) for step in (1, 10, 12, 21, 2)])
    assert rows.narrow("2") == 2
    assert rows.value(2) == 2
    assert [rows.value(n) for n in range(len(rows))] == [12, 21, 2]


def test_every_field_sorts_up_and_down() -> None:
    rows = sort_choices(["reward", "metrics.correct"])
    values = [rows.value(n) for n in range(len(rows))]
    assert values[:4] == ["index", "-index", "reward", "-reward"]
    assert values[-2:] == ["metrics.correct", "-metrics.correct"]
    assert len(values) == len(set(values))


def test_sorts_have_names() -> None:
    assert sort_name("reward") == "reward ↑"
    assert sort_name("-metrics.correct") == "metrics.correct ↓"


def test_the_dataset_is_part_of_the_filter() -> None:
    assert View().filter is None
    assert (
        View(where="reward < 1 or env = 'x'", dataset='a"b').filter
        == '(reward < 1 or env = \'x\') and dataset = "a\\"b"'
    )


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 KB"), (20_000_000, "20 MB"), (3e12, "3000 GB")]
)
def test_sizes_are_short(count: float, text: str) -> None:
    assert size(count) == text


def test_no_key_is_bound_twice() -> None:
    bound = [key for binding in keys.BINDINGS for key in binding.key.split(",")]
    assert len(bound) == len(set(bound))


def test_without_textual_the_install_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError) as problem:
        run_tui(["anywhere"])
    assert problem.value.hint == INSTALL == "pip install 'rollscope[tui]'"


def test_without_a_terminal_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs a terminal"):
        run_tui([str(tmp_path)])
