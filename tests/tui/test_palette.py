"""Numbers, colours and bars."""

from __future__ import annotations

import math

import pytest

from rollscope.model import Range
from rollscope.tui.palette import Palette, height, number, share_in, share_of


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0.0, "0"), (1.0, "1"), (0.123456, "0.1235"), (12345.0, "12,345"), (-0.5, "-0.5"), (1e-7, "1e-07")],
)
def test_numbers_are_short(value: float | None, text: str) -> None:
    assert number(value) == text


def test_integers_are_whole_however_long() -> None:
    assert number(2**60 + 1) == "1,152,921,504,606,846,977"
    assert [len(number(10**digits)) for digits in (400, 5000)] == [401, 5001]


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
