"""Index rows made from whole samples, for formats whose records must be understood to be counted.

A format of flat records reads its scalars without decoding a text (`lines.flat`), which is ten times as fast. Where a
record is a graph, a list of trajectories or a table of columns, one function that makes samples says everything once:
the list and the opened sample cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import xxhash

from rollscope.fields import STORED
from rollscope.model import Message, Sample

_COUNTED = frozenset({"split", "step", "index", "turns", "response_bytes"})
_SCALARS = tuple(field.name for field in STORED if field.name not in _COUNTED)


def sample_columns(samples: Iterable[Sample]) -> dict[str, list[Any]]:
    """The columns of these samples. Split and step are the caller's: a sample's defaults would speak for its file.
    Of each only its row is kept: where samples are made one by one, a file's texts are never in memory together."""
    columns: dict[str, list[Any]] = {name: [] for name in (*_SCALARS, "turns", "prompt_hash", "response_bytes")}
    count = 0
    for sample in samples:
        for name in _SCALARS:
            columns[name].append(getattr(sample, name))
        columns["turns"].append(_turns(sample))
        columns["prompt_hash"].append(_prompt_hash(sample.messages))
        columns["response_bytes"].append(response_bytes(sample.messages))
        for kind in ("metrics", "rewards"):
            for name, value in getattr(sample, kind).items():
                column = columns.setdefault(f"{kind}.{name}", [])
                column.extend([None] * (count - len(column)))
                column.append(value)
        count += 1
    for column in columns.values():
        column.extend([None] * (count - len(column)))
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
