"""Which rows count where a run was resumed or a sample was written twice: the newest attempt, the file that ranks first."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.arrays import Ints
from rollscope.index import compute


def rows_that_count(table: pa.Table, steps: Ints, ranks: Ints | None) -> Ints | None:
    """The rows that nothing supersedes, in order; None when all of them count, which is nearly always."""
    keep: NDArray[np.bool_] = np.ones(len(steps), dtype=bool)
    places: Ints = np.arange(len(steps))
    if "attempt" in table.column_names:
        attempts: Ints = compute.plain(compute.fill_null(table["attempt"], 0))
        if attempts.min() != attempts.max():
            newest = np.full(int(steps.max()) + 1, np.iinfo(np.int64).min)
            np.maximum.at(newest, steps, attempts)
            keep &= attempts == newest[steps]
    if "key" in table.column_names:
        best, places = _one_of_each_key(table, steps, ranks)
        keep &= best
    if keep.all():
        return None
    rows = np.flatnonzero(keep)
    return rows[np.argsort(places[rows], kind="stable")]


def _one_of_each_key(table: pa.Table, steps: Ints, ranks: Ints | None) -> tuple[NDArray[np.bool_], Ints]:
    """(is it the row of its key that counts, the place of the key's first row). Rows without a key stand for themselves."""
    encoded = compute.dictionary_encode(table["key"])
    codes = compute.plain(compute.fill_null(encoded.indices, -1)).astype(np.int64)
    keyed = codes >= 0
    pairs = steps * (len(encoded.dictionary) + 1) + codes
    rows = np.arange(len(pairs))
    order = np.lexsort((rows, ranks if ranks is not None else np.zeros(len(pairs), np.int64), pairs))
    ordered = pairs[order]
    best: NDArray[np.bool_] = ~keyed
    best[order[np.concatenate([[True], ordered[1:] != ordered[:-1]])]] = True
    _, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
    return best, np.where(keyed, first[inverse.reshape(-1)], rows)
