"""What is typed after `f`, and where it is found."""

from __future__ import annotations

import pytest

from rollscope.errors import UsageError
from rollscope.tui.text import matches as matches_module
from rollscope.tui.text.document import Document, TextBlock
from rollscope.tui.text.matches import Matches, parse_find


def found(typed: str, *texts: str | None) -> list[tuple[int, int, int]]:
    matches = Matches(Document([TextBlock(text=text) for text in texts]), parse_find(typed))
    return list(zip(matches.blocks, matches.starts, matches.ends))


def test_lower_case_finds_any_case() -> None:
    assert found("speed", "Speed and SPEED") == [(0, 0, 5), (0, 10, 15)]


def test_a_capital_makes_case_count() -> None:
    assert found("Speed", "speed Speed SPEED") == [(0, 6, 11)]


def test_plain_text_is_not_a_pattern() -> None:
    assert found("a.c (", "abc ( a.c (") == [(0, 6, 11)]


def test_a_leading_slash_makes_a_regular_expression() -> None:
    assert found(r"/\d+ km", "120 km in 1 h, 5 km") == [(0, 0, 6), (0, 15, 19)]


def test_capitals_of_escapes_are_no_capitals() -> None:
    assert parse_find(r"/\Sx").pattern.ignore_case
    assert not parse_find(r"/\SX").pattern.ignore_case


def test_a_slash_alone_is_text() -> None:
    assert found("/", "a/b") == [(0, 1, 2)]


def test_offsets_count_characters_not_bytes() -> None:
    assert found("ende", "größe 漢字 Ende") == [(0, 9, 13)]


def test_a_broken_expression_is_explained() -> None:
    with pytest.raises(UsageError, match="missing \\)") as problem:
        parse_find("/(a")
    assert "leading /" in problem.value.hint


def test_blocks_are_searched_in_order_and_empty_ones_left_out() -> None:
    assert found("x", "ax", None, "", "xx") == [(0, 1, 2), (3, 0, 1), (3, 1, 2)]


def test_empty_matches_are_none() -> None:
    assert found("/z*", "azz") == [(0, 1, 3)]


def test_matches_that_reach_into_a_stretch_are_found_with_their_number() -> None:
    matches = Matches(Document([TextBlock(text="..abcabc..abc")]), parse_find("abc"))
    assert matches.in_range(0, 4, 6) == [(0, 2, 5), (1, 5, 8)]
    assert matches.in_range(0, 8, 10) == []
    assert matches.in_range(7, 0, 10) == []


def test_the_first_match_from_a_place_may_lie_in_a_later_block() -> None:
    matches = Matches(
        Document([TextBlock(text="abc"), TextBlock(text="none"), TextBlock(text="xabc")]), parse_find("abc")
    )
    assert matches.first_from(0, 0) == 0
    assert matches.first_from(0, 1) == 1
    assert matches.first_from(1, 0) == 1
    assert matches.first_from(2, 2) is None
    assert matches.place(1) == (2, 1)


def test_too_many_matches_are_cut_and_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches_module, "MAX_MATCHES", 5)
    matches = Matches(Document([TextBlock(text="a" * 10), TextBlock(text="a")]), parse_find("a"))
    assert len(matches) == 5
    assert matches.cut
