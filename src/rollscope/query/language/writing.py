"""Parts of a filter as text: what the lexer reads back as the same text and the same field."""

from __future__ import annotations

from rollscope.query.language.lexer import PLAIN_MEMBER

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"})


def quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def member(space: str, name: str) -> str:
    """A field of a space, such as `metrics.correct`; its name stands in quotes where it has signs of the language."""
    return f"{space}.{name if PLAIN_MEMBER.fullmatch(name) else quoted(name)}"
