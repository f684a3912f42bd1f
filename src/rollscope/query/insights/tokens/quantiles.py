"""Values of tokens by their position in the response: what is drawn for a step, and how it spreads."""

from __future__ import annotations

import os
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from rollscope.arrays import Floats
from rollscope.errors import NotFoundError, UnreadableError
from rollscope.formats.base import Format
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.registry import from_reference
from rollscope.index.rows.row_texts import FileRows, place_of_row, without_long
from rollscope.query.insights.tokens.values import derived
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Store

FUNCTION = "rollscope.query.insights.tokens.quantiles:read_tokens"

#: What can be asked for, and the column it is of.
VALUES = {
    "log_ratio": "abs_log_ratio",
    "entropy": "entropy",
    "logprob": "logprobs",
    "mismatch_kl": "mismatch_kl",
    "reference_kl": "reference_kl",
}
QUANTILES = (0.5, 0.9, 0.99)
#: Where positions are cut: each stretch is twice as long as the one before.
EDGES = (0, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072)


class TokensTask(Struct, array_like=True):
    """Read the tokens of these rows."""

    format: str
    address: bytes
    value: str
    files: list[FileRows]
    #: Longer lines are not read: they would be held in memory whole.
    max_line: int | None = None


class TokensAnswer(Struct, array_like=True):
    """Of every token whose value is known: which row, position, value (as bytes); and which rows know any."""

    rows: bytes
    positions: bytes
    values: bytes
    read: int


class PositionQuantiles(Struct, kw_only=True):
    start: Annotated[int, Meta(description="The first position.")]
    end: Annotated[int, Meta(description="The position after the last.")]
    tokens: int
    p50: float
    p90: float
    p99: float
    max: float


class StepTokens(Struct, kw_only=True):
    """One step: over all its tokens, and by position."""

    step: int
    samples: Annotated[int, Meta(description="Samples of the step that were read and know the value.")]
    tokens: int
    p50: float
    p90: float
    p99: float
    max: float
    mean: float
    positions: list[PositionQuantiles]


_tasks = msgspec.msgpack.Decoder(TokensTask)
decode_answer = msgspec.msgpack.Decoder(TokensAnswer).decode


def read_tokens(payload: bytes) -> bytes:
    """In a worker."""
    task = _tasks.decode(payload)
    return msgspec.msgpack.encode(read_rows(task, from_reference(task.format), open_store(os.fsdecode(task.address))))


def read_rows(task: TokensTask, format_: Format, store: Store) -> TokensAnswer:
    rows: list[NDArray[np.int32]] = []
    positions: list[NDArray[np.int32]] = []
    values: list[Floats] = []
    before = read = 0
    for file in task.files:
        kept, places, _ = without_long(file, task.max_line)
        for number, place in enumerate(places):
            try:
                sample = format_.load(store, kept.source, place_of_row(kept, number))
            except (OSError, Unreadable, UnreadableError, NotFoundError):
                continue  # rewritten since it was indexed
            read += 1
            column = derived(sample.tokens)[VALUES[task.value]] if sample.tokens else np.zeros(0)
            known = np.flatnonzero(np.isfinite(column))
            rows.append(np.full(len(known), before + place, dtype=np.int32))
            positions.append(known.astype(np.int32))
            values.append(column[known])
        before += len(file.offsets)
    return TokensAnswer(_bytes(rows, np.int32), _bytes(positions, np.int32), _bytes(values, np.float64), read)


def _bytes(arrays: list[NDArray[np.int32]] | list[Floats], kind: type[np.generic]) -> bytes:
    return b"".join(array.astype(kind).tobytes() for array in arrays)


def step_tokens(step: int, samples: int, positions: NDArray[np.int32], values: Floats) -> StepTokens:
    """The statistics of one step, which has at least one token."""
    stretch = np.searchsorted(EDGES, positions, side="right") - 1
    parts = []
    for number in np.unique(stretch).tolist():
        inside = values[stretch == number]
        end = EDGES[number + 1] if number + 1 < len(EDGES) else int(positions.max()) + 1
        parts.append(PositionQuantiles(start=EDGES[number], end=end, tokens=len(inside), **_spread(inside)))
    whole = _spread(values)
    return StepTokens(
        step=step, samples=samples, tokens=len(values), mean=float(values.mean()), positions=parts, **whole
    )


def _spread(values: Floats) -> dict[str, float]:
    p50, p90, p99 = np.quantile(values, QUANTILES).tolist()
    return {"p50": p50, "p90": p90, "p99": p99, "max": float(values.max())}
