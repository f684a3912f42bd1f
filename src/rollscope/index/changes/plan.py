"""What must be read: the files as they are now, compared with the files as they were indexed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from rollscope.formats.base import Source
from rollscope.index.manifest.entries import FileEntry, copy_entry
from rollscope.index.scan import Piece
from rollscope.storage.fingerprint import Change, Fingerprint, HashedBytes, compare, is_sampled, still_begins_with
from rollscope.storage.store import Store

CHUNK_BYTES = 64 << 20
#: Small files share a segment, up to this many: 100,000 files must not become 100,000 segments.
MAX_PIECES = 512


class FilePlan(Struct, gc=False):
    """One file: the entry to continue from (empty if it is read from the start) and what is left to read."""

    entry: FileEntry
    pieces: list[Piece]
    #: The entry before this refresh no longer describes the file.
    rebuilt: bool
    stat: Fingerprint | None
    #: Its place among the plans of a refresh.
    number: int = 0
    #: A piece of it had disappeared when it was to be read.
    torn: bool = False
    #: The store refused one of its pieces: the rest is for a later refresh.
    left_out: bool = False
    #: Everything planned has been read: its entry does not change any more.
    finished: bool = False


def plan_file(
    store: Store, source: Source, known: FileEntry | None, now_ns: int, *, distrusted: bool = False
) -> FilePlan:
    """`distrusted`: a reader found other bytes in it than were indexed, even if its fingerprint has not changed."""
    stat = store.stat(source.path)
    if stat is None or source.error:
        reason = source.error or "cannot be read: no permission, or it has just gone"
        entry = FileEntry(source, None, now_ns, [], reason)
        return FilePlan(entry, [], known is not None and known.error != entry.error, None)
    if known is not None and known.source == source and not known.error and not distrusted:
        if is_current(store, known, stat, now_ns):
            return FilePlan(known, [], False, stat)
        if _can_go_on(store, known, stat):
            entry = copy_entry(known)
            entry.pieces = [piece for piece in known.pieces if piece.start < known.end]
            _note_sampled(entry)
            left = pieces(source, known.end, stat) if source.appendable else []
            return FilePlan(entry, left, False, stat)
    fresh = FileEntry(source, None, now_ns, [])
    return FilePlan(fresh, pieces(source, 0, stat), known is not None, stat)


def is_current(store: Store, known: FileEntry, stat: Fingerprint, now_ns: int) -> bool:
    """Whether the file was read to its end and is unchanged. Used both by the index, which reads files that are not
    current, and by callers that only ask whether there is anything to read."""
    if known.seen is None or not known.complete:
        return False
    change = compare(known.seen, known.seen_ns, stat)
    if change is Change.UNSURE and still_begins_with(store, known.source.path, _evidence(known)):
        # From now on its fingerprint is enough, if it is old enough. Readers share this entry; for them either time is
        # right.
        known.seen_ns = now_ns
        _note_sampled(known)
        return True
    return change is Change.NONE


def _can_go_on(store: Store, known: FileEntry, stat: Fingerprint) -> bool:
    """Whether the indexed bytes are still there, so that only what comes after them must be read."""
    if known.seen is None or not known.pieces:
        return False
    change = compare(known.seen, known.seen_ns, stat)
    if change is Change.GREW and not known.source.appendable:
        return False
    if change in (Change.REPLACED, Change.GONE):
        return False
    return still_begins_with(store, known.source.path, _evidence(known))


def _note_sampled(entry: FileEntry) -> None:
    if is_sampled(_evidence(entry)):
        entry.sampled_to = entry.end


def _evidence(known: FileEntry) -> list[HashedBytes]:
    return [piece.evidence for piece in known.pieces]


def pieces(source: Source, start: int, stat: Fingerprint) -> list[Piece]:
    if start >= stat.size:
        return []
    if not source.appendable:
        return [Piece(source, 0, stat.size, stat)]
    starts = range(start, stat.size, CHUNK_BYTES)
    return [Piece(source, at, min(at + CHUNK_BYTES, stat.size), stat) for at in starts]


def batches(plans: Sequence[FilePlan]) -> Iterable[list[tuple[FilePlan, Piece]]]:
    """Pieces combined into tasks of about one chunk each: one piece of a large file, or many small files."""
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
