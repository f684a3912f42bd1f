"""The index of one run: refreshed from its files, read through snapshots.

One thread refreshes at a time; readers never wait for it. Other processes may refresh the same index: segments have
unique names and the manifest is replaced whole, so the last one wins and every state on disk is right.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import blake2b

from rollscope.formats.base import Format, Source
from rollscope.index import statistics
from rollscope.index.compaction import tidy
from rollscope.index.engines import engine_by_name
from rollscope.index.engines.base import Engine
from rollscope.index.manifest import FileEntry, Manifest, copy_entry, load_manifest, save_manifest
from rollscope.index.refresh import IndexProgress, Refresh, Wanted
from rollscope.index.segment import table_from_scan
from rollscope.index.snapshot import Head, SegmentStore, Snapshot
from rollscope.storage.fingerprint import Change, Evidence, compare, hash_blocks, now_ns
from rollscope.storage.store import Store
from rollscope.storage.user_dirs import cache_dir

#: The beginning of a file that is read at once so that its first samples can be shown.
HEAD_BYTES = 1 << 20


def default_location(root: str, base: str | None = None, part: str = "") -> str:
    """A folder in the user's cache, named by the run's real path (and which of the runs there it is); never in the run's
    own directory unless asked."""
    home = base or os.environ.get("ROLLSCOPE_INDEX_DIR") or str(cache_dir() / "index")
    name = os.path.realpath(root) + (f"\0{part}" if part else "")
    digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()
    return os.path.join(home, digest)


class Index:
    def __init__(self, store: Store, format_: Format, *, base: str | None = None, engine: Engine | None = None) -> None:
        #: Its listings are never asked: every look at the files takes a fresh one.
        self.store = store
        self.format = format_
        self.engine = engine or engine_by_name()
        self.version = 0
        self.progress = IndexProgress()
        self.location = _usable(default_location(store.address, base, format_.part))
        self._segments = SegmentStore(self.location)
        self._refreshing = threading.Lock()
        self._publishing = threading.Lock()
        self._heads: dict[str, Head] = {}
        #: Files in which a reader met other bytes than those that were indexed.
        self.distrusted: set[str] = set()
        #: Files a reader waits for; they are read before the others.
        self.priority: Wanted | None = None
        self.address = os.fsencode(store.address)
        manifest = load_manifest(self.location, self.address, format_.name)
        self.snapshot = self._snapshot(manifest or Manifest(root=self.address, format=format_.name))

    def _snapshot(self, manifest: Manifest) -> Snapshot:
        return Snapshot(manifest, self._segments, self.format.grouping, dict(self._heads))

    # Looking at the files

    def sources(self) -> list[Source]:
        return list(self.format.sources(self.store.fresh()))

    def distrust(self, path: str) -> None:
        """Read this file anew at the next look, whatever it looks like from outside."""
        self.distrusted.add(path)

    def prefer(self, wanted: Wanted | None) -> None:
        """Files a reader waits for are read before the others."""
        self.priority = wanted

    def refresh(
        self, *, only: Wanted | None = None, on_progress: Callable[[IndexProgress], None] | None = None
    ) -> bool:
        """Index what is new, and what changed anew. True when anything visible changed."""
        with self._refreshing:
            first = pass_ = Refresh(self, only, on_progress)
            pass_.run()
            # A file that was rewritten while it was read is read once more.
            while pass_.torn:
                pass_ = Refresh(self, only, on_progress)
                pass_.run()
            if first.changed:
                compacted = tidy(self.snapshot.manifest, self._segments)
                if compacted is not None:
                    self.snapshot = self._snapshot(compacted)
        return first.changed

    # Publishing

    def publish(self, entries: Iterable[FileEntry], segments: Iterable[str], touched: set[tuple[str, int]]) -> None:
        """Show this state to readers and save it; the statistics of the steps `touched` are made anew."""
        with self._publishing:
            files = [copy_entry(entry) for entry in entries]
            manifest = Manifest(root=self.address, format=self.format.name, segments=list(segments), files=files)
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
            self.save(manifest)
            self.snapshot = self._snapshot(manifest)
            self.version += 1

    def save(self, manifest: Manifest) -> None:
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

    def forget_head(self, path: str) -> None:
        self._heads.pop(path, None)

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


def _usable(location: str) -> str:
    """The folder itself, or a temporary one where it cannot be written (a read-only home)."""
    try:
        os.makedirs(location, exist_ok=True)
        if os.access(location, os.W_OK):
            return location
    except OSError:
        pass
    return tempfile.mkdtemp(prefix="rollscope-index-")
