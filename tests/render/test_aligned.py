"""Columns that line up on a terminal."""

from __future__ import annotations

from rollscope.render.aligned import aligned, column_widths, width


def test_columns_line_up_whatever_the_script_and_numbers_stand_to_the_right() -> None:
    lines = list(aligned([["name", "n"], ["数学", "1"], ["e\u0301te", "12"]], [False, True]))
    assert lines == ["name   n", "数学   1", "e\u0301te   12"]
    assert {width(line) for line in lines} == {8}


def test_a_column_is_as_wide_as_its_widest_cell() -> None:
    assert column_widths([["a", "bb"], ["数学", ""]]) == [4, 2]
    assert list(aligned([], [])) == []
