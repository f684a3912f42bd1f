"""A sample with its long texts cut to their ends: what the model just produced is what a reader wants first."""

from __future__ import annotations

from msgspec.structs import replace

from rollscope.model import Message, Part, Sample


def shorten(sample: Sample, *, max_chars: int | None, record: bool) -> Sample:
    """A copy in which no part is longer than ``max_chars`` (``chars`` tells its length), without its record if so
    asked."""
    if max_chars is not None:
        sample = replace(sample, messages=[_message(message, max_chars) for message in sample.messages])
    return sample if record else replace(sample, record=None)


def _message(message: Message, max_chars: int) -> Message:
    if all(len(part.text) <= max_chars for part in message.parts):
        return message
    return replace(message, parts=[_part(part, max_chars) for part in message.parts])


def _part(part: Part, max_chars: int) -> Part:
    if len(part.text) <= max_chars:
        return part
    # The opening delimiter is cut off with the start it belongs to.
    return replace(part, text=part.text[-max_chars:], lead=0, tail=min(part.tail, max_chars), chars=len(part.text))
