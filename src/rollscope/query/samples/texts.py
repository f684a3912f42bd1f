"""Prompts and responses of many rows, for files that are written: in batches that fit into memory, and only of bytes that
are those which were indexed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from rollscope.arrays import Rows
from rollscope.errors import UnreadableError
from rollscope.index import compute
from rollscope.index.rows.run_order import blocks_of
from rollscope.index.snapshot import Snapshot
from rollscope.query import limits
from rollscope.query.samples.reader import SampleReader, check_length
from rollscope.query.samples.unchanged import FilesChanged, Unchanged
from rollscope.storage.store import Store

#: Lines whose texts are held at once; one line more where it alone is longer.
BATCH_BYTES = 32 << 20


class RowTexts:
    """The texts of the rows of one table."""

    def __init__(self, snapshot: Snapshot, table: pa.Table, reader: SampleReader, store: Store) -> None:
        self._snapshot = snapshot
        self._table = table
        self._reader = reader
        self._unchanged = Unchanged(snapshot, table, store)

    def _lengths(self, rows: Rows) -> Rows:
        lengths: Rows = np.nan_to_num(compute.plain(compute.take(self._table["length"], rows))).astype(np.int64)
        return lengths

    def check_lengths(self, rows: Rows) -> None:
        """Raise LimitError, before anything is written, where one of the rows has a line that is too long."""
        long: list[int] = []
        most = limits.current().line_bytes
        if most is not None:
            for _, block in blocks_of(rows):
                long += block[self._lengths(block) > most].tolist()
        if long:
            located = self._snapshot.locate(self._table, long[0])
            raise limits.long_line_error(
                located.source.path, located.line, located.place.length, others=len(long) - 1, filtered=True
            )

    def batches(self, rows: Rows, most: int) -> Iterator[Rows]:
        """Up to `most` rows at a time, and about `BATCH_BYTES` of their lines."""
        start = 0
        while start < len(rows):
            sizes = np.cumsum(self._lengths(np.asarray(rows[start : start + most])))
            count = max(1, int(np.searchsorted(sizes, BATCH_BYTES)))
            yield rows[start : start + count]
            start += count

    def read(self, rows: Rows) -> list[dict[str, str]]:
        """Raises FilesChanged where what was read is not what was indexed."""
        found: list[dict[str, str]] = []
        files: dict[int, list[int]] = {}
        for row in map(int, rows):
            located = self._snapshot.locate(self._table, row)
            check_length(located)
            files.setdefault(self._table["file"][row].as_py(), []).append(row)
            try:
                found.append(self._reader.texts_at(located))
            except (UnreadableError, OSError):
                if located.still_there(self._reader.store):
                    raise
                raise FilesChanged({located.source.path}) from None
        for file, theirs in files.items():
            self._unchanged.holds(file, theirs)
        if self._unchanged.changed:
            raise FilesChanged(self._unchanged.changed)
        return found
