"""Text for a screen: the whole conversation as one string, and what a terminal must not be sent made visible."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from rollscope.model import Message, Part
from rollscope.render.templates import has_header
from rollscope.render.think_and_tool_blocks import THINKING_OPENERS

# Everything a terminal or a bidi algorithm acts on instead of showing: C0 (but tab and line feed), DEL, C1, marks and
# overrides of direction, separators that break lines, invisible operators, tags, and lone surrogates, which cannot even
# be written. Joiners (U+200C, U+200D) stay: Persian, Hindi and emoji are spelled with them.
_UNSAFE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_DELETE: Final = "\x7f"


def visible(text: str) -> str:
    """``text`` with every control character as a picture (``␛``, ``␀``) or its number (``⟦U+202E⟧``), so that model
    text can be written to a terminal. Tabs and line feeds stay."""
    return _UNSAFE.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    character = match[0]
    if character < " ":
        return chr(0x2400 + ord(character))
    return "␡" if character == _DELETE else f"⟦U+{ord(character):04X}⟧"


def plain(messages: Sequence[Message]) -> str:
    """The whole conversation as one string: the raw view.

    Rendered conversations carry their template and are given back character by character. Messages that came as structure
    have no text between them: each that does not begin with a template's header gets its role on a line of its own, and
    thoughts that came in a field of their own stand between ``[thinking]`` and ``[/thinking]``.
    """
    prompt = [message for message in messages if message.turn is None] or messages
    if any(_has_header(message) for message in prompt) or (prompt and _ends_inside_a_thought(prompt[-1])):
        return "".join(message.text for message in messages)
    if len(messages) == 1:
        return _marked(messages[0].parts)
    pieces: list[str] = []
    for message in messages:
        if _has_header(message):
            pieces.append(message.text)
        else:
            pieces.append(f"{chr(10) * 2 if pieces else ''}[{_speaker(message)}]\n{_marked(message.parts)}")
    return "".join(pieces)


def readable(parts: Sequence[Part]) -> str:
    """A message for a reader, without the template's own tokens: thoughts between ``[thinking]`` and ``[/thinking]``, calls
    and results on lines of their own, runs of pad tokens as one with their count."""
    pieces: list[str] = []
    for thinking, run in groupby(_without_markers(parts), lambda shown: shown[0]):
        found = [part for _, part in run]
        if thinking:
            text = "".join(_pad_or(part, part.content) for part in found).strip("\n")
            end = "[/thinking]" if found[-1].closed else "[thinking was not closed]"
            pieces.append(f"\n[thinking]\n{text}\n{end}\n")
        else:
            pieces += (
                f"\n{part.text}\n" if part.type in ("tool_call", "tool_result") else _pad_or(part, part.text)
                for part in found
            )
    return "".join(pieces)


def _without_markers(parts: Sequence[Part]) -> Iterator[tuple[bool, Part]]:
    """The parts without markers, each with whether it belongs to a thought; pad tokens belong to what they lie in."""
    inside = False
    for part in parts:
        if part.type == "marker":
            continue
        if part.type != "pad":
            inside = part.type == "thinking"
        yield inside, part


def _pad_or(part: Part, text: str) -> str:
    return f"{part.name or 'pad'} × {part.count:,}" if part.type == "pad" else text


def _marked(parts: Sequence[Part]) -> str:
    """A message's text, its thoughts marked where the text itself does not; what was a call in a field begins a line."""
    pieces: list[str] = []
    inside = False
    for part in parts:
        text = part.text
        if part.type == "thinking":
            if not inside and part.lead == part.tail == 0 and part.closed:
                text = f"[thinking]\n{text}\n[/thinking]\n"
            # A run of pad tokens cuts a thought in pieces, of which only the ends have delimiters.
            inside = (inside or part.lead > 0) and part.tail == 0
        elif part.type != "pad":
            inside = False
        if part.type == "tool_call" and pieces and text[:1] not in "<[" and not pieces[-1].endswith("\n"):
            text = f"\n{text}"
        pieces.append(text)
    return "".join(pieces)


def _has_header(message: Message) -> bool:
    """Does its text begin by saying who speaks?"""
    if not message.parts:
        return False
    first = message.parts[0]
    return has_header(first.text if first.type == "marker" else first.text[: first.lead])


def _ends_inside_a_thought(message: Message) -> bool:
    """A prompt that opens a think block for the response: both are one text, whatever their template was."""
    last = message.parts[-1] if message.parts else Part()
    return last.type == "marker" and last.text.rstrip().endswith(THINKING_OPENERS)


def _speaker(message: Message) -> str:
    return f"{message.role} {message.name}" if message.name else message.role
