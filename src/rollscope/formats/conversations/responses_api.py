"""Items of OpenAI's Responses API as chat messages: reasoning and calls belong to the assistant message they lead to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rollscope.formats.json_values import items, mapping, text

_FRAME = frozenset({"id", "call_id", "type", "status", "name", "output", "error"})


def chat_of_items(found: Sequence[Any]) -> list[dict[str, Any]]:
    """One chat message for each speaker in turn: what an assistant thinks, says and calls in a row is one message."""
    messages: list[dict[str, Any]] = []
    for item in map(mapping, found):
        kind = str(item.get("type") or "message")
        if kind.endswith("_output"):
            messages.append({"role": "tool", "content": item.get("output"), "tool_call_id": item.get("call_id")})
        elif kind == "reasoning":
            message = _assistant(messages, goes_on=frozenset({"role", "reasoning_content"}))
            known = [message["reasoning_content"]] if message.get("reasoning_content") else []
            message["reasoning_content"] = "\n".join([*known, *_thoughts(item)])
        elif kind.endswith("_call"):
            message = _assistant(messages, goes_on=frozenset({"role", "reasoning_content", "content", "tool_calls"}))
            message.setdefault("tool_calls", []).append(_call(item, kind))
            # A tool that the server ran itself has its answer in the same item.
            answer = item.get("output") if item.get("output") is not None else item.get("error")
            if answer is not None:
                messages.append({"role": "tool", "content": answer, "tool_call_id": item.get("id")})
        elif kind == "message" and item.get("role") == "assistant":
            message = _assistant(messages, goes_on=frozenset({"role", "reasoning_content"}))
            message["content"] = item.get("content")
        elif kind == "message":
            messages.append({"role": str(item.get("role") or "user"), "content": item.get("content")})
        else:
            messages.append({"role": str(item.get("role") or "unknown"), "content": [item]})
    return messages


def _assistant(messages: list[dict[str, Any]], goes_on: frozenset[str]) -> dict[str, Any]:
    """The assistant message that an item belongs to: the last one, where it has nothing yet that comes later."""
    if not messages or messages[-1]["role"] != "assistant" or messages[-1].keys() - goes_on:
        messages.append({"role": "assistant"})
    return messages[-1]


def _call(item: dict[str, Any], kind: str) -> dict[str, Any]:
    given = item.get("arguments", item.get("input"))
    if given is None:  # a search, a patch, a piece of code: whatever it says besides its frame
        given = {key: value for key, value in item.items() if key not in _FRAME and value is not None}
    return {"id": item.get("call_id") or item.get("id"), "name": item.get("name") or kind, "arguments": given}


def _thoughts(item: dict[str, Any]) -> Iterator[str]:
    for part in (*items(item.get("summary")), *items(item.get("content"))):
        if (thought := text(mapping(part).get("text"))) is not None:
            yield thought
