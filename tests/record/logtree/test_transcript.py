"""Conversations and tables as HTML: who spoke, what they thought and called; and never anybody's markup."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rollscope.record.logtree.transcript import render_conversation, render_table


def html(*messages: Any) -> str:
    return "".join(render_conversation({"messages": list(messages)}))


def thoughts(page: str) -> list[str]:
    return re.findall(r"<details class=\"lt-think\">.*?<div class=\"lt-text\">(.*?)</div></details>", page, re.DOTALL)


def test_thinking_in_a_text_is_folded_away_and_the_rest_is_read() -> None:
    page = html({"role": "assistant", "content": "<think>2 and 2</think>\n4\n<think>sure?</think>yes"})
    assert thoughts(page) == ["2 and 2", "sure?"]
    assert re.findall(r"<div class=\"lt-text\">(\w+)</div>(?!</details>)", page) == ["4", "yes"]
    assert "cut off" not in page


def test_thinking_that_was_cut_off_says_so() -> None:
    page = html({"role": "assistant", "content": "<think>and so on and"})
    assert thoughts(page) == ["and so on and"]
    assert "4 words, cut off" in page


@pytest.mark.parametrize("role", ["system", "user", "tool"])
def test_who_explains_thinking_does_not_think(role: str) -> None:
    page = html({"role": role, "content": "write between <think> and </think>"})
    assert thoughts(page) == []
    assert "between &lt;think&gt; and &lt;/think&gt;" in page


@pytest.mark.parametrize(
    "message",
    [
        {"role": "<b>", "content": "x"},
        {"role": "user", "name": "<b>", "content": "x"},
        {"role": "tool", "content": "<b>"},
        {"role": "assistant", "content": "<think><b></think><b>"},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "<b>"}, {"type": "<b>", "text": "<b>"}, "<b>"],
        },
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "<b>", "arguments": "<b>"}}]},
        {"role": "assistant", "content": [{"type": "tool_call", "name": "<b>", "text": "<b>"}]},
    ],
)
def test_no_text_becomes_markup(message: Any) -> None:
    page = html(message)
    assert "<b>" not in page.replace('<div class="lt-call"><b>', "")
    assert "&lt;b&gt;" in page


def test_calls_are_shown_with_their_arguments_in_either_spelling() -> None:
    page = html(
        {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "add", "arguments": '{"a": 1}'}}]},
        {"role": "assistant", "tool_calls": [{"name": "sub", "arguments": {"b": "ü"}}, "no call"]},
    )
    assert "<b>add</b><pre>{&quot;a&quot;: 1}</pre>" in page
    assert "<b>sub</b><pre>{&quot;b&quot;: &quot;ü&quot;}</pre>" in page


def test_what_is_no_message_is_passed_over() -> None:
    assert html("text", None, 7) == ""
    assert "".join(render_conversation({"messages": "none"})) == ""


def test_a_column_with_one_value_is_said_once() -> None:
    page = "".join(
        render_table({"title": "T", "columns": ["step", "env", "r"], "rows": [[0, "m<", 0.123456789], [1, "m<", None]]})
    )
    assert "T · env m&lt;" in page
    assert re.findall(r"<th>(\w+)", page) == ["step", "r"]
    assert re.findall(r"<td>([^<]*)", page) == ["0", "0.123457", "1", ""]
    one = "".join(render_table({"title": "T", "columns": ["a"], "rows": [[5]]}))
    assert "<td>5" in one, "a single row has all its columns"
