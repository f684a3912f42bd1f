"""One look at a run's files: what is new or changed is read, and published while the rest is still being read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
from msgspec import Struct

from rollscope.errors import UnreadableError
from rollscope.formats.base import Source
from rollscope.formats.registry import reference
from rollscope.index.engines.base import Engine
from rollscope.index.manifest.entries import FileEntry, IndexedPiece, Key, copy_entry
from rollscope.index.plan import FilePlan, batches, plan_file
from rollscope.index.scan import Piece, ScanResult, ScanTask, decode_result, engine_task, readiness_task, run_task
from rollscope.index.scheduler import Job, Schedule
from rollscope.index.segments.files import write_encoded
from rollscope.storage.fingerprint import Change, compare, now_ns

if TYPE_CHECKING:
    from rollscope.index.index import Index

#: Less than this is read in place: starting processes would take longer.
INLINE_BYTES = 48 << 20
#: The same for workers that somebody else keeps running.
REMOTE_INLINE_BYTES = 1 << 20
PUBLISH_SECONDS = 0.5

Wanted = Callable[[Source], bool]
Items = list[tuple[FilePlan, Piece]]


class IndexProgress(Struct):
    bytes_done: int = 0
    bytes_total: int = 0
    files_done: int = 0
    files_total: int = 0
    started: float = 0.0
    running: bool = False


class Refresh:
    """One pass. `changed`: something visible changed. `torn`: a file was rewritten while it was read; look again."""

    def __init__(self, index: Index, only: Wanted | None, on_progress: Callable[[IndexProgress], None] | None) -> None:
        self.torn = False
        self.changed = False
        self._index = index
        self._only = only
        self._on_progress = on_progress
        self._store = index.store.fresh()
        self._now = now_ns()
        self._before = index.snapshot.manifest
        self._known = {entry.source.path: entry for entry in self._before.files}
        self._plans: list[FilePlan] = []
        #: The files as they were published last, and the plans whose files are ahead of that.
        self._published: list[FileEntry] = []
        self._dirty: set[int] = set()

    def run(self) -> None:
        unsure = [entry for part in self._before.file_parts for entry in part.unsettled]
        self._plans = [self._plan(source) for source in self._index.sources(self._store)]
        work = [plan for plan in self._plans if plan.pieces]
        for plan in self._plans:
            if plan.stat is not None and plan.entry is not self._known.get(plan.entry.source.path):
                self._note_state(plan, complete=not plan.pieces)
        for number, plan in enumerate(self._plans):
            plan.number = number
        self._published = [copy_entry(plan.entry) if plan.pieces else plan.entry for plan in self._plans]
        self._index.progress = self._progress(work)
        gone = self._known.keys() - {plan.entry.source.path for plan in self._plans}
        stale = {key for plan in self._plans if plan.rebuilt for key in self._known_keys(plan.entry.source.path)}
        stale |= {key for path in gone for key in self._known_keys(path)}
        self.changed = bool(work or stale or gone)
        if stale or gone:
            self._publish(stale)
        if work:
            self._read(work)
        elif not self.changed:
            listed = [plan.entry.source.path for plan in self._plans]
            if listed != list(self._known) or any(plan.entry.error for plan in self._plans):
                self._publish(set())
            elif any(entry.seen and entry.seen.settled(entry.seen_ns) for entry in unsure):
                self._index.note_settled()  # nothing new, but from now on their fingerprints are enough
        self._index.progress.running = False

    def _plan(self, source: Source) -> FilePlan:
        entry = self._known.get(source.path)
        if self._only is not None and not self._only(source):
            return FilePlan(entry or FileEntry(source, None, 0, []), [], False, None)
        distrusted = self._index.distrusted
        plan = plan_file(self._store, source, entry, self._now, distrusted=source.path in distrusted)
        distrusted.discard(source.path)
        return plan

    def _known_keys(self, path: str) -> set[Key]:
        entry = self._known.get(path)
        return {key for piece in entry.pieces for key in piece.keys} if entry is not None else set()

    def _progress(self, work: list[FilePlan]) -> IndexProgress:
        total = sum(plan.stat.size for plan in self._plans if plan.stat is not None)
        return IndexProgress(
            bytes_done=max(0, total - _bytes_of(work)),
            bytes_total=total,
            files_done=len(self._plans) - len(work),
            files_total=len(self._plans),
            started=time.monotonic(),
            running=bool(work),
        )

    # Reading

    def _read(self, work: list[FilePlan]) -> None:
        progress = self._index.progress
        before = progress.bytes_done
        touched: set[Key] = set()
        published = time.monotonic()
        engine: Engine | None = self._index.engine
        inline = REMOTE_INLINE_BYTES if self._index.engine.remote else INLINE_BYTES
        if _bytes_of(work) < inline or not self._store.reachable:
            engine = None
        if engine is not None and engine.remote:
            engine.check(readiness_task(reference(self._index.format), self._index.address))
        schedule = Schedule([self._job(items) for items in batches(work)], engine, first=self._is_wanted)
        for items, result in schedule.results():
            touched.update(self._integrate(items, result))
            progress.bytes_done = before + schedule.bytes_done
            for plan, piece in items:
                if piece is plan.pieces[-1]:
                    progress.files_done += 1
                    touched.update(self._finish_file(plan))
            if self._on_progress is not None:
                self._on_progress(progress)
            if time.monotonic() - published > PUBLISH_SECONDS:
                self._publish(touched)
                touched.clear()
                published = time.monotonic()
        self._publish(touched)

    def _job(self, items: Items) -> Job[Items, ScanResult]:
        index = self._index
        pieces = [piece for _, piece in items]
        task = ScanTask(reference(index.format), index.address, pieces, index.location)
        sent = msgspec.structs.replace(task, folder="") if index.engine.remote else task
        return Job(
            items,
            task=lambda: engine_task(sent),
            decode=self._received,
            here=lambda: self._in_place(task),
            size=sum(piece.end - piece.start for piece in pieces),
            lanes=frozenset(piece.source.path for piece in pieces),
        )

    def _received(self, answer: bytes) -> ScanResult:
        result = decode_result(answer)
        if result.content:
            name = write_encoded(pa.py_buffer(result.content), self._index.location)
            return ScanResult(name, result.pieces)
        return result

    def _is_wanted(self, items: Items) -> bool:
        wanted = self._index.priority
        return wanted is not None and any(wanted(piece.source) for _, piece in items)

    def _in_place(self, task: ScanTask) -> ScanResult:
        try:
            return run_task(task, self._index.format, self._store)
        except OSError as error:
            raise UnreadableError(
                f"the index could not be written to {self._index.location}: {error.strerror}",
                hint="choose another place with --index-dir or ROLLSCOPE_INDEX_DIR",
            ) from error

    def _integrate(self, items: Items, result: ScanResult) -> set[Key]:
        """Add what was scanned to the files' entries; returns the steps touched."""
        touched: set[Key] = set()
        row = 0
        for (plan, piece), found in zip(items, result.pieces):
            self._dirty.add(plan.number)
            plan.torn = plan.torn or found.torn
            if found.error and not found.torn:
                plan.entry.error = f"cannot be read: {found.error}"
            if found.error:
                continue
            segment = result.segment if found.rows else ""
            plan.entry.pieces.append(
                IndexedPiece(piece.start, found.end, found.hashes, segment, row, found.rows, found.lines,
                             found.skipped, found.keys)
            )  # fmt: skip
            row += found.rows
            touched.update(found.keys)
        return touched

    def _finish_file(self, plan: FilePlan) -> set[Key]:
        """The file's state counts as seen only if it is still the one that was read. Returns the steps it lost."""
        stat = self._store.stat(plan.entry.source.path)
        self._index.forget_first_rows(plan.entry.source.path)
        self._dirty.add(plan.number)
        if stat is None or plan.stat is None:
            return set()
        change = compare(plan.stat, self._now, stat)
        if plan.torn:
            self._store.forget()
        if plan.torn or change is Change.REPLACED or (change is Change.GREW and not plan.entry.source.appendable):
            lost = {key for piece in plan.entry.pieces for key in piece.keys}
            plan.entry.pieces.clear()
            self.torn = True
            return lost
        self._note_state(plan, complete=True)
        return set()

    def _note_state(self, plan: FilePlan, *, complete: bool) -> None:
        if plan.stat is not None:
            entry = plan.entry
            entry.seen, entry.seen_ns, entry.complete = plan.stat, self._now, complete

    def _publish(self, touched: set[Key]) -> None:
        for number in self._dirty:
            self._published[number] = copy_entry(self._plans[number].entry)
        self._dirty.clear()
        self._index.publish(self._published, touched)


def _bytes_of(work: Iterable[FilePlan]) -> int:
    return sum(piece.end - piece.start for plan in work for piece in plan.pieces)
