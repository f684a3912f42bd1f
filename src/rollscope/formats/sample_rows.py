"""Index rows made from whole samples, for formats whose records must be understood to be counted.

A format of flat records reads its scalars without decoding a text (`lines.flat`), which is ten times as fast. Where a
record is a graph, a list of trajectories or a table of columns, one function that makes samples says everything once:
the list and the opened sample cannot differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import xxhash

from rollscope.fields import STORED
from rollscope.model import Message, Sample

_COUNTED = frozenset({"split", "step", "index", "turns", "response_bytes"})


def sample_columns(samples: Sequence[Sample]) -> dict[str, list[Any]]:
    """The columns of these samples. Split and step are the caller's: a sample's defaults would speak for its file."""
    columns: dict[str, list[Any]] = {
        field.name: [getattr(sample, field.name) for sample in samples]
        for field in STORED
        if field.name not in _COUNTED
    }
    columns["turns"] = [_turns(sample) for sample in samples]
    columns["prompt_hash"] = [_prompt_hash(sample.messages) for sample in samples]
    columns["response_bytes"] = [response_bytes(sample.messages) for sample in samples]
    for kind in ("metrics", "rewards"):
        for name in dict.fromkeys(name for sample in samples for name in getattr(sample, kind)):
            columns[f"{kind}.{name}"] = [getattr(sample, kind).get(name) for sample in samples]
    return columns


def _turns(sample: Sample) -> int | None:
    numbers = {message.turn for message in sample.messages if message.turn is not None}
    return len(sample.turns) or len(numbers) or None


def _prompt_hash(messages: Sequence[Message]) -> int | None:
    asked = "\0".join(f"{message.role}\1{message.text}" for message in messages if message.turn is None)
    return int(xxhash.xxh3_64_intdigest(asked.encode("utf-8", "surrogatepass"))) if asked else None


def response_bytes(messages: Sequence[Message]) -> int:
    answered = (message.text for message in messages if message.turn is not None)
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in answered)
