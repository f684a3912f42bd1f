"""Items of OpenAI's Responses API as chat messages: reasoning and calls belong to the assistant message they lead to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rollscope.formats.lines.nested import items, mapping, text


def chat_of_items(found: Sequence[Any]) -> list[dict[str, Any]]:
    """One chat message for each speaker in turn: what an assistant thinks, says and calls in a row is one message."""
    messages: list[dict[str, Any]] = []
    for item in map(mapping, found):
        kind = item.get("type") or "message"
        if kind == "function_call_output":
            messages.append({"role": "tool", "content": item.get("output"), "tool_call_id": item.get("call_id")})
            continue
        speaker = "assistant" if kind in ("reasoning", "function_call") else str(item.get("role") or "user")
        if speaker != "assistant" or not messages or messages[-1]["role"] != "assistant" or "content" in messages[-1]:
            messages.append({"role": speaker})
        message = messages[-1]
        if kind == "reasoning":
            message["reasoning_content"] = message.get("reasoning_content", "") + "\n".join(_thoughts(item))
        elif kind == "function_call":
            call = {"id": item.get("call_id"), "name": item.get("name"), "arguments": item.get("arguments")}
            message.setdefault("tool_calls", []).append(call)
        elif kind == "message":
            message["content"] = item.get("content")
        else:
            message["content"] = [item]
    return messages


def _thoughts(item: dict[str, Any]) -> Iterator[str]:
    for part in (*items(item.get("summary")), *items(item.get("content"))):
        if (thought := text(mapping(part).get("text"))) is not None:
            yield thought
