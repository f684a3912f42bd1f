"""One check of a run's files: what is new or changed is read, and published while the rest is still being read."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
from msgspec import Struct

from rollscope.errors import UnreadableError
from rollscope.formats.base import Source
from rollscope.formats.registry import reference
from rollscope.index.changes.named_files import named_stretches
from rollscope.index.changes.plan import FilePlan, batches, plan_file
from rollscope.index.changes.unchanged_parts import Stretch, stretches
from rollscope.index.engines.base import Engine
from rollscope.index.engines.scheduler import Job, Schedule
from rollscope.index.manifest import parts as manifest_parts
from rollscope.index.manifest.entries import FileEntry, IndexedPiece, Key, copy_entry
from rollscope.index.manifest.parts import FilePart
from rollscope.index.scan import Piece, ScanResult, ScanTask, decode_result, engine_task, readiness_task, run_task
from rollscope.index.segments.files import write_encoded
from rollscope.index.statistics.by_segment import SegmentStatistics
from rollscope.storage.fingerprint import Change, compare, now_ns

if TYPE_CHECKING:
    from rollscope.index.index import Index

#: Less than this is read in place: starting processes would take longer.
INLINE_BYTES = 48 << 20
#: The same for workers that are already running.
REMOTE_INLINE_BYTES = 1 << 20
PUBLISH_SECONDS = 0.5

IsWanted = Callable[[Source], bool]
Items = list[tuple[FilePlan, Piece]]


class IndexProgress(Struct):
    bytes_done: int = 0
    bytes_total: int = 0
    files_done: int = 0
    files_total: int = 0
    started: float = 0.0
    running: bool = False


class Refresh:
    """One pass. `changed`: something visible changed. `torn`: a file was rewritten while it was read; check again.
    `unavailable`: why the store gave no more of the files, or ""; what it gave before is published."""

    def __init__(
        self,
        index: Index,
        only: IsWanted | None,
        on_progress: Callable[[IndexProgress], None] | None,
        named: Collection[str] | None = None,
    ) -> None:
        self.torn = False
        self.changed = False
        self.unavailable = ""
        self._index = index
        self._only = only
        #: The only files to check; None: all of them.
        self._named = named
        self._on_progress = on_progress
        self._store = index.store.fresh()
        self._now = now_ns()
        self._before = index.snapshot.manifest
        self._known: dict[str, FileEntry] = {}
        self._plans: list[FilePlan] = []
        #: All files as they were last published: unchanged parts, and entries.
        self._groups: list[FilePart | list[FileEntry]] = []
        #: Of each plan: its group, and its place in there.
        self._places: list[tuple[int, int]] = []
        #: The plans whose files have been read further than was published.
        self._dirty: set[int] = set()
        #: Statistics that came with the segments since.
        self._made: list[SegmentStatistics] = []

    def run(self) -> None:
        index = self._index
        look = self._look()
        touched = [stretch.part for stretch in look if stretch.part is not None and not stretch.untouched]
        in_another_order = len(look) == 1 and look[0].part is None
        for part in self._before.file_parts if in_another_order else touched:
            self._known |= {entry.source.path: entry for entry in part.files}
        unsure = [entry for entry in self._known.values() if entry.seen is not None and not _is_settled(entry)]
        untouched = 0
        for stretch in look:
            if stretch.untouched and stretch.part is not None:
                self._groups.append(stretch.part)
                untouched += stretch.part.facts.bytes_total
                continue
            wanted = stretch.changeable
            self._add_plans(
                stretch.part,
                [
                    self._plan(source) if wanted is None or source.path in wanted else self._as_known(source)
                    for source in stretch.sources
                ],
            )
        work = [plan for plan in self._plans if plan.pieces]
        index.progress = self._progress(work, sum(map(_count, look)), untouched)
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
            elif any(_is_settled(entry) for entry in unsure):
                index.note_settled()  # nothing new, but from now on their fingerprints are enough
        index.progress.running = False

    def _look(self) -> list[Stretch]:
        index, parts = self._index, self._before.file_parts
        if self._named is not None and index.listed and not index.distrusted:
            found = named_stretches(parts, self._named, index.format, self._store, index.listed)
            if found is not None:
                return found
        started = time.monotonic()
        sources = index.sources(self._store)
        found = stretches(parts, sources, self._store, only=self._only, distrusted=index.distrusted)
        if self._only is None:
            index.look_seconds = time.monotonic() - started
        return found

    def _add_plans(self, part: FilePart | None, plans: list[FilePlan]) -> None:
        """Group their files into the size of a part, so that a part of which nothing was read is the same object from
        one publication to the next."""
        found = self._as_it_was(part, plans)
        size = max(1, len(found))
        if isinstance(found, list) and size > 2 * manifest_parts.PART_SIZE:
            size = manifest_parts.PART_SIZE
        for number, plan in enumerate(plans):
            plan.number = len(self._plans) + number
            self._places.append((len(self._groups) + number // size, number % size))
        self._plans += plans
        if isinstance(found, list):
            self._groups += [found[start : start + size] for start in range(0, len(found), size)]
        else:
            self._groups.append(found)

    def _as_it_was(self, part: FilePart | None, plans: list[FilePlan]) -> FilePart | list[FileEntry]:
        """A part whose files turn out to be unchanged stays; for others, the entries are updated."""
        for plan in plans:
            if plan.stat is not None and plan.entry is not self._known.get(plan.entry.source.path):
                self._note_state(plan, complete=not plan.pieces)
        if part is not None and len(part) == len(plans):
            same = (plan.entry is entry and not plan.pieces for plan, entry in zip(plans, part.files))
            if all(same):
                return part
        return [copy_entry(plan.entry) if plan.pieces else plan.entry for plan in plans]

    def _plan(self, source: Source) -> FilePlan:
        entry = self._known.get(source.path)
        if self._only is not None and not self._only(source):
            return FilePlan(entry or FileEntry(source, None, 0, []), [], False, None)
        distrusted = self._index.distrusted
        plan = plan_file(self._store, source, entry, self._now, distrusted=source.path in distrusted)
        distrusted.discard(source.path)
        return plan

    def _as_known(self, source: Source) -> FilePlan:
        entry = self._known[source.path]
        return FilePlan(entry, [], False, entry.seen)

    def _known_keys(self, path: str) -> set[Key]:
        entry = self._known.get(path)
        return {key for piece in entry.pieces for key in piece.keys} if entry is not None else set()

    def _progress(self, work: list[FilePlan], files: int, untouched: int) -> IndexProgress:
        total = untouched + sum(plan.stat.size for plan in self._plans if plan.stat is not None)
        return IndexProgress(
            bytes_done=max(0, total - _bytes_of(work)),
            bytes_total=total,
            files_done=files - len(work),
            files_total=files,
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
            if self.unavailable:
                break
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
            ordered_with=frozenset(piece.source.path for piece in pieces),
        )

    def _received(self, answer: bytes) -> ScanResult:
        result = decode_result(answer)
        if result.content:
            name = write_encoded(pa.py_buffer(result.content), self._index.location)
            return ScanResult(name, result.pieces, b"", result.statistics)
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
            if found.unavailable:
                self.unavailable = found.error
                plan.left_out = True
                continue
            if found.error and not found.torn:
                plan.entry.error = f"cannot be read: {found.error}"
            if found.error:
                continue
            segment = result.segment if found.rows else ""
            plan.entry.pieces.append(
                IndexedPiece(piece.start, found.end, found.hashes, segment, row, found.rows, found.lines,
                             found.skipped, found.keys, found.sizes)
            )  # fmt: skip
            row += found.rows
            touched.update(found.keys)
        if result.statistics:
            pieces = Counter(key for found in result.pieces for key in found.keys)
            self._made.append(SegmentStatistics(result.segment, pieces, result.statistics))
        return touched

    def _finish_file(self, plan: FilePlan) -> set[Key]:
        """Record the file's state only if it is still the one that was read. Returns the steps that the file lost."""
        stat = self._store.stat(plan.entry.source.path)
        self._index.forget_first_rows(plan.entry.source.path)
        self._dirty.add(plan.number)
        plan.finished = True
        if stat is None or plan.stat is None or plan.left_out:
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
        changed: dict[int, list[FileEntry]] = {}
        for number in self._dirty:
            group, place = self._places[number]
            if group not in changed:
                known = self._groups[group]
                changed[group] = list(known.files if isinstance(known, FilePart) else known)
            plan = self._plans[number]
            changed[group][place] = plan.entry if plan.finished else copy_entry(plan.entry)
        self._dirty.clear()
        for number, entries in changed.items():
            self._groups[number] = entries
        parts = [group if isinstance(group, FilePart) else FilePart(group) for group in self._groups]
        self._groups = list(parts)
        self._index.publish(parts, touched, self._made)
        self._made = []


def _count(stretch: Stretch) -> int:
    """How many files it has now."""
    return len(stretch.part) if stretch.untouched and stretch.part is not None else len(stretch.sources)


def _is_settled(entry: FileEntry) -> bool:
    return entry.seen is not None and entry.seen.settled(entry.seen_ns)


def _bytes_of(work: Iterable[FilePlan]) -> int:
    return sum(piece.end - piece.start for plan in work for piece in plan.pieces)
