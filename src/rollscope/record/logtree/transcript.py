"""Data of nodes as HTML: conversations (who spoke, what they thought, which tools they called) and tables.

All text is escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

#: Thinking that stands in the text itself. An unclosed block (a truncated answer) runs to the end.
_THINK = re.compile(r"<(think|thinking|reasoning)>(.*?)(?:</\1>|\Z)", re.DOTALL)


def render_conversation(data: Mapping[str, Any]) -> Iterator[str]:
    messages = data.get("messages")
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, Mapping):
            yield from _message(message)


def render_table(data: Mapping[str, Any]) -> Iterator[str]:
    """A table given as ``title``, ``columns`` and ``rows``. What is the same in all rows is printed once, above it."""
    columns, rows = data["columns"], data["rows"]
    same = [place for place in range(len(columns)) if len(rows) > 1 and len({str(row[place]) for row in rows}) == 1]
    about = [f"{columns[place]} {_value(rows[0][place])}" for place in same]
    yield f'<div class="lt-table-caption">{escape(" · ".join([str(data["title"]), *about]))}</div>'
    kept = [place for place in range(len(columns)) if place not in same]
    head = "".join(f"<th>{escape(str(columns[place]))}" for place in kept)
    yield f'<table class="lt-table lt-numbers"><tr>{head}'
    for row in rows:
        yield "<tr>" + "".join(f"<td>{escape(_value(row[place]))}" for place in kept)
    yield "</table>"


def _value(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _message(message: Mapping[str, Any]) -> Iterator[str]:
    role = str(message.get("role", ""))
    name = message.get("name")
    who = f"{role} · {name}" if name else role
    css = role if role in ("system", "user", "assistant", "tool") else "other"
    tokens = message.get("tokens")
    size = f'<span class="lt-sub">{tokens:,} tokens</span>' if isinstance(tokens, int) else ""
    yield f'<article class="lt-msg lt-msg-{css}"><header>{escape(who)}{size}</header>'
    content = message.get("content")
    if isinstance(content, str):
        yield from _text(content, role)
    elif isinstance(content, list):
        for part in content:
            yield from _part(part if isinstance(part, Mapping) else {"type": "text", "text": str(part)}, role)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, Mapping):
            function = call.get("function")
            body = function if isinstance(function, Mapping) else call
            yield _call(str(body.get("name", "")), body.get("arguments", ""))
    yield "</article>"


def _part(part: Mapping[str, Any], role: str) -> Iterator[str]:
    kind = part.get("type")
    if kind == "thinking":
        yield _thinking(str(part.get("thinking", part.get("text", ""))), closed=part.get("closed") is not False)
    elif kind == "tool_call":
        yield _call(str(part.get("name") or ""), part.get("text", ""))
    elif kind == "tool_result":
        yield from _text(str(part.get("text", "")), "tool")
    elif kind in ("text", "answer", "tools", "marker"):
        yield from _text(str(part.get("text", "")), role)
    else:
        label = str(part.get("name") or kind or "media")
        yield f'<div class="lt-media">{escape(label)}: {escape(str(part.get("text") or part.get("image") or ""))}</div>'


def _text(text: str, role: str) -> Iterator[str]:
    if role == "tool":
        yield f'<pre class="lt-result">{escape(text)}</pre>'
        return
    end = 0
    # A system prompt that says "think between <think> and </think>" does not think.
    for block in _THINK.finditer(text) if role not in ("system", "user") else ():
        if lead := text[end : block.start()].strip("\n"):
            yield f'<div class="lt-text">{escape(lead)}</div>'
        yield _thinking(block[2], closed=block[0].endswith(">"))
        end = block.end()
    if rest := text[end:].strip("\n"):
        yield f'<div class="lt-text">{escape(rest)}</div>'


def _thinking(text: str, *, closed: bool) -> str:
    words = len(text.split())
    cut = "" if closed else ", cut off"
    return (
        f'<details class="lt-think"><summary>Thinking <span class="lt-sub">{words:,} words{cut}</span></summary>'
        f'<div class="lt-text">{escape(text.strip())}</div></details>'
    )


def _call(name: str, arguments: Any) -> str:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return f'<div class="lt-call"><b>{escape(name or "tool call")}</b><pre>{escape(text)}</pre></div>'
