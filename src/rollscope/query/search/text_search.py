"""Search over a run: cut the rows into tasks, give them to the scheduler, hand hits on in order."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.formats.base import Format, Source
from rollscope.formats.registry import reference
from rollscope.index import compute
from rollscope.index.engines.base import Engine
from rollscope.index.scheduler import Job, Schedule
from rollscope.index.snapshot import Snapshot
from rollscope.query.search.scan import (
    FileRows,
    Pattern,
    TextHit,
    TextTask,
    decode_hits,
    engine_task,
    find_in_rows,
    matcher,
)
from rollscope.storage.store import Store

TASK_BYTES = 32 << 20
TASK_FILES = 512
#: Less than this is looked through in place.
INLINE_BYTES = 24 << 20

if TYPE_CHECKING:
    from rollscope.query.language import TextPredicate

Rows = NDArray[np.int64]


class TextSearch:
    """Looks into the text of rows of one snapshot."""

    def __init__(self, snapshot: Snapshot, table: pa.Table, format_: Format, store: Store, engine: Engine) -> None:
        self._snapshot = snapshot
        self._table = table
        self._format = format_
        self._store = store
        self._engine = engine

    def hits(
        self, rows: Rows, pattern: Pattern, fields: list[str], cancel: threading.Event | None = None
    ) -> Iterator[tuple[int, TextHit]]:
        """(row of the table, hit), in the rows' order."""
        matcher(pattern)  # a bad pattern is reported before any work
        if len(rows) == 0:
            return
        places = RowPlaces(self._table, rows)
        jobs = (
            self._job(first, self._task(pattern, fields, files))
            for first, files in file_batches(self._snapshot, places, TASK_BYTES)
        )
        elsewhere = int(places.lengths.sum()) >= INLINE_BYTES and self._store.reachable
        engine = self._engine if elsewhere else None
        for first, found in Schedule(jobs, engine, cancel=cancel).results():
            for hit in found:
                yield int(rows[first + hit.position]), hit

    def matches(self, predicate: TextPredicate, rows: Rows) -> NDArray[np.bool_]:
        """For a filter's text condition: does each of these rows match?"""
        pattern = Pattern(predicate.pattern, predicate.kind == "regex", predicate.ignore_case)
        fields = [] if predicate.field == "text" else [predicate.field]
        matched = {row for row, _ in self.hits(rows, pattern, fields)}
        return np.fromiter((int(row) in matched for row in rows), dtype=bool, count=len(rows))

    def _task(self, pattern: Pattern, fields: list[str], files: list[FileRows]) -> TextTask:
        return TextTask(reference(self._format), os.fsencode(self._store.address), pattern, fields, files)

    def _job(self, first: int, task: TextTask) -> Job[int, Iterable[TextHit]]:
        return Job(
            first,
            task=lambda: engine_task(task),
            decode=decode_hits,
            here=lambda: find_in_rows(task, self._format, self._store),
        )


class RowPlaces:
    """Where the rows asked for lie. Taken from the table once: it has a chunk for every file, and taking from it once a
    file would cost the square of the number of files."""

    def __init__(self, table: pa.Table, rows: Rows) -> None:
        names = [name for name in ("split", "step", "group", "member") if name in table.column_names]
        everything = len(rows) == table.num_rows and bool((rows == np.arange(len(rows))).all())
        picked = table.select([*names, "file", "offset", "length"]).combine_chunks()
        picked = picked if everything else compute.take(picked, rows).combine_chunks()
        self.files: Rows = picked["file"].to_numpy()
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


def file_batches(snapshot: Snapshot, places: RowPlaces, task_bytes: int) -> Iterator[tuple[int, list[FileRows]]]:
    """(place of its first row, rows by file): about `task_bytes` and at most TASK_FILES each."""
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
    values: Rows = np.nan_to_num(column.to_numpy()).astype(np.int64)
    return values
