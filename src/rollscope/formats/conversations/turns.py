"""Conversations that came as one list of messages: where the prompt ends, and which turn each message belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rollscope import render
from rollscope.model import Message

#: Plain words that stand where a chat template would put a header.
_PLAIN_HEADER = re.compile(r"\n+Assistant:")
#: SkyRL's, over each message of a trajectory; what the policy did not say is USER/TOOL, for its mask does not tell which.
_BLOCK_HEADER = re.compile(r"(?:\A|\n\n)\[(SYSTEM|DEVELOPER|USER|ASSISTANT|TOOL|USER/TOOL)\]\n")
#: Behind the header that a prompt ends with: some templates open the thoughts, or leave them out.
NOTHING_SAID = re.compile(r"\s*(<think>\s*(</think>\s*)?)?")


def answer_start(text: str) -> int | None:
    """Where the answer begins in a text that is prompt and answer at once: behind the first header of an assistant."""
    if starts := render.answer_starts(text):
        return starts[0]
    header = _PLAIN_HEADER.search(text)
    return header.end() if header else None


def named_blocks(text: str) -> list[dict[str, str]] | None:
    """The messages of a text that begins with `[USER]` or another role in brackets, a block a message."""
    headers = list(_BLOCK_HEADER.finditer(text))
    if not headers or headers[0].start():
        return None
    ends = [*(header.start() for header in headers[1:]), len(text)]
    return [{"role": found[1].lower(), "content": text[found.end() : end]} for found, end in zip(headers, ends)]


def conversation(messages: Sequence[Any], *, answered_from: int | None = None) -> list[Message]:
    """Everything before the first assistant message is the prompt. ``answered_from`` says otherwise: few-shot examples
    and set phrases may hold assistant messages that this policy did not write."""
    first = answered_from
    if first is None:
        first = next(
            (place for place, message in enumerate(messages) if _speaker(message) == "assistant"), len(messages)
        )
    asked, answered = list(messages[:first]), list(messages[first:])
    return [*render.messages_from_chat(asked, turn=None), *render.messages_from_chat(answered, turn=0)]


def _speaker(message: Any) -> str:
    return str(message.get("role") or "") if isinstance(message, dict) else ""
