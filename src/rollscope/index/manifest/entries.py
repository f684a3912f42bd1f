"""What the index knows of one file: which of its bytes became which rows of which segment.

There are as many entries as files. None leads back to itself, so the garbage collector need not walk through them all
again and again (`gc=False`): that was a fifth of the time of indexing 50,000 files.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from rollscope.formats.base import Source
from rollscope.storage.fingerprint import Fingerprint, HashedBytes

MAX_KEYS = 4096
#: (split, step)
Key = tuple[str, int]


def order_of(key: Key) -> tuple[bool, str, int]:
    """`train` first, then by name; steps by number."""
    split, step = key
    return split != "train", split, step


def by_split(keys: Iterable[Key]) -> dict[str, list[int]]:
    """Steps in order, by split."""
    found: dict[str, list[int]] = {}
    for split, step in sorted(keys):
        found.setdefault(split, []).append(step)
    return found


class IndexedPiece(Struct, array_like=True, gc=False):
    """Bytes [start, end) of a file and the rows of a segment they became, with hashes of those bytes (see
    `storage.fingerprint`): they tell whether a file that grew still has them."""

    start: int
    end: int
    hashes: bytes
    #: The segment's name; "" where there are no rows.
    segment: str
    row: int
    rows: int
    lines: int
    #: (1-based line within this piece, reason).
    skipped: list[tuple[int, str]]
    #: The (split, step) pairs of its rows; empty when there are more than MAX_KEYS (then every step may be in it).
    keys: list[Key]
    #: For each key the bytes of its lines; empty if there is one key, or if this is unknown.
    sizes: list[int] = []

    @property
    def evidence(self) -> HashedBytes:
        return HashedBytes(self.start, self.end, self.hashes)


def is_container(source: Source) -> bool:
    """Places in it are not those of its own bytes."""
    return source.packed or not source.appendable


class FileEntry(Struct, array_like=True, gc=False):
    source: Source
    #: The file as it was when reading it began; None until it has been checked.
    seen: Fingerprint | None
    #: When that was. A file written a moment before is looked at again.
    seen_ns: int
    pieces: list[IndexedPiece]
    #: Why it cannot be read, or "".
    error: str = ""
    #: It was read to its end.
    complete: bool = False
    #: The bytes before this were read of an earlier state of the file, and only some of them compared since: what is
    #: shown of them is compared first.
    sampled_to: int = 0

    @property
    def size(self) -> int:
        return self.seen.size if self.seen is not None else 0

    @property
    def end(self) -> int:
        """Up to where every line is read. A line that was not finished may have reached through several pieces: those
        behind its beginning say nothing about it."""
        end = 0
        if len(self.pieces) == 1:
            return self.pieces[0].end if self.pieces[0].start == 0 else 0
        for piece in self.pieces:
            if piece.start > end:
                break
            end = max(end, piece.end)
        return end


def copy_entry(entry: FileEntry) -> FileEntry:
    """A copy with a list of pieces of its own: a published entry is never changed."""
    return msgspec.structs.replace(entry, pieces=list(entry.pieces))
