"""What a tool call says about itself: its name and id, and whether it was cut short."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Struct


class ToolCall(Struct, frozen=True):
    """What is known of one call. ``complete`` is False when its JSON breaks off."""

    name: str | None = None
    id: str | None = None
    complete: bool = True


class _JsonCall(Struct):
    name: Any = None
    id: Any = None
    function: Any = None


_decode = msgspec.json.Decoder(type=_JsonCall | list[_JsonCall]).decode

# JSON that breaks off before its end still says its name when that comes first, as all templates write it.
_CUT_JSON_NAME = re.compile(r'\s*\[?\s*\{\s*"name"\s*:\s*"([^"\\]{1,200})"')
_OTHER_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\s*<function=([^>\n]{1,200})>",  # Qwen3-Coder inside <tool_call>
        r"function<｜tool▁sep｜>([^\n<]{1,200})",  # DeepSeek V3, R1
        r"([^\n<]{1,200})<｜tool▁sep｜>",  # DeepSeek V3.1
        r'\s*<(?:｜DSML｜)?invoke name="([^"\n]{1,200})"',  # DeepSeek V3.2, MiniMax
        r"\s*(?:functions\.)?([^\s<:]{1,200})(?::\d+)?\s*<\|tool_call_argument_begin\|>",  # Kimi K2
        r"\s*call:([^\s{]{1,200})\{",  # Gemma 4
        r"\s*([\w.-]{1,200})\[(?:CALL_ID|ARGS)\]",  # Mistral
        r"\s*([\w.-]{1,200}?)(?:\.call)?\(",  # Llama 3's built-in tools
        r"\s*([\w.-]{1,200})[ \t]*(?:\n|<arg_key>|\Z)",  # GLM
    )
)
_MISTRAL_ID = re.compile(r"\s*[\w.-]{1,200}\[CALL_ID\](\w{1,64})")


def read_call(content: str) -> ToolCall:
    """The name and id in a call's content, whatever family wrote it. What it does not say stays None."""
    if content.lstrip()[:1] in ("{", "["):
        return _read_json(content)
    for pattern in _OTHER_NAMES:
        if found := pattern.match(content):
            call_id = _MISTRAL_ID.match(content)
            return ToolCall(found[1].strip(), call_id[1] if call_id else None)
    return ToolCall()


def _read_json(content: str) -> ToolCall:
    try:
        decoded = _decode(content)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        cut = _CUT_JSON_NAME.match(content)
        return ToolCall(cut[1] if cut else None, complete=False)
    first = decoded if isinstance(decoded, _JsonCall) else next(iter(decoded), _JsonCall())
    name = first.name
    if name is None and isinstance(first.function, dict):
        name = first.function.get("name")
    return ToolCall(name if isinstance(name, str) else None, first.id if isinstance(first.id, str) else None)
