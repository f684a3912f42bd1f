"""Where characters of a sample's text stand in its messages, part by part, and in its raw text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from rollscope.model import Message


class PartPlace(Struct, kw_only=True):
    """Characters [start, end) of one part of one message."""

    message: int
    part: int
    start: int
    end: int


class SpanPlaces(Struct, kw_only=True):
    parts: list[PartPlace]
    raw: Annotated[
        tuple[int, int] | None, Meta(description="The same characters of the raw text; null where it lacks them.")
    ]


class _PartText(Struct):
    message: int
    part: int
    text: str
    #: Where it begins in the searched text, and in the raw one.
    start: int
    raw: int


class PlacedText:
    """One of a sample's texts (its response, its prompt), laid over the parts of its messages."""

    def __init__(self, text: str, messages: Sequence[Message], raw: str, *, response: bool) -> None:
        self._parts = list(_laid(text, messages, raw, response))

    def places(self, start: int, end: int) -> SpanPlaces:
        found, raws = [], []
        for item in self._parts:
            low, high = max(start, item.start), min(end, item.start + len(item.text))
            if low >= high:
                continue
            here = (low - item.start, high - item.start)
            found.append(PartPlace(message=item.message, part=item.part, start=here[0], end=here[1]))
            if item.raw >= 0:
                raws.append((item.raw + here[0], item.raw + here[1]))
        return SpanPlaces(parts=found, raw=(raws[0][0], raws[-1][1]) if raws else None)


def _laid(text: str, messages: Sequence[Message], raw: str, response: bool) -> Iterator[_PartText]:
    """Parts stand in the text in their order. Where it is not just the messages, joined, each part is looked for after
    the one before; one that the text does not have has no place."""
    own = [message.text for message in messages if (message.turn is not None) == response]
    between = next((glue for glue in ("", "\n") if glue.join(own) == text), None)
    at = in_raw = 0
    for number, message in enumerate(messages):
        belongs = (message.turn is not None) == response
        # The message as a whole is surer than its parts, which may be a line break; thoughts may stand apart in it.
        whole = raw.find(message.text, in_raw)
        in_raw = max(whole, in_raw)
        for place, part in enumerate(message.parts):
            if not part.text:
                continue
            raw_at = in_raw if whole >= 0 else raw.find(part.text, in_raw)
            if raw_at >= 0:
                in_raw = raw_at + len(part.text)
            if not belongs:
                continue
            start = at if between is not None else text.find(part.text, at)
            if start >= 0:
                at = start + len(part.text)
                yield _PartText(number, place, part.text, start, raw_at)
        if belongs and between is not None:
            at += len(between)
