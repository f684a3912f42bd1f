"""Search over a run: cut the rows into tasks, give them to the workers, hand hits on in order."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.errors import UnreadableError
from rollscope.formats.base import Format
from rollscope.formats.registry import reference
from rollscope.index.engines.local import TaskFailed, WorkerDied, shared_pool
from rollscope.index.snapshot import Snapshot
from rollscope.query.language import TextPredicate
from rollscope.query.search.scan import (
    FUNCTION,
    Pattern,
    TextHit,
    TextTask,
    decode_hits,
    encode_task,
    find_in_rows,
    matcher,
)
from rollscope.storage.local import Directory

TASK_BYTES = 32 << 20
#: Less than this is looked through in place.
INLINE_BYTES = 24 << 20

Rows = NDArray[np.int64]


class TextSearch:
    """Looks into the text of rows of one snapshot."""

    def __init__(self, snapshot: Snapshot, table: pa.Table, format_: Format, directory: Directory) -> None:
        self._snapshot = snapshot
        self._table = table
        self._format = format_
        self._directory = directory

    def hits(
        self, rows: Rows, pattern: Pattern, fields: list[str], cancel: threading.Event | None = None
    ) -> Iterator[tuple[int, TextHit]]:
        """(row of the table, hit), in the rows' order."""
        matcher(pattern)  # a bad pattern is told before any work
        tasks = self._tasks(rows, pattern, fields)
        total = int(self._lengths[rows].sum()) if len(rows) else 0
        results = self._in_place(tasks) if total < INLINE_BYTES else self._in_workers(tasks)
        for task_rows, found in results:
            if cancel is not None and cancel.is_set():
                return
            for hit in found:
                yield int(task_rows[hit.position]), hit

    def matches(self, predicate: TextPredicate, rows: Rows) -> NDArray[np.bool_]:
        """For a filter's text condition: does each of these rows match?"""
        pattern = Pattern(predicate.pattern, predicate.kind == "regex", predicate.ignore_case)
        fields = [] if predicate.field == "text" else [predicate.field]
        matched = {row for row, _ in self.hits(rows, pattern, fields)}
        return np.fromiter((int(row) in matched for row in rows), dtype=bool, count=len(rows))

    @property
    def _lengths(self) -> Rows:
        lengths: Rows = self._table["length"].to_numpy()
        return np.nan_to_num(lengths).astype(np.int64)

    def _tasks(self, rows: Rows, pattern: Pattern, fields: list[str]) -> Iterator[tuple[Rows, TextTask]]:
        """Neighbouring rows of one file in the order of their bytes, about TASK_BYTES a task."""
        if len(rows) == 0:
            return
        files = self._table["file"].to_numpy()[rows]
        offsets = np.nan_to_num(self._table["offset"].to_numpy()[rows]).astype(np.int64)
        blocks = offsets // TASK_BYTES  # of the file: rows that a filter left over may lie far apart
        taken = np.cumsum(self._lengths[rows]) // TASK_BYTES
        same = (files[1:] == files[:-1]) & (taken[1:] == taken[:-1]) & (blocks[1:] == blocks[:-1])
        cuts = np.flatnonzero(~same | (offsets[1:] < offsets[:-1])) + 1
        columns = [
            "offset",
            "length",
            "split",
            "step",
            "group",
            *(["member"] if "member" in self._table.column_names else []),
        ]
        for part in np.split(rows, cuts):
            picked = self._table.select(columns).take(pa.array(part)).to_pydict()
            yield (
                part,
                TextTask(
                    format=reference(self._format),
                    root=os.fsencode(self._directory.root),
                    source=self._snapshot.manifest.files[int(self._table["file"][int(part[0])].as_py())].source,
                    pattern=pattern,
                    fields=fields,
                    offsets=[value or 0 for value in picked["offset"]],
                    lengths=[value or 0 for value in picked["length"]],
                    members=[value or "" for value in picked.get("member", [])],
                    splits=picked["split"],
                    steps=picked["step"],
                    groups=picked["group"],
                ),
            )

    def _in_place(self, tasks: Iterator[tuple[Rows, TextTask]]) -> Iterator[tuple[Rows, Iterator[TextHit]]]:
        for rows, task in tasks:
            yield rows, self._find(task)

    def _find(self, task: TextTask) -> Iterator[TextHit]:
        try:
            yield from find_in_rows(task, self._format, self._directory)
        except OSError as error:
            raise UnreadableError(
                f"{task.source.path} could not be read: {error.strerror}", hint="refresh and try again"
            ) from None

    def _in_workers(self, tasks: Iterator[tuple[Rows, TextTask]]) -> Iterator[tuple[Rows, Iterator[TextHit]]]:
        pool = shared_pool()
        running: deque[tuple[Rows, TextTask, Future[bytes]]] = deque()
        try:
            for rows, task in tasks:
                running.append((rows, task, pool.submit(FUNCTION, encode_task(task))))
                if len(running) > pool.count * 2:
                    yield self._result(*running.popleft())
            while running:
                yield self._result(*running.popleft())
        finally:
            for _, _, future in running:
                future.cancel()

    def _result(self, rows: Rows, task: TextTask, future: Future[bytes]) -> tuple[Rows, Iterator[TextHit]]:
        try:
            return rows, iter(decode_hits(future.result()))
        except (WorkerDied, TaskFailed):
            return rows, self._find(task)
