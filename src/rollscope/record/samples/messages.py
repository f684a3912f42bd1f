"""Messages as training loops have them, as :class:`rollscope.model.Message`: OpenAI-style dicts (also Anthropic's and
Tinker's parts), plain text, or Messages. Everything is copied; no text is changed or cut."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from rollscope.model import Message, Part
from rollscope.record.samples.values import Complain, count_or_none, object_text, plain

#: What a caller may pass for a prompt, a response or a whole conversation.
Conversation = str | Mapping[str, Any] | Message | Sequence[Mapping[str, Any] | Message]

_PART_TYPES = frozenset({"text", "thinking", "tool_call", "tool_result", "tools", "answer", "media", "pad", "marker"})
_REASONING_KEYS = ("reasoning_content", "reasoning", "thinking")
_TEXT_TYPES = frozenset({"text", "input_text", "output_text", "refusal"})


def conversation(value: Conversation | None, *, role: str, complain: Complain) -> list[Message]:
    """``role`` is who speaks when only a text is given."""
    if value is None:
        return []
    if isinstance(value, str):
        return [Message(role=role, parts=[Part(text=value)])]
    if _is_message(value):
        return [message(value, complain)]
    if isinstance(value, (bytes, bytearray)):
        return [_bare(value.decode("utf-8", "backslashreplace"), role)]
    items = _items(value)
    if items and not any(isinstance(item, str) or _is_message(item) for item in items):
        named = "response" if role == "assistant" else "prompt"
        complain(f"a {named} is a {type(value).__name__}, no text and no messages; it was recorded as str() shows it")
        return [_bare(object_text(value), role)]
    return [message(item, complain) if not isinstance(item, str) else _bare(item, role) for item in items]


def _items(value: Any) -> list[Any]:
    try:
        return list(value)
    except TypeError:  # a number, or a tensor without dimensions, which only says so when it is asked
        return [value]


def _is_message(value: Any) -> bool:
    return isinstance(value, (Mapping, Message)) or hasattr(value, "role")


def _bare(text: str, role: str) -> Message:
    return Message(role=role, parts=[Part(text=text)])


def number_turns(prompt: list[Message], response: list[Message]) -> list[Message]:
    """One list; each assistant message of the response begins a turn, what follows it belongs to that turn."""
    turn = -1
    for item in response:
        if item.role == "assistant" or turn < 0:
            turn += 1
        item.turn = turn
    return prompt + response


def split_at_first_response(messages: list[Message]) -> tuple[list[Message], list[Message]]:
    """Prompt and response of a whole conversation: the response begins with the first assistant message, or, where
    messages carry turns, with the first that has one."""
    has_turns = any(item.turn is not None for item in messages)
    for place, item in enumerate(messages):
        if item.turn is not None if has_turns else item.role == "assistant":
            return messages[:place], messages[place:]
    return messages, []


def message(value: Any, complain: Complain) -> Message:
    if type(value) is not dict and isinstance(value, Message):
        copy = msgspec.structs.replace(value)
        copy.parts = [msgspec.structs.replace(part) for part in value.parts]
        return copy
    if type(value) is not dict and not isinstance(value, Mapping):
        value = _as_mapping(value, complain)
    get = value.get
    tool_call_id = _text_or_none(get("tool_call_id"))
    name = _text_or_none(get("name"))
    out = Message(role=str(get("role", "user")), name=name, tool_call_id=tool_call_id)
    parts = out.parts = []
    for key in _REASONING_KEYS:
        if isinstance(reasoning := get(key), str) and reasoning:
            parts.append(_thinking(reasoning))
            break
    parts.extend(_content_parts(get("content"), out, complain))
    if (structured := get("parts")) is not None:
        parts.extend(_part(item, out, complain) for item in _iterable(structured))
    parts.extend(_tool_call(call, complain) for call in _iterable(get("tool_calls")))
    for call in _iterable(get("unparsed_tool_calls")):
        text = call.get("raw_text", "") if isinstance(call, Mapping) else str(call)
        parts.append(Part(type="tool_call", text=str(text), closed=False))
    out.tokens = count_or_none(get("tokens", get("num_tokens")), "a message's token count", complain)
    out.turn = count_or_none(get("turn"), "a message's turn", complain)
    if isinstance(get("trainable"), bool):
        out.trainable = get("trainable")
    return out


def _content_parts(content: Any, owner: Message, complain: Complain) -> list[Part]:
    """The parts of a message's content, which may be a text, a part, or a list of parts."""
    if type(content) is not str:
        items = [content] if isinstance(content, (Mapping, Part)) else content
        return [_part(item, owner, complain) for item in _iterable(items)]
    if not content:
        return []
    if owner.role == "tool":
        return [Part(type="tool_result", text=content, id=owner.tool_call_id, name=owner.name)]
    return [Part(text=content)]


def _part(value: Any, owner: Message, complain: Complain) -> Part:
    if isinstance(value, Part):
        return msgspec.structs.replace(value)
    if isinstance(value, str):
        return Part(text=value)
    if not isinstance(value, Mapping):
        return media_summary(value)
    kind = value.get("type", "text")
    if kind in _TEXT_TYPES:
        text = _string(value.get("text", value.get("refusal", "")), complain)
        if owner.role == "tool":
            return Part(type="tool_result", text=text, id=owner.tool_call_id, name=owner.name)
        return Part(text=text)
    if kind in ("thinking", "reasoning") and ("text" not in value or kind == "reasoning"):
        return _thinking(_string(value.get(kind, value.get("text", "")), complain))
    if kind in ("tool_call", "tool_use", "function") and "text" not in value:
        return _tool_call(value, complain)
    if kind == "tool_result" and "text" not in value:
        return Part(
            type="tool_result",
            text=_string(value.get("content", ""), complain),
            id=_text_or_none(value.get("tool_use_id", value.get("id"))),
            name=_text_or_none(value.get("name")),
        )
    if kind in _PART_TYPES:
        return _own_part(value, complain)
    return media_summary(value)


def _thinking(text: str) -> Part:
    """Reasoning that came apart from the text, set off as models write it, so that the whole message reads as one."""
    return Part(type="thinking", text=f"<think>{text}</think>", lead=len("<think>"), tail=len("</think>"))


def _own_part(value: Mapping[str, Any], complain: Complain) -> Part:
    """A dict in the shape of :class:`Part` itself."""
    try:
        return msgspec.convert(plain(value, complain), Part)
    except msgspec.ValidationError as error:
        complain(f"a part of type {value.get('type')!r} is malformed ({error}); it is recorded as text")
        return Part(text=_string(value.get("text", ""), complain))


def _tool_call(value: Any, complain: Complain) -> Part:
    """OpenAI's ``{id, function: {name, arguments}}``, Anthropic's ``{id, name, input}``, or an object of that shape."""
    if not isinstance(value, Mapping):
        value = _as_mapping(value, complain)
    function = value.get("function")
    body = function if isinstance(function, Mapping) else value
    if function is not None and body is value:
        body = _as_mapping(function, complain)
    arguments = _string(next((body[key] for key in ("arguments", "input", "args") if key in body), ""), complain)
    name = _text_or_none(body.get("name")) or ""
    return Part(
        type="tool_call",
        text=f"{name}({arguments})",
        lead=len(name) + 1,
        tail=1,
        name=name or None,
        id=_text_or_none(value.get("id")),
    )


def media_summary(value: Any) -> Part:
    """An image, sound or video as one line about it. The bytes themselves are not recorded."""
    if isinstance(value, Mapping):
        raw_kind = str(value.get("type", "media"))
        kind = raw_kind.removeprefix("input_").removesuffix("_url")
        payload = next((value[key] for key in (raw_kind, kind, "image", "source", "url", "data") if key in value), None)
        if isinstance(payload, Mapping):
            payload = payload.get("url", payload.get("data", payload.get("format")))
        return Part(type="media", name=kind, text=_describe_media(payload) or kind)
    return Part(type="media", name="image" if hasattr(value, "size") else "media", text=_describe_media(value))


def _describe_media(payload: Any) -> str:
    if payload is None:
        return ""
    if isinstance(payload, str):
        if payload.startswith("data:"):
            header, _, body = payload.partition(",")
            return f"{header.removeprefix('data:').split(';')[0]}, {len(body) * 3 // 4:,} bytes"
        return payload if len(payload) <= 200 else f"{len(payload):,} characters"
    if isinstance(payload, (bytes, bytearray)):
        return f"{len(payload):,} bytes"
    shape = getattr(payload, "shape", None)
    if shape is not None:
        return f"{type(payload).__name__} {'×'.join(map(str, shape))}"
    size = getattr(payload, "size", None)
    if isinstance(size, tuple):  # PIL
        return f"{'×'.join(map(str, size))} {getattr(payload, 'format', None) or getattr(payload, 'mode', '')}".strip()
    return object_text(payload)


def _as_mapping(value: Any, complain: Complain) -> Mapping[str, Any]:
    """pydantic models, dataclasses and Structs of message shape."""
    if callable(dump := getattr(value, "model_dump", None)):
        dumped = dump()
        if isinstance(dumped, Mapping):
            return dumped
    as_plain = plain(value, complain)
    return as_plain if isinstance(as_plain, Mapping) else {"role": "user", "content": str(as_plain)}


def _string(value: Any, complain: Complain) -> str:
    """Text as it is; structured arguments and results as JSON text."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list) and value and all(isinstance(item, Mapping) and "text" in item for item in value):
        return "".join(str(item["text"]) for item in value)
    return json.dumps(plain(value, complain), ensure_ascii=False)


def _iterable(value: Any) -> Iterable[Any]:
    return value if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)) else ()


def _text_or_none(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)
