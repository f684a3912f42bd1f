"""Columns that say something of a sample's group: made of the rows when somebody asks for them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.index import compute
from rollscope.index.statistics.moments import spreads


def reward_spread(table: pa.Table) -> pa.ChunkedArray:
    """Standard deviation of the rewards of each row's group (kept and discarded samples apart), also for a row whose own
    reward is not known; null where fewer than two are. The table has whole steps."""
    rows = table.num_rows
    if rows == 0 or "reward" not in table.column_names or "group" not in table.column_names:
        return pa.chunked_array([pa.nulls(rows, pa.float64())])
    rewards = compute.plain(compute.cast(table["reward"], pa.float64()))
    keys = _numbers(table["group"])
    grouped = keys >= 0
    for name in ("step", "split"):
        if name in table.column_names:
            values = _numbers(table[name])
            keys = keys * (int(values.max(initial=0)) + 2) + values + 1
    keys = keys * 2 + compute.plain(compute.is_null(table["discard_reason"]))
    places = np.flatnonzero(grouped & np.isfinite(rewards))
    order = places[np.argsort(keys[places], kind="stable")]
    starts = np.flatnonzero(np.diff(keys[order], prepend=keys[order[:1]] - 1))
    found = np.full(rows, np.nan)
    if len(starts):
        names, own = keys[order[starts]], np.flatnonzero(grouped)
        nearest = np.minimum(np.searchsorted(names, keys[own]), len(names) - 1)
        found[own] = np.where(names[nearest] == keys[own], spreads(rewards[order], starts)[1][nearest], np.nan)
    return pa.chunked_array([pa.array(found, mask=np.isnan(found))])


def _numbers(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """A number for each value; -1 where it is missing."""
    codes = compute.dictionary_encode(column).indices.to_numpy(zero_copy_only=False)
    found: NDArray[np.int64] = np.nan_to_num(codes, nan=-1).astype(np.int64)
    return found
