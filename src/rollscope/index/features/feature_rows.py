"""Feature rows as they are computed: in this process or by an engine, piece by piece, in the order of the table."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import msgspec
import pyarrow as pa

from rollscope.arrays import Rows
from rollscope.formats.registry import reference
from rollscope.index.engines.base import Engine
from rollscope.index.engines.scheduler import Job, Schedule
from rollscope.index.features.task import FeatureTask, compute_features, decode_features, engine_task
from rollscope.index.index import Index
from rollscope.index.rows.row_places import RowPlaces, file_batches
from rollscope.index.rows.row_texts import FileRows
from rollscope.index.snapshot import Snapshot

#: Tasks are small, so that a search that comes in between waits for little.
TASK_BYTES = 4 << 20
#: Less than this is computed in place.
INLINE_BYTES = 4 << 20


class FeatureRows:
    """Computed for these rows of a table. `take` gives as many as are wanted next."""

    def __init__(
        self,
        index: Index,
        patterns: str,
        max_line: int | None,
        snapshot: Snapshot,
        table: pa.Table,
        rows: Rows,
        failed: dict[str, str],
        *,
        cancel: threading.Event | None = None,
        background: bool = False,
    ) -> None:
        """`failed` gets the features that fail, with the reason. Of a line longer than `max_line` bytes nothing is computed."""
        self._index = index
        self._patterns = patterns
        self._max_line = max_line
        self._background = background
        self._failed = failed
        self._pieces = self._computed(snapshot, table, rows, cancel)
        #: Of the last piece: the rows that nobody has taken, maybe none.
        self._rest: pa.Table | None = None

    def take(self, count: int) -> pa.Table | None:
        """The next `count` rows; None if it was cancelled before they were computed."""
        if self._rest is None:
            self._rest = next(self._pieces, None)
        taken: list[pa.Table] = []
        while self._rest is not None:
            part = self._rest.slice(0, count)
            taken.append(part)
            count -= part.num_rows
            if count == 0:
                self._rest = self._rest.slice(part.num_rows)
                return pa.concat_tables(taken)
            self._rest = next(self._pieces, None)
        return None

    def _computed(
        self, snapshot: Snapshot, table: pa.Table, rows: Rows, cancel: threading.Event | None
    ) -> Iterator[pa.Table]:
        if len(rows) == 0:
            yield compute_features(self._task([]), self._index.format, self._index.store)
            return
        places = RowPlaces(table, rows)
        store = self._index.store.fresh()
        batches = file_batches(snapshot, places, TASK_BYTES)
        jobs = (self._job(files) for _, files in batches)
        elsewhere = (self._background or int(places.lengths.sum()) >= INLINE_BYTES) and store.reachable
        for _, part in Schedule(jobs, self._engine() if elsewhere else None, cancel=cancel).results():
            failed = msgspec.json.decode((part.schema.metadata or {}).get(b"failed", b"{}"))
            self._failed.update(failed)
            yield part.replace_schema_metadata(None)

    def _engine(self) -> Engine:
        if not self._background:
            return self._index.engine
        from rollscope.index.features.background import background_engine

        return background_engine(self._index.engine)

    def _task(self, files: list[FileRows]) -> FeatureTask:
        address = os.fsencode(self._index.store.address)
        format_ = reference(self._index.format)
        return FeatureTask(format_, address, self._patterns, files, self._background, self._max_line)

    def _job(self, files: list[FileRows]) -> Job[None, pa.Table]:
        task = self._task(files)
        return Job(
            None,
            task=lambda: engine_task(task),
            decode=decode_features,
            here=lambda: compute_features(task, self._index.format, self._index.store.fresh()),
        )
