"""Items of OpenAI's Responses API as chat messages."""

from __future__ import annotations

from rollscope.formats.conversations.responses_api import chat_of_items


def test_what_an_assistant_thinks_says_and_calls_in_a_row_is_one_message() -> None:
    told = chat_of_items(
        [
            {"role": "user", "content": "q"},
            {"type": "reasoning", "summary": [{"text": "first"}], "content": [{"text": "then"}]},
            {"type": "reasoning", "summary": [{"text": "more"}]},
            {"type": "message", "role": "assistant", "content": "let me look"},
            {"type": "function_call", "call_id": "c", "id": "i", "name": "find", "arguments": "{}"},
            {"type": "function_call", "call_id": "d", "name": "find", "arguments": "[]"},
            {"type": "function_call_output", "call_id": "c", "output": "found"},
            {"type": "message", "role": "assistant", "content": "done"},
        ]
    )
    assert [message["role"] for message in told] == ["user", "assistant", "tool", "assistant"]
    assert told[1] == {
        "role": "assistant",
        "reasoning_content": "first\nthen\nmore",
        "content": "let me look",
        "tool_calls": [
            {"id": "c", "name": "find", "arguments": "{}"},
            {"id": "d", "name": "find", "arguments": "[]"},
        ],
    }
    assert told[2] == {"role": "tool", "content": "found", "tool_call_id": "c"}


def test_a_thought_after_the_answer_begins_a_new_message() -> None:
    told = chat_of_items(
        [{"type": "message", "role": "assistant", "content": "a"}, {"type": "reasoning", "content": [{"text": "hm"}]}]
    )
    assert told == [{"role": "assistant", "content": "a"}, {"role": "assistant", "reasoning_content": "hm"}]


def test_a_tool_that_the_server_ran_has_its_answer_beside_it() -> None:
    told = chat_of_items(
        [
            {"type": "code_interpreter_call", "id": "i", "code": "1 + 1", "status": "completed", "output": "2"},
            {"type": "web_search_call", "id": "s", "error": "offline"},
        ]
    )
    assert told[0]["tool_calls"] == [{"id": "i", "name": "code_interpreter_call", "arguments": {"code": "1 + 1"}}]
    assert told[1] == {"role": "tool", "content": "2", "tool_call_id": "i"}
    assert told[3] == {"role": "tool", "content": "offline", "tool_call_id": "s"}


def test_items_of_no_known_kind_are_kept_whole() -> None:
    odd = {"type": "compaction", "data": 1}
    assert chat_of_items([odd, "text", None]) == [
        {"role": "unknown", "content": [odd]},
        {"role": "user", "content": None},
        {"role": "user", "content": None},
    ]
