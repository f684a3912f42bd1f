"""Where the texts of rows lie that the index has, cut into tasks: each reads rows of a few files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa

from rollscope.arrays import Rows
from rollscope.formats.base import Source
from rollscope.index import compute
from rollscope.index.rows.row_texts import FileRows
from rollscope.index.rows.run_order import is_large
from rollscope.index.snapshot import Snapshot

TASK_BYTES = 32 << 20
#: Small files share a task: 100,000 files must not be 100,000 tasks.
TASK_FILES = 512


class RowPlaces:
    """Where the rows asked for lie. Taken from the table once: it has a chunk for every file, and taking from it once a
    file would cost the square of the number of files."""

    def __init__(self, table: pa.Table, rows: Rows) -> None:
        names = [name for name in ("split", "step", "group", "member") if name in table.column_names]
        picked = table.select([*names, "file", "offset", "length"])
        if not is_large(table):
            picked = picked.combine_chunks()
        everything = len(rows) == table.num_rows and bool((rows == np.arange(len(rows))).all())
        picked = (picked if everything else compute.take(picked, rows)).combine_chunks()
        self.files: Rows = compute.plain(picked["file"])
        self.offsets = _integers(picked["offset"])
        self.lengths = _integers(picked["length"])
        self._values = {name: picked[name].chunk(0) for name in names}

    def stretches(self, task_bytes: int) -> Iterator[tuple[int, int]]:
        """[start, end) of rows that lie behind each other in one file, about `task_bytes` of it at most."""
        blocks = self.offsets // TASK_BYTES  # of the file: rows that a filter left over may lie far apart
        taken = np.cumsum(self.lengths) // task_bytes
        same = (
            (self.files[1:] == self.files[:-1])
            & (taken[1:] == taken[:-1])
            & (blocks[1:] == blocks[:-1])
            & (self.offsets[1:] >= self.offsets[:-1])
        )
        cuts = [0, *(np.flatnonzero(~same) + 1).tolist(), len(self.files)]
        return pairwise(cuts)

    def file_rows(self, source: Source, start: int, end: int) -> FileRows:
        values = {name: column.slice(start, end - start).to_pylist() for name, column in self._values.items()}
        return FileRows(
            source=source,
            offsets=self.offsets[start:end].tolist(),
            lengths=self.lengths[start:end].tolist(),
            members=[value or "" for value in values.get("member", [])],
            splits=values["split"],
            steps=values["step"],
            groups=values["group"],
        )


def file_batches(
    snapshot: Snapshot, places: RowPlaces, task_bytes: int | None = None
) -> Iterator[tuple[int, list[FileRows]]]:
    """(place of its first row, rows by file): about `task_bytes` and at most TASK_FILES each."""
    task_bytes = task_bytes or TASK_BYTES
    files: list[FileRows] = []
    first = size = 0
    for start, end in places.stretches(task_bytes):
        length = int(places.lengths[start:end].sum())
        if files and (size + length > task_bytes or len(files) >= TASK_FILES):
            yield first, files
            files, first, size = [], start, 0
        source = snapshot.manifest.files[int(places.files[start])].source
        files.append(places.file_rows(source, start, end))
        size += length
    yield first, files


def _integers(column: pa.ChunkedArray) -> Rows:
    """Missing ones as 0."""
    values: Rows = np.nan_to_num(compute.plain(column)).astype(np.int64)
    return values
