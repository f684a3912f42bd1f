"""Columns that say something of a sample's group: made of the rows when somebody asks for them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.index import compute
from rollscope.index.statistics.moments import all_same


def reward_spread(table: pa.Table) -> pa.ChunkedArray:
    """Greatest minus smallest reward of each row's group (kept and discarded samples apart); null where fewer than two are
    known. The table has whole steps."""
    rows = table.num_rows
    if rows == 0 or "reward" not in table.column_names or "group" not in table.column_names:
        return pa.chunked_array([pa.nulls(rows, pa.float64())])
    rewards = compute.plain(compute.cast(table["reward"], pa.float64()))
    keys = _numbers(table["group"])
    known = (keys >= 0) & np.isfinite(rewards)
    for name in ("step", "split"):
        if name in table.column_names:
            values = _numbers(table[name])
            keys = keys * (int(values.max(initial=0)) + 2) + values + 1
    keys = keys * 2 + compute.plain(compute.is_null(table["discard_reason"]))
    _, groups = np.unique(keys, return_inverse=True)
    groups = groups.reshape(-1)
    size = int(groups.max()) + 1
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, groups[known], rewards[known])
    np.maximum.at(high, groups[known], rewards[known])
    several = np.bincount(groups[known], minlength=size) > 1
    with np.errstate(over="ignore", invalid="ignore"):  # the difference of ±1e308, and of groups without rewards
        spread = np.where(several, np.where(all_same(low, high), 0.0, high - low), np.nan)
    found = spread[groups]
    return pa.chunked_array([pa.array(found, mask=~known | np.isnan(found))])


def _numbers(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """A number for each value; -1 where it is missing."""
    codes = compute.dictionary_encode(column).indices.to_numpy(zero_copy_only=False)
    found: NDArray[np.int64] = np.nan_to_num(codes, nan=-1).astype(np.int64)
    return found
