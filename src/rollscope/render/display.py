"""Text for a screen: the whole conversation as one string, and what a terminal must not be sent made visible."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rollscope.model import Message

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


def plain(messages: Sequence[Message], *, headings: bool | None = None) -> str:
    """The whole conversation as one string: the raw view.

    Rendered conversations carry their template and are given back character by character. Messages that came as
    structure have no text between them; there each role stands on a line of its own. ``headings`` decides otherwise.
    """
    if headings is None:
        headings = len(messages) > 1 and not any(part.type == "marker" for each in messages for part in each.parts)
    if not headings:
        return "".join(message.text for message in messages)
    return "\n\n".join(f"[{_speaker(message)}]\n{message.text}" for message in messages)


def _speaker(message: Message) -> str:
    return f"{message.role} {message.name}" if message.name else message.role
