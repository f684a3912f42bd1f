"""Objects of the shapes that trainers hand around, as far as the integrations look at them."""

from __future__ import annotations

from typing import Any


class Array(list[Any]):
    """What is used of a tensor."""

    def tolist(self) -> list[Any]:
        return [item.tolist() if isinstance(item, Array) else item for item in self]

    def item(self) -> Any:
        [value] = self
        return value


class Tokenizer:
    """A token is a code point; 0 pads and 1 ends, and neither has text of its own."""

    def decode(self, ids: Any, skip_special_tokens: bool = True) -> str:
        special = "" if skip_special_tokens else "¶"
        return "".join(chr(token) if token > 1 else special for token in ids)


def ids(text: str, *, end: bool = False) -> list[int]:
    return [ord(letter) for letter in text] + [1] * end


def texts(line: dict[str, Any]) -> list[tuple[str, str]]:
    """Who said what in a recorded line."""
    return [
        (message["role"], "".join(part.get("text", "") for part in message.get("parts", [])))
        for message in line["messages"]
    ]
