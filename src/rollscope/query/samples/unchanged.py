"""Checks that what was just read from a run's files is what was indexed. Used after reading many samples at once: a
result is returned only if this holds, so that no answer mixes an old row with a new text."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from rollscope.errors import UnreadableError
from rollscope.index.indexed_place import IndexedPlace
from rollscope.index.snapshot import Snapshot
from rollscope.storage.fingerprint import BLOCK_BYTES, Change, compare, still_begins_with
from rollscope.storage.store import Store


def kept_changing(paths: Iterable[str]) -> UnreadableError:
    """For what was tried several times."""
    name, *others = sorted(paths)
    more = f" and {len(others)} more files" if others else ""
    return UnreadableError(f"{name}{more} kept changing while it was read", hint="try again when its writer rests")


class FilesChanged(Exception):  # noqa: N818  # no error: the files are read again
    """Files are no longer what was indexed."""

    def __init__(self, paths: set[str]) -> None:
        super().__init__(", ".join(sorted(paths)))
        self.paths = paths


class Unchanged:
    """Whether the files of one snapshot are still what was indexed; paths of those that are not are collected in `changed`."""

    def __init__(self, snapshot: Snapshot, table: pa.Table, store: Store) -> None:
        self._snapshot = snapshot
        self._table = table
        self._store = store
        self._proved: dict[tuple[str, int, int, int], bool] = {}
        self.changed: set[str] = set()

    def holds(self, file: int, rows: Iterable[int]) -> bool:
        """`file`: its position in the manifest; `rows`: the table's rows that were read from it and are to be shown."""
        entry = self._snapshot.manifest.files[file]
        path = entry.source.path
        if path in self.changed:
            return False
        seen, now = entry.seen, self._store.stat(path)
        change = compare(seen, entry.seen_ns, now) if seen is not None else Change.UNSURE
        if change is Change.NONE and not entry.sampled_to:
            return True
        # A file that has not been read to its end has hashes only for its first rows.
        if (
            change in (Change.REPLACED, Change.GONE)
            or (
                seen is not None
                and change is not Change.NONE
                and not still_begins_with(self._store, path, [piece.evidence for piece in entry.pieces])
            )
            or not all(self._is_there(self._snapshot.locate(self._table, row)) for row in rows)
        ):
            self.changed.add(path)
        return path not in self.changed

    def _is_there(self, located: IndexedPlace) -> bool:
        """Neighbours lie in the same blocks of the file, each of which is compared once."""
        if len(located.evidence) != 1:
            return located.still_there(self._store)
        start = located.evidence[0].start
        offset = located.place.offset - start
        last = (offset + max(1, located.place.length) - 1) // BLOCK_BYTES
        blocks = (located.source.path, start, offset // BLOCK_BYTES, last)
        if blocks not in self._proved:
            self._proved[blocks] = located.still_there(self._store)
        return self._proved[blocks]
