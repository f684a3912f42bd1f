"""Search over a run: cut the rows into tasks, give them to the scheduler, hand hits on in order."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.arrays import Rows
from rollscope.errors import UnreadableError
from rollscope.formats.base import Format
from rollscope.formats.registry import reference
from rollscope.index import compute
from rollscope.index.engines.base import Engine
from rollscope.index.engines.scheduler import Job, Schedule
from rollscope.index.rows.row_places import RowPlaces, file_batches
from rollscope.index.rows.row_texts import FileRows
from rollscope.index.rows.run_order import blocks_of, is_large
from rollscope.index.snapshot import Snapshot
from rollscope.model import address
from rollscope.query import limits
from rollscope.query.answers import Hit
from rollscope.query.samples.unchanged import FilesChanged, Unchanged
from rollscope.query.search.scan import (
    TOO_LONG,
    Pattern,
    TextHit,
    TextTask,
    decode_hits,
    engine_task,
    find_in_rows,
    matcher,
)
from rollscope.storage.store import Store

#: Less than this is looked through in place.
INLINE_BYTES = 24 << 20

if TYPE_CHECKING:
    from rollscope.query.language.compile import TextPredicate


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
        for _, block in blocks_of(rows):
            yield from self._hits_of(block, pattern, fields, cancel)

    def _hits_of(
        self, rows: Rows, pattern: Pattern, fields: list[str], cancel: threading.Event | None
    ) -> Iterator[tuple[int, TextHit]]:
        places = RowPlaces(self._table, rows)
        jobs = (
            self._job(first, self._task(pattern, fields, files))
            for first, files in file_batches(self._snapshot, places)
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
        shown = ["split", "step", "index", "env", "reward", "discard_reason"]
        places = self._table.select([name for name in shown if name in self._table.column_names])
        if not is_large(places):
            places = places.combine_chunks()

        def value(name: str, row: int) -> Any:
            return places[name][row].as_py() if name in places.column_names else None

        for row, hit in self.hits(rows, pattern, fields, cancel):
            split, step, index = (value(name, row) for name in ("split", "step", "index"))
            reward = value("reward", row)
            yield Hit(
                run=run,
                address=address(split, step, index),
                field=hit.field,
                start=hit.start,
                end=hit.end,
                snippet=hit.snippet,
                snippet_start=hit.snippet_start,
                snippet_end=hit.snippet_end,
                env=value("env", row),
                reward=reward if reward is not None and math.isfinite(reward) else None,
                discard_reason=value("discard_reason", row),
            )

    def in_files(self, rows: Rows, paths: set[str]) -> Rows:
        """Those of the rows that lie in these files."""
        files = [place for place, entry in enumerate(self._snapshot.manifest.files) if entry.source.path in paths]
        column = self._table["file"]
        found = [block[np.isin(compute.plain(compute.take(column, block)), files)] for _, block in blocks_of(rows)]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

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
