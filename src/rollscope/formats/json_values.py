"""Values of a JSON record where the type that is wanted is known: what is of another type counts as nothing."""

from __future__ import annotations

from typing import Any

import msgspec

from rollscope.model import as_number


def number(value: Any) -> float | None:
    """A number or bool of the source; a text that looks like one is none."""
    return as_number(value) if isinstance(value, (bool, int, float)) else None


def numbers_of(value: Any) -> dict[str, float]:
    """The numbers of a mapping by name; whatever else it holds is left out."""
    pairs = value.items() if isinstance(value, dict) else ()
    return {str(key): found for key, item in pairs if (found := number(item)) is not None}


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def text(value: Any) -> str | None:
    """A text that says something."""
    return value if isinstance(value, str) and value else None


def decoded(value: Any) -> Any:
    """What a column of JSON texts holds; a text that is none, and anything else, as it is."""
    if not isinstance(value, (str, bytes)):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeError, RecursionError):  # half a character is text too
        return value


def count(value: Any) -> int | None:
    """A whole number that a column can hold."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63 else None
