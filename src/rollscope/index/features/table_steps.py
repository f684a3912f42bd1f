"""A table's rows by step, with what tells the rows of a step from those of an earlier state of it."""

from __future__ import annotations

from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.arrays import Hashes, Rows
from rollscope.index import compute
from rollscope.index.features.blocks import RowKeys, identity_of
from rollscope.index.manifest.entries import Key
from rollscope.index.segments.spill import MEMORY_ROWS, NumbersOnDisk, on_disk
from rollscope.index.snapshot import Snapshot


class StepRows(Struct):
    key: Key
    #: Rows of the table, in the order of the step.
    rows: Rows
    keys: NDArray[np.uint64]
    identity: int | None


class TableSteps:
    """Kept for the newest table of a snapshot: a question asks for the same one many times."""

    def __init__(self) -> None:
        self._row_keys: WeakKeyDictionary[Snapshot, RowKeys] = WeakKeyDictionary()
        self._steps: WeakKeyDictionary[Snapshot, tuple[pa.Table, list[StepRows]]] = WeakKeyDictionary()

    def of(self, snapshot: Snapshot, table: pa.Table) -> list[StepRows]:
        """The table's rows by step. The table holds whole steps."""
        kept = self._steps.get(snapshot)
        if kept is not None and kept[0] is table:
            return kept[1]
        row_keys = self._row_keys.get(snapshot)
        if row_keys is None:
            row_keys = self._row_keys[snapshot] = RowKeys(snapshot)
        keys = _keys_of(row_keys, table)
        steps = compute.plain(table["step"])
        encoded = compute.dictionary_encode(table["split"])
        names, codes = encoded.dictionary.to_pylist(), compute.plain(encoded.indices)
        index = compute.plain(table["index"])
        order = np.arange(len(steps))
        ahead = (codes[1:] != codes[:-1]) | (steps[1:] != steps[:-1])
        if not (ahead | (index[1:] == index[:-1] + 1)).all() or not _is_grouped(codes, steps, ahead):
            order = np.lexsort((index, steps, codes))
            codes, steps, keys = codes[order], steps[order], on_disk(keys[order])
            ahead = (codes[1:] != codes[:-1]) | (steps[1:] != steps[:-1])
        order = on_disk(order)
        cuts = [0, *(np.flatnonzero(ahead) + 1).tolist(), len(order)]
        found = []
        for start, end in pairwise(cuts):
            key = (names[int(codes[start])], int(steps[start]))
            found.append(StepRows(key, order[start:end], keys[start:end], identity_of(keys[start:end])))
        self._steps[snapshot] = (table, found)
        return found


def _keys_of(row_keys: RowKeys, table: pa.Table) -> Hashes:
    """Some rows after the other: what is made on the way is several times as large."""
    kept = NumbersOnDisk(np.uint64)
    for start in range(0, table.num_rows, MEMORY_ROWS):
        kept.add(row_keys.of(table.slice(start, MEMORY_ROWS)))
    return kept.all().view(np.ndarray)


def _is_grouped(codes: Rows, steps: Rows, ahead: NDArray[np.bool_]) -> bool:
    """No step is there twice, with others in between."""
    starts = np.concatenate([[0], np.flatnonzero(ahead) + 1])
    pairs = {(int(codes[place]), int(steps[place])) for place in starts}
    return len(pairs) == len(starts)
