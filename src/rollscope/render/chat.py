"""Messages that came as structure (OpenAI's chat format and its dialects) as ours.

Texts keep their words and are split like any other; what has no text of its own (a call, an unknown field) is written
as JSON. Nothing is dropped but the bytes of media, of which a summary stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rollscope.model import Message, Part
from rollscope.render.conversation import answers_tool, message_parts, number_turns
from rollscope.render.mask import DEFAULT_MASK

_KNOWN: Final = frozenset({"role", "content", "name", "tool_call_id", "tool_calls", "trainable"})
_REASONING: Final = ("reasoning_content", "reasoning", "thinking")
_MEDIA: Final = ("image", "audio", "video", "file")
_SHOWN_URL: Final = 200

PadPattern = re.Pattern[str] | None


def messages_from_chat(messages: Sequence[Any], *, turn: int | None, mask: PadPattern = DEFAULT_MASK) -> list[Message]:
    """Chat messages as ours. ``turn`` is None for a prompt, else the number of the first turn."""
    ours = [_message(message, mask) for message in messages]
    if turn is not None:
        number_turns(ours, turn)
    return ours


def _message(source: Any, mask: PadPattern) -> Message:
    if not isinstance(source, Mapping):
        text = source if isinstance(source, str) else to_json(source)
        return Message(role="unknown", parts=[Part(text=text)] if text else [])
    role = str(source.get("role") or "unknown")
    parts = [*_reasoning(source), *_content(source.get("content"), role, mask), *_calls(source.get("tool_calls"))]
    parts += _unknown_fields(source)
    call_id = _string(source.get("tool_call_id"))
    for part in parts:
        if part.type == "tool_result":
            part.id = part.id or call_id
    trainable = source.get("trainable")
    return Message(
        role="tool" if answers_tool(role, parts) else role,
        parts=parts,
        name=_string(source.get("name")),
        tool_call_id=call_id,
        trainable=trainable if isinstance(trainable, bool) else None,
    )


def _reasoning(source: Mapping[str, Any]) -> Iterator[Part]:
    # Servers that renamed the field write both; the thought is one.
    texts = dict.fromkeys(text for key in _REASONING if isinstance(text := source.get(key), str) and text)
    return (Part(type="thinking", text=text) for text in texts)


def _content(content: Any, role: str, mask: PadPattern) -> Iterator[Part]:
    if isinstance(content, str):
        yield from message_parts(role, content, mask)
    elif isinstance(content, Sequence):
        for item in content:
            yield from _item(item, role, mask)
    elif content is not None:
        yield Part(text=to_json(content))


def _item(item: Any, role: str, mask: PadPattern) -> Iterator[Part]:
    """One element of a content list."""
    if isinstance(item, str):
        yield from message_parts(role, item, mask)
        return
    kind = str(item.get("type", "")) if isinstance(item, Mapping) else ""
    if kind in ("text", "input_text", "output_text") and isinstance(item.get("text"), str):
        yield from message_parts(role, item["text"], mask)
    elif kind in ("thinking", "reasoning") and isinstance(thought := item.get("thinking", item.get("text")), str):
        yield Part(type="thinking", text=thought)
    elif kind in ("tool_use", "tool_call", "function_call"):
        yield _call(item)
    elif kind == "tool_result":
        yield from _tool_result(item, mask)
    elif media := next((name for name in _MEDIA if name in kind), None):
        yield Part(type="media", text=f"[{media}{_media_summary(item, media)}]", name=media)
    else:
        yield Part(text=to_json(item))


def _tool_result(item: Mapping[str, Any], mask: PadPattern) -> Iterator[Part]:
    call_id = _string(item.get("tool_use_id", item.get("tool_call_id")))
    for part in _content(item.get("content"), "tool", mask):
        if part.type == "tool_result":
            part.id = call_id
        yield part


def _calls(calls: Any) -> Iterator[Part]:
    if isinstance(calls, Sequence) and not isinstance(calls, str):
        for call in calls:
            yield _call(call)
    elif calls is not None:
        yield _call(calls)


def _call(source: Any) -> Part:
    """A call as ``name(arguments)``, its arguments word for word; one of an unknown shape as JSON."""
    call = source
    if isinstance(source, str):
        # verifiers before 0.4 wrote each call as a string of JSON.
        try:
            call = json.loads(source)
        except (ValueError, RecursionError):
            return Part(type="tool_call", text=source)
    if not isinstance(call, Mapping):
        return Part(type="tool_call", text=source if isinstance(source, str) else to_json(source))
    function = call["function"] if isinstance(call.get("function"), Mapping) else call
    name, call_id = _string(function.get("name")), _string(call.get("id", call.get("call_id")))
    arguments = function.get("arguments", function.get("input"))
    given = {key for key, value in call.items() if value is not None} - {"id", "call_id", "type", "index"}
    expected = {"function"} if function is not call else {"name", "arguments", "input"}
    inside = {key for key, value in function.items() if value is not None} - {"id", "call_id", "type", "index"}
    if name is None or given - expected or inside - {"name", "arguments", "input"}:
        return Part(
            type="tool_call", text=source if isinstance(source, str) else to_json(source), name=name, id=call_id
        )
    if arguments is None:
        arguments = ""
    text = arguments if isinstance(arguments, str) else to_json(arguments)
    return Part(type="tool_call", text=f"{name}({text})", lead=len(name) + 1, tail=1, name=name, id=call_id)


def _unknown_fields(source: Mapping[str, Any]) -> Iterator[Part]:
    for key, value in source.items():
        if key in _KNOWN or value is None or value in ("", [], {}):
            continue
        if key in _REASONING and isinstance(value, str):
            continue
        yield Part(text=f"\n{to_json({key: value})}")


def _media_summary(item: Mapping[str, Any], media: str) -> str:
    """What can be said of an image without its bytes: where it is, or its type and size."""
    for key in (media, f"{media}_url", f"input_{media}", "source", "url", "data"):
        value = item.get(key)
        if isinstance(value, Mapping):
            value = value.get("url") or value.get("data") or value.get("file_id")
        if isinstance(value, str) and value:
            return ": " + _address_or_size(value)
    return ""


def _address_or_size(value: str) -> str:
    if value.startswith("data:"):
        header, _, data = value.partition(",")
        kind = header.removeprefix("data:").partition(";")[0]
        return f"{kind}, {_size(data)}".lstrip(", ")
    if len(value) > _SHOWN_URL and "/" not in value[:_SHOWN_URL].replace("//", "", 1):
        return _size(value)
    return value if len(value) <= _SHOWN_URL else f"{value[:_SHOWN_URL]}… ({len(value)} characters)"


def _size(base64: str) -> str:
    """The size of what base64 text stands for: four characters hold three bytes."""
    size = len(base64) * 3 // 4
    return f"{size:,} bytes" if size < 10_000 else f"{size // 1_000:,} kB"


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def to_json(value: Any) -> str:
    """JSON as the source would have written it: bare NaN and lone surrogates stay as they are."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError, TypeError):
        return f"({type(value).__name__} nested too deeply to be written out)"
