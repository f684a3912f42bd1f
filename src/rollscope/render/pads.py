"""Runs of pad tokens: thousands of ``<|image_pad|>`` that stand for one picture, taken out of the text and counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rollscope.model import Part, PartType

# Blocks whose content may hold an image worth folding away (a screenshot in a tool's answer).
_PADDED: frozenset[PartType] = frozenset({"thinking", "tool_result", "answer"})


def fold_pads(parts: Iterable[Part], mask: re.Pattern[str]) -> Iterator[Part]:
    """``parts`` with every run of pad tokens as a ``pad`` part of its own; what lies around it stays of its type."""
    for part in parts:
        if part.type == "text":
            yield from _cut(part, mask, shortest=1)
        elif part.type in _PADDED:
            # One such token inside a thought is a word about it; a run is an image.
            yield from _cut(part, mask, shortest=2)
        else:
            yield part


def mask_runs(text: str, mask: re.Pattern[str] | None) -> str:
    """``text`` with each run of matches shown as ``*`` and how many they were: ``*×96``."""
    if mask is None:
        return text
    pieces: list[str] = []
    done = 0
    for start, stop, count in pad_runs(text, mask):
        pieces += (text[done:start], f"*×{count}")
        done = stop
    return "".join((*pieces, text[done:])) if done else text


def pad_runs(text: str, mask: re.Pattern[str]) -> Iterator[tuple[int, int, int]]:
    """Each run of adjacent matches as (start, stop, how many). Empty matches are no matches."""
    start = stop = count = 0
    for match in mask.finditer(text):
        begin, end = match.span()
        if begin == end:
            continue
        if count and begin == stop:
            stop, count = end, count + 1
            continue
        if count:
            yield start, stop, count
        start, stop, count = begin, end, 1
    if count:
        yield start, stop, count


def _cut(part: Part, mask: re.Pattern[str], *, shortest: int) -> Iterator[Part]:
    text, done = part.text, 0
    for start, stop, count in pad_runs(text, mask):
        if count < shortest or start < part.lead or stop > len(text) - part.tail:
            continue
        if start > done:
            yield _piece(part, done, start)
        yield Part(type="pad", text=text[start:stop], count=count)
        done = stop
    if done == 0:
        yield part
    elif done < len(text):
        yield _piece(part, done, len(text))


def _piece(part: Part, start: int, stop: int) -> Part:
    whole = len(part.text)
    return Part(
        type=part.type,
        text=part.text[start:stop],
        lead=part.lead if start == 0 else 0,
        tail=part.tail if stop == whole else 0,
        name=part.name,
        id=part.id,
        closed=part.closed or stop < whole,
    )
