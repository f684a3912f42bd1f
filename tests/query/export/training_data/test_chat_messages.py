"""Our messages as those of a chat API."""

from __future__ import annotations

import pytest

from rollscope.model import Message, Part
from rollscope.query.export.training_data.chat_messages import chat_messages, has_media
from rollscope.render import messages_from_chat, split_conversation


def test_a_chat_comes_back_as_it_was() -> None:
    chat = [
        {"role": "system", "content": "Use the tools."},
        {"role": "user", "content": "How many?\n\nBe brief."},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "count", "arguments": {"of": ["a", {"b": 1}]}}}
            ],
        },
        {"role": "tool", "content": "3", "tool_call_id": "c1", "name": "count"},
        {"role": "assistant", "content": "There are 3."},
    ]
    assert chat_messages(messages_from_chat(chat, turn=0)) == chat


def test_a_template_s_own_tokens_are_left_out() -> None:
    messages = split_conversation(
        "<|im_start|>user\n2 + 2?<|im_end|>\n<|im_start|>assistant\n<think>\n", "four\n</think>\n\nIt is 4.<|im_end|>"
    )
    assert chat_messages(messages) == [
        {"role": "user", "content": "2 + 2?"},
        {"role": "assistant", "content": "<think>four\n</think>\n\nIt is 4."},
    ]


def test_thinking_that_came_apart_gets_its_tags() -> None:
    (message,) = messages_from_chat([{"role": "assistant", "reasoning_content": "hm", "content": "4"}], turn=0)
    assert chat_messages([message]) == [{"role": "assistant", "content": "<think>\nhm\n</think>\n\n4"}]


def test_a_call_written_as_text_becomes_one() -> None:
    said = 'Wait.\n<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'
    (message,) = split_conversation("", said)
    (found,) = chat_messages([message])
    assert found["content"] == "Wait."
    assert found["tool_calls"] == [{"type": "function", "function": {"name": "add", "arguments": {"a": 1}}}]


def test_a_call_that_cannot_be_read_stays_text() -> None:
    said = '<tool_call>\n{"name": "add", "argum\n</tool_call>'
    (message,) = split_conversation("", said)
    assert chat_messages([message]) == [{"role": "assistant", "content": said}]


def test_media_are_noticed() -> None:
    assert has_media(
        messages_from_chat([{"role": "user", "content": [{"type": "image", "image": "a.png"}]}], turn=None)
    )
    assert not has_media([Message(role="user", parts=[Part(text="words")])])


@pytest.mark.parametrize("arguments", ['{"x": NaN}', '{"x": 1e999}', '{"x": [1, -Infinity]}'])
def test_a_call_that_json_cannot_hold_stays_text(arguments: str) -> None:
    said = f'<tool_call>{{"name": "f", "arguments": {arguments}}}</tool_call>'
    (message,) = messages_from_chat([{"role": "assistant", "content": said}], turn=0)
    assert chat_messages([message]) == [{"role": "assistant", "content": said}]
