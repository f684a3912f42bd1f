"""Answers of Anthropic's Messages API: a message of the assistant that has what the API says of it around what was said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_ENVELOPE = frozenset({"id", "type", "model", "stop_reason", "stop_sequence", "finish_reason", "usage"})


def is_answer(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and value.get("type") == "message"
        and value.get("role") == "assistant"
        and "content" in value
        and "stop_reason" in value
    )


def bare(message: Mapping[str, Any]) -> dict[str, Any]:
    """The message alone."""
    return {name: value for name, value in message.items() if name not in _ENVELOPE}
