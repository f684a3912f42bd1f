"""Tables on a terminal."""

from __future__ import annotations

import pytest

from rollscope.cli.output import TableColumn, write_table
from rollscope.render.aligned import width


def test_a_table_lines_up_whatever_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    write_table([TableColumn("name"), TableColumn("n", right=True)], [["数学", "1"], ["e\u0301te", "12"]])
    lines = capsys.readouterr().out.splitlines()
    assert [width(line) for line in lines] == [8, 8, 8]


def test_a_column_that_is_missing_everywhere_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    write_table([TableColumn("a"), TableColumn("b"), TableColumn("c")], [["1", "–", ""], ["2", "", "x"]])
    assert capsys.readouterr().out.split() == ["a", "c", "1", "2", "x"]
