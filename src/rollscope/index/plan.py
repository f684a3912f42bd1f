"""What must be read: the files as they are against the files as they were indexed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from msgspec import Struct

from rollscope.formats.base import Source
from rollscope.index.manifest import FileEntry, copy_entry
from rollscope.index.scan import Piece, hash_ends
from rollscope.storage.local import Directory, FileStat

CHUNK_BYTES = 64 << 20
#: Small files share a segment, up to this many: 100,000 files must not become 100,000 segments.
MAX_PIECES = 512
#: A file changed less than this before it was looked at may change again without a new mtime.
RACY_NS = 2_000_000_000


class FilePlan(Struct):
    """One file: the entry to go on from (empty when it is read anew) and what is left to read."""

    entry: FileEntry
    pieces: list[Piece]
    #: The entry before this refresh no longer describes the file.
    rebuilt: bool
    stat: FileStat | None


def plan_file(directory: Directory, source: Source, known: FileEntry | None, now_ns: int) -> FilePlan:
    stat = directory.stat(source.path)
    if stat is None:
        entry = FileEntry(source, 0, 0, 0, now_ns, [], "cannot be read: no permission, or it has just gone")
        return FilePlan(entry, [], known is not None and known.error != entry.error, None)
    if known is not None and known.source == source and not known.error:
        if _untouched(known, stat):
            return FilePlan(known, [], False, stat)
        if _still_begins_with(directory, known, stat):
            entry = copy_entry(known)
            entry.stretches = [stretch for stretch in known.stretches if stretch.start < known.end]
            left = pieces(source, known.end, stat.size) if source.appendable else []
            return FilePlan(entry, left, False, stat)
    fresh = FileEntry(source, 0, 0, 0, now_ns, [])
    return FilePlan(fresh, pieces(source, 0, stat.size), known is not None, stat)


def _untouched(known: FileEntry, stat: FileStat) -> bool:
    same = known.complete and known.size == stat.size and known.mtime_ns == stat.mtime_ns and known.inode == stat.inode
    return same and known.seen_ns - known.mtime_ns > RACY_NS


def _still_begins_with(directory: Directory, known: FileEntry, stat: FileStat) -> bool:
    """The indexed bytes are still there: size, and a hash of the ends of every stretch."""
    if stat.size < known.end or not known.stretches:
        return False
    if not known.source.appendable and stat.size != known.size:
        return False
    try:
        return all(
            hash_ends(directory, known.source.path, item.start, item.end) == (item.head, item.tail)
            for item in known.stretches
        )
    except OSError:
        return False


def pieces(source: Source, start: int, size: int) -> list[Piece]:
    if start >= size:
        return []
    if not source.appendable:
        return [Piece(source, 0, size)]
    starts = range(start, size, CHUNK_BYTES)
    return [Piece(source, at, min(at + CHUNK_BYTES, size)) for at in starts]


def batches(plans: Sequence[FilePlan]) -> Iterable[list[tuple[FilePlan, Piece]]]:
    """Pieces put together into tasks of about a chunk each: a large file's one by one, small files many at once."""
    batch: list[tuple[FilePlan, Piece]] = []
    size = 0
    for plan in plans:
        for piece in plan.pieces:
            length = piece.end - piece.start
            if batch and (size + length > CHUNK_BYTES or len(batch) >= MAX_PIECES):
                yield batch
                batch, size = [], 0
            batch.append((plan, piece))
            size += length
    if batch:
        yield batch


def now_ns() -> int:
    return time.time_ns()
