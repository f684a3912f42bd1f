"""Whose tool a call names, in the words of each model family."""

from __future__ import annotations

import pytest

from rollscope.render.tool_calls import ToolCall, read_call


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{"name": "search", "arguments": {"q": "a"}}', "search"),
        ('\n{"function": {"name": "search", "arguments": "{}"}}\n', "search"),
        ('[{"name": "first"}, {"name": "second"}]', "first"),
        ("<function=run_tests>\n<parameter=path>a</parameter>\n</function>", "run_tests"),
        ("function<｜tool▁sep｜>get_weather\n```json\n{}\n```", "get_weather"),
        ("get_weather<｜tool▁sep｜>{}", "get_weather"),
        ('<invoke name="lookup"><parameter name="a">1</parameter></invoke>', "lookup"),
        ("functions.lookup:0<|tool_call_argument_begin|>{}", "lookup"),
        ("call:lookup{a:1}", "lookup"),
        ("brave_search.call(query='a')", "brave_search"),
        ("lookup\n<arg_key>a</arg_key>", "lookup"),
    ],
)
def test_the_name_is_found(content: str, name: str) -> None:
    assert read_call(content) == ToolCall(name)


def test_an_id_is_kept_where_there_is_one() -> None:
    assert read_call('{"name": "a", "id": "call_1"}').id == "call_1"
    assert read_call("lookup[CALL_ID]abc123[ARGS]{}") == ToolCall("lookup", "abc123")


def test_json_that_breaks_off_says_its_name_and_that_it_was_cut() -> None:
    assert read_call('{"name": "search", "arguments": {"q": "unfin') == ToolCall("search", complete=False)
    assert read_call('{"arguments": {"q"') == ToolCall(complete=False)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"name": 3}', "{" * 5000, "  "])
def test_what_names_nothing_has_no_name(content: str) -> None:
    assert read_call(content).name is None
