"""A table's rows by step, with what tells the rows of a step from those of an earlier state of it."""

from __future__ import annotations

from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.index import compute
from rollscope.index.features.blocks import RowKeys, identity_of
from rollscope.index.manifest.entries import Key
from rollscope.index.rows.row_places import Rows
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
        keys = row_keys.of(table)
        steps = compute.plain(table["step"])
        encoded = compute.dictionary_encode(table["split"])
        names, codes = encoded.dictionary.to_pylist(), compute.plain(encoded.indices)
        index = compute.plain(table["index"])
        order = np.arange(len(steps))
        ahead = (codes[1:] != codes[:-1]) | (steps[1:] != steps[:-1])
        if not (ahead | (index[1:] == index[:-1] + 1)).all() or not _is_grouped(codes, steps, ahead):
            order = np.lexsort((index, steps, codes))
            codes, steps = codes[order], steps[order]
            ahead = (codes[1:] != codes[:-1]) | (steps[1:] != steps[:-1])
        cuts = [0, *(np.flatnonzero(ahead) + 1).tolist(), len(order)]
        found = []
        for start, end in pairwise(cuts):
            rows = order[start:end]
            key = (names[int(codes[start])], int(steps[start]))
            found.append(StepRows(key, rows, keys[rows], identity_of(keys[rows])))
        self._steps[snapshot] = (table, found)
        return found


def _is_grouped(codes: Rows, steps: Rows, ahead: NDArray[np.bool_]) -> bool:
    """No step is there twice, with others in between."""
    starts = np.concatenate([[0], np.flatnonzero(ahead) + 1])
    pairs = {(int(codes[place]), int(steps[place])) for place in starts}
    return len(pairs) == len(starts)
