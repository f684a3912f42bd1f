"""Our messages as those of a chat API, which trainers' own chat templates render again: the way back of `render.chat`.

Control tokens of the template that a source was rendered with are left out, since the next template writes its own. A
tool call becomes structure where its name and arguments can be read, and stays text where they cannot.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rollscope.model import Message, Part

_ROLES = {"developer": "system", "human": "user", "model": "assistant", "gpt": "assistant"}


def chat_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Messages that say something, with `role`, `content`, and `tool_calls`, `name`, `tool_call_id` where there are any."""
    return [_message(message) for message in messages if _says_something(message)]


def has_media(messages: Iterable[Message]) -> bool:
    """Whether there is an image, a sound or a video, of which a source has only the place it stood at."""
    return any(part.type in ("media", "pad") for message in messages for part in message.parts)


def read_calls(parts: Sequence[Part]) -> tuple[list[dict[str, Any]], list[Part]]:
    """The calls whose name and arguments can be read, and all other parts."""
    calls, others = [], []
    for part in parts:
        call = _call(part) if part.type == "tool_call" else None
        if call is None:
            others.append(part)
        else:
            calls.append(call)
    return calls, others


def _message(message: Message) -> dict[str, Any]:
    calls, others = read_calls(message.parts) if message.role == "assistant" else ([], message.parts)
    content = "".join(map(_text, others))
    found: dict[str, Any] = {"role": _ROLES.get(message.role, message.role), "content": content.strip("\n")}
    if calls:
        found["tool_calls"] = calls
    if message.role == "tool":
        result = next((part.id for part in message.parts if part.type == "tool_result" and part.id), None)
        found |= {"tool_call_id": call_id} if (call_id := message.tool_call_id or result) else {}
        found |= {"name": message.name} if message.name else {}
    return found


def _says_something(message: Message) -> bool:
    return any(part.type != "marker" and part.text.strip() for part in message.parts)


def _text(part: Part) -> str:
    if part.type == "marker":
        return ""
    if part.type == "tool_result":
        return part.content
    # A thought has its tags in a trainer's text, also if the source kept it apart or its opening tag was in the prompt.
    if part.type == "thinking" and not part.lead:
        return f"<think>\n{part.text}\n</think>\n\n" if not part.tail else f"<think>{part.text}"
    return part.text


def _call(part: Part) -> dict[str, Any] | None:
    content = part.content.strip()
    name, arguments = part.name, None
    if name and part.text.startswith(f"{name}(") and part.lead == len(name) + 1:
        arguments = _object(content or "{}")  # one that came as structure
    elif (value := _object(content)) is not None:
        function = value["function"] if isinstance(value.get("function"), dict) else value
        name = function.get("name") if isinstance(function.get("name"), str) else None
        given = function.get("arguments", function.get("parameters", {}))
        arguments = _object(given) if isinstance(given, str) else given if isinstance(given, dict) else None
    if name is None or arguments is None:
        return None
    call: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return {"id": part.id, **call} if part.id else call


def _object(text: str) -> dict[str, Any] | None:
    """None also for one with NaN or infinity (`1e999`), which could not be written again as JSON."""
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
