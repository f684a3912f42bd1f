"""The index of one run: refreshed from its files, read through snapshots.

One thread refreshes at a time; readers never wait for it. Other processes may refresh the same index: segments have
unique names and the manifest is replaced whole, so the last one wins and every state on disk is right.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from hashlib import blake2b

from msgspec import Struct

from rollscope.errors import UnreadableError
from rollscope.formats.base import Format, Source
from rollscope.formats.registry import reference
from rollscope.index import statistics
from rollscope.index.compaction import tidy
from rollscope.index.engines.local import TaskFailed, WorkerDied, shared_pool
from rollscope.index.manifest import FileEntry, Manifest, Stretch, copy_entry, load_manifest, save_manifest
from rollscope.index.plan import FilePlan, batches, plan_file
from rollscope.index.scan import FUNCTION, Piece, Scanned, Task, decode_results, encode_task, run_task
from rollscope.index.segment import table_from_scan
from rollscope.index.snapshot import Head, SegmentStore, Snapshot
from rollscope.storage.fingerprint import Change, Evidence, compare, hash_blocks, now_ns
from rollscope.storage.store import Store

#: Less than this is read in place: starting processes would take longer.
INLINE_BYTES = 48 << 20
#: The beginning of a file that is read at once so that its first samples can be shown.
HEAD_BYTES = 1 << 20
PUBLISH_SECONDS = 0.5

Wanted = Callable[[Source], bool]


class IndexProgress(Struct):
    bytes_done: int = 0
    bytes_total: int = 0
    files_done: int = 0
    files_total: int = 0
    started: float = 0.0
    running: bool = False


class _Job(Struct):
    items: list[tuple[FilePlan, Piece]]
    task: Task
    segment: str


def default_location(root: str, base: str | None = None, part: str = "") -> str:
    """A folder in the user's cache, named by the run's real path (and which of the runs there it is); never in the run's
    own directory unless asked."""
    home = base or os.environ.get("ROLLSCOPE_INDEX_DIR") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "rollscope", "index"
    )  # fmt: skip
    name = os.path.realpath(root) + (f"\0{part}" if part else "")
    digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()
    return os.path.join(home, digest)


class Index:
    def __init__(self, store: Store, format_: Format, *, base: str | None = None) -> None:
        #: Its listings are never asked: every look at the files takes a fresh one.
        self.store = store
        self.format = format_
        self.version = 0
        self.progress = IndexProgress()
        self.location = _usable(default_location(store.address, base, format_.part))
        self._segments = SegmentStore(self.location)
        self._refreshing = threading.Lock()
        self._publishing = threading.Lock()
        self._heads: dict[str, Head] = {}
        #: Files in which a reader met other bytes than those that were indexed.
        self._distrusted: set[str] = set()
        self._priority: Wanted | None = None
        self._address = os.fsencode(store.address)
        manifest = load_manifest(self.location, self._address, format_.name)
        self.snapshot = self._snapshot(manifest or Manifest(root=self._address, format=format_.name))

    def _snapshot(self, manifest: Manifest) -> Snapshot:
        return Snapshot(manifest, self._segments, self.format.grouping, dict(self._heads))

    # Looking at the files

    def sources(self) -> list[Source]:
        return list(self.format.sources(self.store.fresh()))

    def distrust(self, path: str) -> None:
        """Read this file anew at the next look, whatever it looks like from outside."""
        self._distrusted.add(path)

    def prefer(self, wanted: Wanted | None) -> None:
        """Files a reader waits for are read before the others."""
        self._priority = wanted

    def refresh(
        self, *, only: Wanted | None = None, on_progress: Callable[[IndexProgress], None] | None = None
    ) -> bool:
        """Index what is new, and what changed anew. True when anything visible changed."""
        with self._refreshing:
            changed = self._refresh(only, on_progress)
            # A file that was rewritten while it was read is read once more.
            while changed and self._torn:
                self._refresh(only, on_progress)
        return changed

    _torn: bool = False

    def _refresh(self, only: Wanted | None, on_progress: Callable[[IndexProgress], None] | None) -> bool:
        store = self.store.fresh()
        sources = list(self.format.sources(store))
        before = self.snapshot.manifest
        known = {entry.source.path: entry for entry in before.files}
        now = now_ns()
        unsure = [entry for entry in before.files if entry.seen and not entry.seen.settled(entry.seen_ns)]
        plans: list[FilePlan] = []
        for source in sources:
            entry = known.get(source.path)
            if only is not None and not only(source):
                plans.append(FilePlan(entry or FileEntry(source, None, 0, []), [], False, None))
                continue
            plans.append(plan_file(store, source, entry, now, distrusted=source.path in self._distrusted))
            self._distrusted.discard(source.path)
        gone = known.keys() - {source.path for source in sources}
        work = [plan for plan in plans if plan.pieces]
        state = _State(plans, list(before.segments))
        for plan in plans:
            if plan.stat is not None and plan.entry is not known.get(plan.entry.source.path):
                _note_state(plan, now, complete=not plan.pieces)
        self._start_progress(work, plans)
        stale = {key for plan in plans if plan.rebuilt for key in _keys_of(known.get(plan.entry.source.path))}
        stale |= {key for path in gone for key in _keys_of(known[path])}
        self._torn = False
        if stale or gone:
            self._publish(state, stale)
        if work:
            self._run(state, work, store, now, on_progress)
        elif not (stale or gone):
            listed = [plan.entry.source.path for plan in plans]
            if listed != [entry.source.path for entry in before.files] or any(plan.entry.error for plan in plans):
                self._publish(state, set())
            elif any(entry.seen and entry.seen.settled(entry.seen_ns) for entry in unsure):
                self._save(before)  # nothing new, but from now on their fingerprints are enough
        self.progress.running = False
        if work or stale or gone:
            compacted = tidy(self.snapshot.manifest, self._segments)
            if compacted is not None:
                self.snapshot = self._snapshot(compacted)
            return True
        return False

    def _start_progress(self, work: list[FilePlan], plans: list[FilePlan]) -> None:
        total = sum(plan.stat.size for plan in plans if plan.stat is not None)
        left = sum(piece.end - piece.start for plan in work for piece in plan.pieces)
        self.progress = IndexProgress(
            bytes_done=max(0, total - left),
            bytes_total=total,
            files_done=len(plans) - len(work),
            files_total=len(plans),
            started=time.monotonic(),
            running=bool(work),
        )

    # Reading

    def _run(
        self,
        state: _State,
        work: list[FilePlan],
        store: Store,
        now: int,
        on_progress: Callable[[IndexProgress], None] | None,
    ) -> None:
        jobs = deque(self._job(items) for items in batches(work))
        total = sum(piece.end - piece.start for plan in work for piece in plan.pieces)
        touched: set[tuple[str, int]] = set()
        published = time.monotonic()

        def integrate(job: _Job, results: list[Scanned]) -> None:
            nonlocal published
            touched.update(self._integrate(state, job, results))
            self.progress.bytes_done += sum(piece.end - piece.start for _, piece in job.items)
            for plan, piece in job.items:
                if piece is plan.pieces[-1]:
                    self.progress.files_done += 1
                    self._finish_file(plan, store, now)
            if on_progress is not None:
                on_progress(self.progress)
            if time.monotonic() - published > PUBLISH_SECONDS:
                self._publish(state, touched)
                touched.clear()
                published = time.monotonic()

        if total < INLINE_BYTES:
            for job in jobs:
                integrate(job, self._in_place(job, store))
        else:
            self._in_workers(jobs, store, integrate)
        self._publish(state, touched)

    def _job(self, items: list[tuple[FilePlan, Piece]]) -> _Job:
        name = f"{uuid.uuid4().hex}.arrow"
        task = Task(reference(self.format), self._address, [piece for _, piece in items], self._segments.path(name))
        return _Job(items, task, name)

    def _in_place(self, job: _Job, store: Store) -> list[Scanned]:
        try:
            return run_task(job.task, self.format, store)
        except OSError as error:
            raise UnreadableError(
                f"the index could not be written to {self.location}: {error.strerror}",
                hint="choose another place with --index-dir or ROLLSCOPE_INDEX_DIR",
            ) from error

    def _in_workers(self, jobs: deque[_Job], store: Store, integrate: Callable[[_Job, list[Scanned]], None]) -> None:
        """Keep every worker busy; hand results on per file in order, since a sample's number counts those before it."""
        pool = shared_pool()
        running: dict[Future[bytes], _Job] = {}
        order: dict[int, deque[_Job]] = {}
        ready: dict[int, list[Scanned]] = {}
        for job in jobs:
            for plan in {id(plan): plan for plan, _ in job.items}.values():
                order.setdefault(id(plan), deque()).append(job)
        while jobs or running:
            while jobs and len(running) < pool.count + 1:
                job = self._next(jobs)
                running[pool.submit(FUNCTION, encode_task(job.task))] = job
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                job = running.pop(future)
                ready[id(job)] = self._result(future, job, store)
                self._hand_on(job, order, ready, integrate)

    def _result(self, future: Future[bytes], job: _Job, store: Store) -> list[Scanned]:
        try:
            return decode_results(future.result())
        except (WorkerDied, TaskFailed):
            # Killed (a mapped file cut short) or failed: here nothing is mapped, and a failure is reported in full.
            return self._in_place(job, store)

    def _hand_on(
        self,
        job: _Job,
        order: dict[int, deque[_Job]],
        ready: dict[int, list[Scanned]],
        integrate: Callable[[_Job, list[Scanned]], None],
    ) -> None:
        queue = [job]
        while queue:
            candidate = queue.pop()
            files = {id(plan) for plan, _ in candidate.items}
            if id(candidate) not in ready or any(order[file][0] is not candidate for file in files):
                continue
            integrate(candidate, ready.pop(id(candidate)))
            for file in files:
                order[file].popleft()
                if order[file]:
                    queue.append(order[file][0])

    def _next(self, jobs: deque[_Job]) -> _Job:
        wanted = self._priority
        if wanted is not None:
            for job in jobs:
                if any(wanted(piece.source) for _, piece in job.items):
                    jobs.remove(job)
                    return job
        return jobs.popleft()

    def _integrate(self, state: _State, job: _Job, results: list[Scanned]) -> set[tuple[str, int]]:
        """Add what was scanned to the files' entries; returns the steps touched."""
        touched: set[tuple[str, int]] = set()
        segment = len(state.segments)
        row = 0
        for (plan, piece), result in zip(job.items, results):
            if result.error:
                plan.entry.error = f"cannot be read: {result.error}"
                continue
            plan.entry.stretches.append(
                Stretch(piece.start, result.end, result.hashes, segment, row, result.rows, result.lines,
                        result.skipped, result.keys)
            )  # fmt: skip
            row += result.rows
            touched.update(result.keys)
        if row:
            state.segments.append(job.segment)
        return touched

    def _finish_file(self, plan: FilePlan, store: Store, now: int) -> None:
        """The file's state counts as seen only if it is still the one that was read."""
        stat = store.stat(plan.entry.source.path)
        self._heads.pop(plan.entry.source.path, None)
        if stat is None or plan.stat is None:
            return
        change = compare(plan.stat, now, stat)
        if change is Change.REPLACED or (change is Change.GREW and not plan.entry.source.appendable):
            plan.entry.stretches.clear()
            self._torn = True
            return
        _note_state(plan, now, complete=True)

    # Publishing

    def _publish(self, state: _State, touched: set[tuple[str, int]]) -> None:
        with self._publishing:
            files = [copy_entry(plan.entry) for plan in state.plans]
            manifest = Manifest(root=self._address, format=self.format.name, segments=list(state.segments), files=files)
            snapshot = self._snapshot(manifest)
            old = self.snapshot.statistics
            present = {key for file in files for stretch in file.stretches for key in stretch.keys}
            unlisted = any(stretch.rows and not stretch.keys for file in files for stretch in file.stretches)
            if unlisted:
                new = statistics.summarise(snapshot.all_rows)
                merged = new
            else:
                affected = touched & present
                new = statistics.summarise(snapshot.rows_of_steps(affected)) if affected else statistics.decode(b"")
                merged = statistics.without(statistics.merge(old, new), present)
            manifest.steps = statistics.encode(merged)
            self._save(manifest)
            self.snapshot = self._snapshot(manifest)
            self.version += 1

    def _save(self, manifest: Manifest) -> None:
        with suppress(OSError):  # Read-only or full: the state in memory is right, the next start reads again.
            save_manifest(self.location, manifest)

    # The first samples of a file nobody has read yet

    def peek(self, wanted: Wanted) -> bool:
        """Read the beginnings of these files in place, so that their first samples show at once. Not kept on disk."""
        known = {entry.source.path: entry for entry in self.snapshot.manifest.files}
        store = self.store.fresh()
        added = False
        for source in self.format.sources(store):
            entry = known.get(source.path)
            if not wanted(source) or not source.appendable or (entry is not None and entry.stretches):
                continue
            seen_ns = now_ns()
            stat = store.stat(source.path)
            head = self._heads.get(source.path)
            if stat is None or (head is not None and compare(head.seen, head.seen_ns, stat) is Change.NONE):
                continue
            scan = self.format.scan(store, source, 0, min(HEAD_BYTES, stat.size))
            evidence = Evidence(0, scan.end, hash_blocks(store, source.path, 0, scan.end))
            if scan.rows and (head is None or evidence != head.evidence):
                added = True
            if scan.rows:
                self._heads[source.path] = Head(table_from_scan(scan, source), stat, seen_ns, evidence)
        if added:
            self._publish_heads(store)
        return added

    def list_files(self) -> None:
        """Name the files there are, before any is read: their names say which steps to expect."""
        self._publish_heads(self.store.fresh())

    def _publish_heads(self, store: Store) -> None:
        with self._publishing:
            manifest = self.snapshot.manifest
            known = {entry.source.path: entry for entry in manifest.files}
            files = [known.get(source.path) or FileEntry(source, None, 0, []) for source in self.format.sources(store)]
            fresh = Manifest(
                root=manifest.root,
                format=self.format.name,
                segments=manifest.segments,
                files=files,
                steps=manifest.steps,
            )
            self.snapshot = self._snapshot(fresh)
            self.version += 1


class _State(Struct):
    """What a refresh is building."""

    plans: list[FilePlan]
    segments: list[str]


def _note_state(plan: FilePlan, now: int, *, complete: bool) -> None:
    if plan.stat is not None:
        entry = plan.entry
        entry.seen, entry.seen_ns, entry.complete = plan.stat, now, complete


def _keys_of(entry: FileEntry | None) -> set[tuple[str, int]]:
    return {key for stretch in entry.stretches for key in stretch.keys} if entry is not None else set()


def _usable(location: str) -> str:
    """The folder itself, or a temporary one where it cannot be written (a read-only home)."""
    try:
        os.makedirs(location, exist_ok=True)
        if os.access(location, os.W_OK):
            return location
    except OSError:
        pass
    return tempfile.mkdtemp(prefix="rollscope-index-")
