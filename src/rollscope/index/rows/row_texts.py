"""Reading the texts of rows that the index has: where they lie, cut into tasks, and their bytes, line after line.

Search and features read texts in this way, in a worker or in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from mmap import mmap

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.errors import NotFoundError, UnreadableError
from rollscope.formats.base import Format, Place, Source, Texts
from rollscope.formats.lines import sealed
from rollscope.formats.lines.lenient import Unreadable
from rollscope.index import compute
from rollscope.index.rows.run_order import is_large
from rollscope.index.snapshot import Snapshot
from rollscope.storage.store import Store

Rows = NDArray[np.int64]

TASK_BYTES = 32 << 20
#: Small files share a task: 100,000 files must not be 100,000 tasks.
TASK_FILES = 512


class FileRows(Struct, array_like=True):
    """Rows of one file to look into, as columns, in the order of their bytes."""

    source: Source
    offsets: list[int]
    lengths: list[int]
    members: list[str]
    splits: list[str]
    steps: list[int]
    groups: list[str | None]


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


def place_of_row(rows: FileRows, position: int) -> Place:
    return Place(
        offset=rows.offsets[position],
        length=rows.lengths[position],
        member=rows.members[position] if rows.members else "",
        split=rows.splits[position],
        step=rows.steps[position],
        group=rows.groups[position],
    )


def is_sparse(rows: FileRows) -> bool:
    """Few lines far apart, as a filter leaves them over: they are read one by one."""
    return sum(rows.lengths) * 4 < rows.offsets[-1] + rows.lengths[-1] - rows.offsets[0]


def lines_one_by_one(rows: FileRows, store: Store) -> Iterator[bytes]:
    path, ranges = rows.source.path, list(zip(rows.offsets, rows.lengths))
    if sealed.is_sealed(path):
        return (sealed.read_bytes(store, path, offset, length) for offset, length in ranges)
    return store.read_many(path, ranges)


def bytes_of(rows: FileRows, store: Store) -> tuple[int, bytes | mmap]:
    """(file position of its first byte, the bytes the task's lines lie in): mapped in a worker, read elsewhere."""
    start, end = rows.offsets[0], rows.offsets[-1] + rows.lengths[-1]
    if sealed.is_sealed(rows.source.path):
        return start, sealed.read_bytes(store, rows.source.path, start, end - start)
    with store.window(rows.source.path, start, end) as window:
        return window.base, window.buffer


def texts_of_rows(rows: FileRows, format_: Format, store: Store) -> Iterator[tuple[int, Texts]]:
    """(position, texts) of every row that can be read: a file that is rewritten meanwhile may no longer have it."""
    if not format_.texts_in_line:
        for position in range(len(rows.offsets)):
            with suppress(NotFoundError, UnreadableError, Unreadable):
                yield position, format_.texts(store, rows.source, place_of_row(rows, position))
        return
    with suppress(Unreadable):  # a sealed file that was damaged since it was indexed
        for position, line in lines_of_rows(rows, store):
            try:
                texts = format_.line_texts(line, rows.source, place_of_row(rows, position))
            except Unreadable:
                continue
            yield position, texts


def lines_of_rows(rows: FileRows, store: Store) -> Iterator[tuple[int, bytes]]:
    """(position, bytes) of each; raises `Unreadable` where a sealed file is damaged."""
    if is_sparse(rows):
        yield from enumerate(lines_one_by_one(rows, store))
        return
    base, buffer = bytes_of(rows, store)
    for position, (offset, length) in enumerate(zip(rows.offsets, rows.lengths)):
        yield position, buffer[offset - base : offset - base + length]
