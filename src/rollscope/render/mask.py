"""Runs of pad tokens: thousands of ``<|image_pad|>`` that stand for one picture, taken out of the text and counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from rollscope.errors import UsageError
from rollscope.model import Message, Part, PartType

#: Pad tokens that stand for the pieces of one image, video or sound. A run of them is shown once, with its count.
DEFAULT_MASK: Final = re.compile(
    r"<(?:\|(?:image_pad|imgpad|image|video_pad|video|audio_pad|audio_comp_pad|audio|IMAGE|VIDEO|AUDIO|media_pad)\|>"
    r"|image>|video>|audio>|image_soft_token>|audio_soft_token>|IMG_CONTEXT>)|\[IMG\]"
)

# Blocks whose content may hold an image worth folding away (a screenshot in a tool's answer).
_PADDED: frozenset[PartType] = frozenset({"thinking", "tool_result", "answer"})

#: A pattern of the user's may match long texts; the run's name is for a label.
_LONGEST_NAME = 40


def parse_mask(text: str | None) -> re.Pattern[str] | None:
    """The pattern that `--mask-str` asks for: the usual one for None, none for an empty text."""
    if text is None:
        return DEFAULT_MASK
    try:
        return re.compile(text) if text else None
    except re.error as error:
        raise UsageError(f"--mask-str {text!r} is not a regular expression: {error}") from None


def mask_messages(messages: Iterable[Message], mask: re.Pattern[str] | None) -> None:
    """Fold the pad tokens of messages, which the usual mask has folded already, by another mask, in place."""
    for message in messages:
        message.parts = refold_pads(message.parts, mask)


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


def refold_pads(parts: Iterable[Part], mask: re.Pattern[str] | None) -> list[Part]:
    """``parts`` that were folded by one mask, folded by another; None leaves all pad tokens in the text."""
    whole = _unfolded(parts)
    return whole if mask is None else list(fold_pads(whole, mask))


def _unfolded(parts: Iterable[Part]) -> list[Part]:
    """Undoes :func:`fold_pads`: each pad part and what was cut around it is one part again. Only where pads stood at the
    very edge of an open block is it not known to which side they belonged; there they stay a text of their own."""
    whole: list[Part] = []
    after_pad = False
    for part in parts:
        before = whole[-1] if whole else None
        if part.type == "pad" and before is not None and _is_cut(before):
            whole[-1] = _joined(before, Part(type=before.type, text=part.text))
        elif part.type == "pad":
            whole.append(Part(text=part.text))
        elif after_pad and before is not None and before.type == part.type and part.lead == 0:
            whole[-1] = _joined(before, part)
        else:
            whole.append(part)
        after_pad = part.type == "pad"
    return whole


def _is_cut(part: Part) -> bool:
    """A part that goes on behind a pad: text, or a block whose end has not come."""
    return part.type == "text" or (part.type in _PADDED and part.closed and part.tail == 0)


def _joined(first: Part, then: Part) -> Part:
    return Part(
        type=first.type,
        text=first.text + then.text,
        lead=first.lead,
        tail=then.tail,
        name=first.name,
        id=first.id,
        closed=then.closed,
    )


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
        token = mask.match(text, start)
        yield Part(type="pad", text=text[start:stop], count=count, name=token[0][:_LONGEST_NAME] if token else None)
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
