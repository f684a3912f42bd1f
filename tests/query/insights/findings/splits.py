"""Rows as detectors see them, made from columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from rollscope.model import Range
from rollscope.query.insights.findings.model import SplitData


def split_data(
    steps: Sequence[int], *, reward_range: tuple[float, float] | None = (0.0, 1.0), **columns: Any
) -> SplitData:
    """One sample of each of these steps; `text__words` is the column `text.words`. Indices count within a step."""
    counted: dict[int, int] = {}
    indices = []
    for step in steps:
        indices.append(counted.get(step, 0))
        counted[step] = indices[-1] + 1
    table = pa.table(
        {
            "step": pa.array(steps, pa.int64()),
            "index": pa.array(indices, pa.int64()),
            **{name.replace("__", "."): pa.chunked_array([pa.array(values)]) for name, values in columns.items()},
        }
    )
    ranges = {}
    if reward_range is not None:
        reach = Range(min=reward_range[0], max=reward_range[1], origin="declared", higher_is_better=True)
        ranges = {"*": {"reward": reach}}
    return SplitData("train", table, ranges)
