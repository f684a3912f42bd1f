"""A conversation as one text that still knows which of its ranges are thoughts, calls and results.

Messages that came as structure have no delimiters in their text. Who reads the text alone sees a text; who asks what a
stretch of it is can be told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rollscope.model import Part, PartType

_TOLD: frozenset[PartType] = frozenset({"thinking", "tool_call", "tool_result"})


class MessageText(str):
    """The text, and (where it begins, part) of what in it is not said to the reader."""

    __slots__ = ("parts",)
    parts: list[tuple[int, Part]]


def calls_on_lines(text: str) -> str:
    """For the eye: a call that came as structure begins a line instead of standing at the last word before it."""
    if not isinstance(text, MessageText):
        return text
    pieces, at = [], 0
    for start, part in text.parts:
        if part.type == "tool_call" and start > 0 and text[start - 1] != "\n":
            pieces.append(text[at:start])
            at = start
    return "\n".join([*pieces, text[at:]])


def join_messages(messages: Iterable[tuple[str, Sequence[Part]]]) -> str:
    """Texts of messages with line breaks between them; `parts` are those that a text is made of, none where it is plain."""
    placed: list[tuple[int, Part]] = []
    bare = False
    texts = []
    at = 0
    for text, parts in messages:
        place = at
        for part in parts:
            if part.type in _TOLD:
                placed.append((place, part))
                # A thought between its delimiters is seen in the text itself.
                bare = bare or part.type != "thinking" or not part.lead
            place += len(part.text)
        texts.append(text)
        at += len(text) + 1
    joined = "\n".join(texts)
    if not bare:
        return joined
    found = MessageText(joined)
    found.parts = placed
    return found
