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

from rollscope.errors import UnreadableError
from rollscope.formats.base import Format, Source
from rollscope.formats.registry import reference
from rollscope.index import compute
from rollscope.index.engines.base import Engine
from rollscope.index.scheduler import Job, Schedule
from rollscope.index.snapshot import Snapshot
from rollscope.model import address
from rollscope.query import limits
from rollscope.query.answers import Hit
from rollscope.query.samples.unchanged import FilesChanged, Unchanged
from rollscope.query.search.scan import (
    TOO_LONG,
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
        self._unchanged = Unchanged(snapshot, table, store)
        self._long_rows: list[int] = []

    def hits(
        self, rows: Rows, pattern: Pattern, fields: list[str], cancel: threading.Event | None = None
    ) -> Iterator[tuple[int, TextHit]]:
        """(row of the table, hit), in the rows' order. Hits in a file that is no longer what was indexed are not given:
        `changed` names such files when all is done, and `check_long_lines` those lines that were not looked into."""
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
        for (first, task), found in Schedule(jobs, engine, cancel=cancel).results():
            for hit in self._unchanged_hits(places, rows, first, task, found):
                row = int(rows[first + hit.position])
                if hit.field == TOO_LONG:
                    self._long_rows.append(row)
                else:
                    yield row, hit

    @property
    def changed(self) -> set[str]:
        return self._unchanged.changed

    def answers(
        self, run: str, rows: Rows, pattern: Pattern, fields: list[str], cancel: threading.Event | None
    ) -> Iterator[Hit]:
        """The hits as they are shown."""
        # One chunk instead of one a file: finding a row among 10,000 chunks takes longer than finding the match.
        places = self._table.select(["split", "step", "index"]).combine_chunks()
        for row, hit in self.hits(rows, pattern, fields, cancel):
            split, step, index = (places[name][row].as_py() for name in ("split", "step", "index"))
            yield Hit(
                run=run,
                address=address(split, step, index),
                field=hit.field,
                start=hit.start,
                end=hit.end,
                snippet=hit.snippet,
                snippet_start=hit.snippet_start,
                snippet_end=hit.snippet_end,
            )

    def in_files(self, rows: Rows, paths: set[str]) -> Rows:
        """Those of the rows that lie in these files."""
        files = [place for place, entry in enumerate(self._snapshot.manifest.files) if entry.source.path in paths]
        return rows[np.isin(self._table["file"].to_numpy()[rows], files)]

    def check_long_lines(self) -> None:
        """Raise LimitError where a line that may match was too long to be looked into."""
        if self._long_rows:
            located = self._snapshot.locate(self._table, self._long_rows[0])
            raise limits.long_line_error(
                located.source.path,
                located.line,
                located.place.length,
                others=len(self._long_rows) - 1,
                filtered=True,
            )

    def _unchanged_hits(
        self, places: RowPlaces, rows: Rows, first: int, task: TextTask, found: Iterable[TextHit]
    ) -> Iterator[TextHit]:
        """The hits of those files that still are what was indexed after they were read."""
        hits = iter(found)
        try:
            waiting = next(hits, None)
            before = 0
            for file in task.files:
                behind = before + len(file.offsets)
                ours: list[TextHit] = []
                while waiting is not None and waiting.position < behind:
                    ours.append(waiting)
                    waiting = next(hits, None)
                shown = (int(rows[first + hit.position]) for hit in ours)
                if self._unchanged.holds(int(places.files[first + before]), shown):
                    yield from ours
                before = behind
        except UnreadableError:
            # A file that went while it was read: all of the task is looked through again.
            behind = first + sum(len(file.offsets) for file in task.files)
            files = {int(file) for file in places.files[first:behind]}
            if all(self._unchanged.holds(file, ()) for file in files):
                raise
            self._unchanged.changed.update(file.source.path for file in task.files)

    def matches(self, predicate: TextPredicate, rows: Rows) -> NDArray[np.bool_]:
        """For a filter's text condition: does each of these rows match? Raises FilesChanged where a file is no longer what
        was indexed: rows and texts would be of two states."""
        pattern = Pattern(predicate.pattern, predicate.kind == "regex", predicate.ignore_case)
        fields = [] if predicate.field == "text" else [predicate.field]
        matched = {row for row, _ in self.hits(rows, pattern, fields)}
        if self.changed:
            raise FilesChanged(self.changed)
        self.check_long_lines()
        return np.fromiter((int(row) in matched for row in rows), dtype=bool, count=len(rows))

    def _task(self, pattern: Pattern, fields: list[str], files: list[FileRows]) -> TextTask:
        address = os.fsencode(self._store.address)
        return TextTask(reference(self._format), address, pattern, fields, files, limits.current().line_bytes)

    def _job(self, first: int, task: TextTask) -> Job[tuple[int, TextTask], Iterable[TextHit]]:
        return Job(
            (first, task),
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
