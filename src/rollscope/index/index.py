"""The index of one run: refreshed from its files, read through snapshots.

One thread refreshes at a time; readers never wait for it. Other processes may refresh the same index: segments have
unique names and the manifest is replaced as a whole, so the last writer wins and every state on disk is consistent.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from itertools import chain

import msgspec
import pyarrow as pa

from rollscope.errors import UnreadableError
from rollscope.formats.base import Format, Source
from rollscope.formats.lines.sealed import is_sealed
from rollscope.index.engines import engine_by_name
from rollscope.index.engines.base import Engine
from rollscope.index.location import Location
from rollscope.index.manifest.entries import FileEntry, Key
from rollscope.index.manifest.parts import FilePart, file_parts, grouped_parts
from rollscope.index.manifest.rebase import rebase
from rollscope.index.manifest.root import Manifest, load_manifest, save_manifest
from rollscope.index.manifest.step_parts import step_parts, with_part
from rollscope.index.refresh import IndexProgress, IsWanted, Refresh
from rollscope.index.rows.first_rows import FirstRows
from rollscope.index.segments.compaction import compact
from rollscope.index.segments.files import SegmentStore, write_segment
from rollscope.index.segments.repair import rebuild_segment
from rollscope.index.segments.rows import table_from_scan, without_unstorable
from rollscope.index.snapshot import STEP_CACHE, Snapshot, StepTables
from rollscope.index.statistics.by_segment import SegmentStatistics, that_hold
from rollscope.index.statistics.summary import Statistics, summarise
from rollscope.model import MAX_INT, MIN_INT
from rollscope.storage.fingerprint import Change, HashedBytes, compare, hash_blocks, now_ns
from rollscope.storage.store import Store
from rollscope.storage.window import LINE_BYTES

#: The beginning of a file that is read at once so that its first samples can be shown.
FIRST_BYTES = 1 << 20
#: Of a larger file, nothing beyond these is read in place.
IN_PLACE_BYTES = 32 << 20
NOTHING = Statistics(steps=[], fields=[])


class Index:
    def __init__(self, store: Store, format_: Format, *, base: str | None = None, engine: Engine | None = None) -> None:
        #: Its listings are never used: every check of the files makes a fresh one.
        self.store = store
        self.format = format_
        self.engine = engine or engine_by_name()
        self.version = 0
        self.progress = IndexProgress()
        self._location = Location(store, format_, base)
        self._shared = self._location.shared()
        self._segments = SegmentStore(
            lambda: (self.location, self._location.folder), self._shared.fetch if self._shared is not None else None
        )
        #: The state that the shared index has.
        self._committed: Manifest | None = None
        #: Segments that were damaged -> those that were written in their place.
        self._rewritten: dict[str, str] = {}
        #: Folders of which not all files were listed, and how many were.
        self._cut: list[tuple[str, int]] = []
        #: The folders that were listed at the last check of all files; empty if a check of some files cannot rely on
        #: it.
        self.listed: frozenset[str] = frozenset()
        #: How long the last check of all files took, apart from reading those that had changed.
        self.look_seconds = 0.0
        self._refreshing = threading.Lock()
        self._publishing = threading.RLock()
        self._first_rows: dict[str, FirstRows] = {}
        #: Files in which a reader found other bytes than were indexed.
        self.distrusted: set[str] = set()
        #: Files a reader waits for; they are read before the others.
        self.priority: IsWanted | None = None
        self.address = os.fsencode(store.address)
        self._root = os.fsencode(store.identity)
        self._kept_steps = StepTables(max_entries=STEP_CACHE)
        manifest = load_manifest(self._location.folder, self._root, format_.name)
        self.snapshot = self._snapshot(manifest or Manifest(self._root, format_.name))
        self._take_shared()

    @property
    def location(self) -> str:
        """The folder that new segments are written to."""
        return self._location.writable

    def _snapshot(self, manifest: Manifest) -> Snapshot:
        return Snapshot(
            manifest,
            self._segments,
            self.format.grouping,
            dict(self._first_rows),
            self._rebuild_segment,
            self._kept_steps,
        )

    # Looking at the files

    def sources(self, store: Store) -> list[Source]:
        """The files with samples, in order. Records which folders were not listed completely."""
        found = [_storable(source) for source in self.format.sources(store)]
        self._cut = store.cut_folders()
        self.listed = frozenset() if self._cut or self._shared is not None else store.listed_folders()
        return found

    @property
    def warnings(self) -> list[str]:
        """What a user should know about this index, apart from its contents."""
        found = [self._location.warning] if self._location.warning else []
        found += [
            f"more than {limit:,} files in {folder or 'the folder'}: the others are not seen"
            for folder, limit in self._cut
        ]
        return found + [f"no statistics of {name}: {reason}" for name, reason in self.snapshot.failed_fields.items()]

    def distrust(self, path: str) -> None:
        """Read this file again at the next check, even if its fingerprint has not changed."""
        self.distrusted.add(path)

    def prefer(self, wanted: IsWanted | None) -> None:
        """Files a reader waits for are read before the others."""
        self.priority = wanted

    def refresh(
        self,
        *,
        only: IsWanted | None = None,
        named: Collection[str] | None = None,
        on_progress: Callable[[IndexProgress], None] | None = None,
    ) -> bool:
        """Index what is new or changed. True if anything visible changed. `named`: files that are known to have been
        written; if their names say enough, no others are checked."""
        with self._refreshing:
            self._take_shared()
            first = pass_ = Refresh(self, only, on_progress, named)
            pass_.run()
            # A file that was rewritten while it was read is read once more.
            while pass_.torn and not pass_.unavailable:
                pass_ = Refresh(self, only, on_progress)
                pass_.run()
            if first.changed:
                compacted = compact(self.snapshot, self._segments, self.location)
                if compacted is not None:
                    self.snapshot = self._snapshot(compacted)
            self._commit()
        if pass_.unavailable:
            raise UnreadableError(pass_.unavailable, hint="what was read is kept: ask again for the rest")
        return first.changed

    # Publishing

    def publish(
        self,
        groups: Sequence[FilePart | list[FileEntry]],
        touched: set[Key],
        made: Sequence[SegmentStatistics] = (),
    ) -> None:
        """Show this state to readers and save it. The statistics of the steps `touched` are computed again, except
        those that are already `made`. `groups`: all files in order, as unchanged parts and as entries of the files
        between them."""
        with self._publishing:
            before = self.snapshot.manifest
            if self._rewritten:
                # A segment was rebuilt meanwhile: unchanged parts may still name the old one.
                everything = [file for group in groups for file in _files_of(group)]
                groups = [[_renamed(entry, self._rewritten) for entry in everything]]
            parts = grouped_parts(groups)
            snapshot = self._snapshot(Manifest(self._root, self.format.name, parts, before.step_parts))
            if snapshot.manifest.rows_anywhere:
                steps = step_parts((), summarise(snapshot.all_rows))
            else:
                held = snapshot.keys_by_segment(touched)
                present = touched.intersection(chain.from_iterable(held.values()))
                found = that_hold(made, held) if not self._first_rows else []
                left = present.difference(key for part in found for key, _ in part.counted_steps())
                steps = step_parts(before.step_parts, NOTHING, touched - present)
                for part in found:
                    steps = with_part(steps, part)
                if left:
                    steps = step_parts(steps, summarise(snapshot.rows_of_steps(left)))
            manifest = Manifest(self._root, self.format.name, parts, steps)
            self._save(manifest)
            self.snapshot = self._snapshot(manifest)
            self.version += 1

    # An index that others share

    def _take_shared(self, *, at_once: bool = False) -> None:
        """Continue from what others committed, and add what only this process knows."""
        if self._shared is None:
            return
        theirs = self._shared.newer(self._root, self.format.name, at_once=at_once)
        if theirs is None:
            return
        with self._publishing:
            files, touched = rebase(list(theirs.files), list(self.snapshot.manifest.files))
            manifest = theirs
            if touched:
                parts = file_parts(theirs.file_parts, files)
                snapshot = self._snapshot(Manifest(self._root, self.format.name, parts, theirs.step_parts))
                present = snapshot.held(touched)
                steps = step_parts(theirs.step_parts, summarise(snapshot.rows_of_steps(present)), touched - present)
                manifest = Manifest(self._root, self.format.name, parts, steps)
            else:
                self._committed = theirs
            self._save(manifest)
            self.snapshot = self._snapshot(manifest)
            self.version += 1

    def _commit(self) -> None:
        """Make this process's state the newest state of the shared index."""
        if self._shared is None or self._shared.readonly:
            return
        while self.snapshot.manifest is not self._committed:
            manifest = self.snapshot.manifest
            if not manifest.files:
                return
            if self._shared.commit(manifest):
                self._committed = manifest
            else:
                self._take_shared(at_once=True)

    def note_settled(self) -> None:
        """Files that had been written a moment before they were checked have been checked again: save what is known
        now."""
        with self._publishing:
            before = self.snapshot.manifest
            parts = [part if part.facts.quiet else FilePart(part.files) for part in before.file_parts]
            manifest = Manifest(self._root, self.format.name, parts, before.step_parts)
            self._save(manifest)
            self.snapshot = self._snapshot(manifest)

    def _save(self, manifest: Manifest) -> None:
        with suppress(OSError):  # Read-only or full: the state in memory is right, the next start reads again.
            save_manifest(self.location, manifest)

    def _rebuild_segment(self, manifest: Manifest, name: str) -> pa.Table:
        """Rebuild a segment that is gone or damaged from its source files, and save it under a new name."""
        table = rebuild_segment(manifest, name, self.store.fresh(), self.format, self.distrust)
        with self._publishing, suppress(OSError):
            self._rewritten[name] = write_segment(table, self.location)
            before = self.snapshot.manifest
            files = [_renamed(entry, self._rewritten) for entry in before.files]
            parts = file_parts(before.file_parts, files)
            fresh = Manifest(self._root, self.format.name, parts, before.step_parts)
            self._save(fresh)
            self.snapshot = self._snapshot(fresh)
        return table

    # The first samples of a file that has not been read yet

    def peek(self, wanted: IsWanted) -> bool:
        """Read the beginnings of these files in place, so that their first samples show at once. Not kept on disk."""
        known = {entry.source.path: entry for entry in self.snapshot.manifest.files}
        store = self.store.fresh()
        added = False
        for source in self.sources(store):
            entry = known.get(source.path)
            if not wanted(source) or not source.appendable or (entry is not None and entry.pieces):
                continue
            seen_ns = now_ns()
            stat = store.stat(source.path)
            first = self._first_rows.get(source.path)
            if stat is None or (first is not None and compare(first.seen, first.seen_ns, stat) is Change.NONE):
                continue
            try:
                end = _end_of_first_lines(store, source, stat.size)
                scan = without_unstorable(self.format.scan(store, source, 0, end))
                evidence = HashedBytes(0, scan.end, hash_blocks(store, source.path, 0, scan.end))
            except OSError:
                continue  # replaced or removed in this moment, or its store is away: whoever reads all of it says so
            if scan.rows and (first is None or evidence != first.evidence):
                added = True
            if scan.rows:
                self._first_rows[source.path] = FirstRows(table_from_scan(scan, source), stat, seen_ns, evidence)
        if added:
            self._publish_first_rows(store)
        return added

    def forget_first_rows(self, path: str) -> None:
        self._first_rows.pop(path, None)

    def list_files(self) -> None:
        """List the files before any is read: their names say which steps to expect."""
        self._publish_first_rows(self.store.fresh())

    def _publish_first_rows(self, store: Store) -> None:
        with self._publishing:
            manifest = self.snapshot.manifest
            known = {entry.source.path: entry for entry in manifest.files}
            files = [known.get(source.path) or FileEntry(source, None, 0, []) for source in self.sources(store)]
            parts = file_parts(manifest.file_parts, files)
            self.snapshot = self._snapshot(Manifest(self._root, self.format.name, parts, manifest.step_parts))
            self.version += 1


def _end_of_first_lines(store: Store, source: Source, size: int) -> int:
    """Up to where a file is read in place. A line that goes far beyond would be held in memory whole: whoever reads all of
    the file maps it."""
    if size <= IN_PLACE_BYTES or is_sealed(source.path):
        return min(FIRST_BYTES, size)
    return store.read(source.path, 0, FIRST_BYTES + LINE_BYTES).rfind(b"\n") + 1


def _files_of(group: FilePart | list[FileEntry]) -> list[FileEntry]:
    return group.files if isinstance(group, FilePart) else group


def _renamed(entry: FileEntry, names: dict[str, str]) -> FileEntry:
    """The same entry, or one that names segments by their new names."""
    if not any(piece.segment in names for piece in entry.pieces):
        return entry
    pieces = [msgspec.structs.replace(piece, segment=names.get(piece.segment, piece.segment)) for piece in entry.pieces]
    return msgspec.structs.replace(entry, pieces=pieces)


def _storable(source: Source) -> Source:
    """If a file's name has a step that no column can hold, that is an error of the file."""
    if source.step is None or MIN_INT <= source.step <= MAX_INT:
        return source
    reason = f"its step {source.step} is larger than {MAX_INT}"
    return msgspec.structs.replace(source, step=None, error=reason)
