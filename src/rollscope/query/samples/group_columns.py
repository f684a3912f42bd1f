"""Columns that say something of a sample's group: made of the rows when somebody asks for them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.index import compute
from rollscope.index.statistics.moments import spreads


def reward_spread(table: pa.Table) -> pa.ChunkedArray:
    """Standard deviation of the rewards of each row's group (kept and discarded samples apart); null where fewer than two
    are known. The table has whole steps."""
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
    places = np.flatnonzero(known)
    order = places[np.argsort(keys[places], kind="stable")]
    starts = np.flatnonzero(np.diff(keys[order], prepend=keys[order[:1]] - 1))
    found = np.full(rows, np.nan)
    found[order] = np.repeat(spreads(rewards[order], starts)[1], np.diff(np.append(starts, len(order))))
    return pa.chunked_array([pa.array(found, mask=np.isnan(found))])


def _numbers(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """A number for each value; -1 where it is missing."""
    codes = compute.dictionary_encode(column).indices.to_numpy(zero_copy_only=False)
    found: NDArray[np.int64] = np.nan_to_num(codes, nan=-1).astype(np.int64)
    return found
