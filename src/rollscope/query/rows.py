"""Index rows as answers: scalars of samples, with numbers that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from rollscope.model import address, nonfinite_name
from rollscope.query.answers import SampleRow

_TEXT = ("env", "dataset", "status", "stop_reason", "discard_reason")
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens", "turns", "sampling_step", "staleness")


def group_name(text: str | None) -> int | str | None:
    """Groups are kept as text; a canonical integer is shown as the integer the source had."""
    if text is not None and text.lstrip("-").isdecimal() and text.isascii() and str(int(text)) == text:
        return int(text)
    return text


def finite(name: str, value: float | None, nonfinite: dict[str, str]) -> float | None:
    """The number, or None with its name noted when JSON has no word for it."""
    if value is None or math.isfinite(value):
        return value
    nonfinite[name] = nonfinite_name(value) or "NaN"
    return None


def sample_rows(table: pa.Table, run: str) -> list[SampleRow]:
    metrics = [(name, name.removeprefix("metrics.")) for name in table.column_names if name.startswith("metrics.")]
    rewards = [(name, name.removeprefix("rewards.")) for name in table.column_names if name.startswith("rewards.")]
    return [_row(record, run, metrics, rewards) for record in table.to_pylist()]


def _row(
    record: Mapping[str, Any], run: str, metrics: list[tuple[str, str]], rewards: list[tuple[str, str]]
) -> SampleRow:
    nonfinite: dict[str, str] = {}
    named = {
        kind: {short: finite(name, record[name], nonfinite) for name, short in names if record[name] is not None}
        for kind, names in (("metrics", metrics), ("rewards", rewards))
    }
    return SampleRow(
        run=run,
        address=address(record["split"], record["step"], record["index"]),
        split=record["split"],
        step=record["step"],
        index=record["index"],
        group=group_name(record["group"]),
        reward=finite("reward", record["reward"], nonfinite),
        advantage=finite("advantage", record.get("advantage"), nonfinite),
        tags=record.get("tags") or [],
        metrics=named["metrics"],
        rewards=named["rewards"],
        nonfinite=nonfinite,
        **{name: record.get(name) for name in _TEXT},
        **{name: record.get(name) for name in _COUNTS},
    )
