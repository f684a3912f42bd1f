"""Calls that ART recorded on the wire, as one conversation."""

from __future__ import annotations

from typing import Any

from rollscope.formats.art.exchanges import recorded_conversation


def call(second: int, request: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    return {"start_time": f"2026-11-01T00:00:{second:02}Z", "request": request, "response": response}


def answer(name: str, text: str) -> dict[str, Any]:
    return {"id": name, "output": [{"type": "message", "role": "assistant", "content": text}]}


def test_an_answer_that_is_gone_on_from_by_its_name_is_part_of_the_conversation() -> None:
    calls = [
        call(1, {"input": "q", "instructions": "be kind"}, answer("a", "first")),
        call(2, {"input": "more", "previous_response_id": "a"}, answer("b", "second")),
    ]
    found = recorded_conversation({"responses": list(reversed(calls))})
    said = [(message["role"], message["content"], message.get("trainable", False)) for message in found]
    assert said == [
        ("system", "be kind", False),
        ("user", "q", False),
        ("assistant", "first", True),
        ("user", "more", False),
        ("assistant", "second", True),
    ]


def test_an_example_in_the_request_is_not_the_policy_s() -> None:
    example = [
        {"role": "user", "content": "2+2"},
        {"role": "assistant", "content": "4"},
        {"role": "user", "content": "q"},
    ]
    response = {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "a"}}]}
    found = recorded_conversation({"chat_completions": [call(1, {"messages": example}, response)]})
    assert [message.get("trainable", False) for message in found] == [False, False, False, True]


def test_an_answer_that_names_itself_ends() -> None:
    found = recorded_conversation(
        {"responses": [call(1, {"input": "q", "previous_response_id": "a"}, answer("a", "x"))]}
    )
    assert [message["content"] for message in found] == ["q", "x"]


def test_nothing_recorded_is_nothing() -> None:
    assert recorded_conversation(None) == []
    assert recorded_conversation({"chat_completions": [], "responses": None}) == []
