"""Tool calls that repeat, and tools that fail."""

from __future__ import annotations

import pytest
from tests.query.insights.findings.splits import split_data

from rollscope.features.base import SampleTexts
from rollscope.query.insights.findings.detectors.tools import tool_errors, tool_loop
from rollscope.query.insights.findings.model import CannotKnow

CALL = '<tool_call>\n{"name": "look", "arguments": {"at": 1}}\n</tool_call>'


def test_the_same_call_three_times_in_a_row_is_a_loop() -> None:
    (item,) = tool_loop(split_data([1, 1, 1, 1], text__tool_repeats=[1, 2, 3, None]))
    assert (item.where, item.mask.tolist()) == ("text.tool_repeats >= 3", [False, False, True, False])
    assert item.known.tolist() == [True, True, True, False]
    assert item.spans is not None
    (span,) = item.spans(SampleTexts("q", f"So\n{CALL}\n{CALL}\n{CALL}\n4"))
    assert span.start < span.end


def test_an_error_of_a_tool_is_one_also_where_there_were_as_many_at_first() -> None:
    (item,) = tool_errors(split_data([1, 1], text__tool_errors=[0, 2]))
    assert (item.where, item.mask.tolist()) == ("text.tool_errors > 0", [False, True])
    assert item.always < 1


def test_a_run_without_tools_says_so() -> None:
    with pytest.raises(CannotKnow, match="no tool calls"):
        list(tool_loop(split_data([1])))
    with pytest.raises(CannotKnow, match="no tool results"):
        list(tool_errors(split_data([1], text__tool_errors=[None])))
