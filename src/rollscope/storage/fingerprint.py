"""Is it still that file? One answer, for everything that is derived from a file and kept.

A `Fingerprint` is what the store knows about a file without reading it. Comparing two shows whether a file is the same, may
only have grown, or is another one. Where that is not certain (a file that was written a moment before it was checked may
change again without a new time; one that grew may have been edited as well), hashes of its blocks decide.

What this cannot notice is an edit that keeps size, modification time and inode and is made more than `RACY_NS` after that
modification time: `touch -r`, or `rsync --inplace --times` of another text of the same length. docs/architecture.md says so.
"""

from __future__ import annotations

import enum
import random
import struct
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

import xxhash
from msgspec import Struct

#: A file changed less than this before it was checked may change again without a new time: the coarsest filesystem clock
#: ticks every two seconds (FAT), those of most others every 4 ms.
RACY_NS = 2_000_000_000
#: Bytes per hash. The blocks of a sample are checked before it is shown, so smaller blocks would make that cheaper; larger
#: ones would take less space (8 bytes each).
BLOCK_BYTES = 1 << 20
#: How many blocks are read to see whether a file has only grown: the first, the last, and others drawn at random each time.
SAMPLED_BLOCKS = 8
DIGEST_BYTES = 8


class Fingerprint(Struct, frozen=True, array_like=True, gc=False):
    """What a store knows about a file without reading it."""

    size: int
    #: When it was written, by the store's clock.
    mtime_ns: int = 0
    #: Identifies the file whatever its name: a replacement has another one. 0 if the store has no inodes.
    inode: int = 0
    #: The store's own name for this state of the file (object stores): then only this is compared.
    etag: str = ""

    @property
    def version(self) -> str:
        return self.etag or f"{self.mtime_ns}:{self.inode}"

    def settled(self, seen_ns: int) -> bool:
        """Whether a file with this fingerprint at `seen_ns` cannot change any more without a new fingerprint."""
        return bool(self.etag) or seen_ns - self.mtime_ns > RACY_NS


#: The stamp of a file that does not exist.
NO_STAMP = b"\xff" * 24
_MASK = (1 << 64) - 1


def stamp_of(found: Fingerprint | None) -> bytes:
    """A fingerprint as 24 bytes that are equal if the fingerprints are, so that those of many files can be compared at
    once."""
    if found is None:
        return NO_STAMP
    if found.etag:
        return _stamp(found.size, found.mtime_ns & _MASK, xxhash.xxh3_64_intdigest(found.etag.encode()))
    return _stamp(found.size, found.mtime_ns & _MASK, found.inode & _MASK)


_stamp = struct.Struct("<QQQ").pack


def stamps_of(found: Sequence[Fingerprint | None]) -> bytes:
    """The stamps of many fingerprints, concatenated."""
    flat: list[int] = []
    try:
        for each in found:
            if each is None or each.etag:
                return b"".join(map(stamp_of, found))
            flat += (each.size, each.mtime_ns, each.inode)
        return struct.pack(f"<{len(flat)}Q", *flat)
    except struct.error:  # a time before 1970
        return b"".join(map(stamp_of, found))


class Change(enum.Enum):
    """What happened to a file since it was seen."""

    NONE = "none"
    #: No visible change, but it was written a moment before it was seen: hashes must decide.
    UNSURE = "unsure"
    #: The same file, longer. Hashes must show that its beginning is unchanged.
    GREW = "grew"
    #: Another file, or other contents.
    REPLACED = "replaced"
    GONE = "gone"


def compare(then: Fingerprint, seen_ns: int, now: Fingerprint | None) -> Change:
    """What happened to a file that had the fingerprint `then` at `seen_ns`."""
    if now is None:
        return Change.GONE
    if now == then:
        return Change.NONE if then.settled(seen_ns) else Change.UNSURE
    if now.size > then.size and now.inode == then.inode:
        return Change.GREW
    return Change.REPLACED


def now_ns() -> int:
    return time.time_ns()


class _Files(Protocol):
    def stat(self, path: str) -> Fingerprint | None: ...

    def view(self, path: str, offset: int, length: int) -> bytes | memoryview: ...


def hash_blocks(store: _Files, path: str, start: int, end: int) -> bytes:
    """The hashes of bytes [start, end), one per block, concatenated."""
    starts = range(start, end, BLOCK_BYTES)
    return b"".join(_hash(store, path, at, min(at + BLOCK_BYTES, end)) for at in starts)


def _hash(store: _Files, path: str, start: int, end: int) -> bytes:
    return xxhash.xxh3_64_digest(store.view(path, start, end - start))


class HashedBytes(Struct, frozen=True):
    """Bytes [start, end) of a file as they were when they were read."""

    start: int
    end: int
    hashes: bytes

    @property
    def blocks(self) -> int:
        return len(self.hashes) // DIGEST_BYTES

    def holds(self, store: _Files, path: str, block: int) -> bool:
        start = self.start + block * BLOCK_BYTES
        known = self.hashes[block * DIGEST_BYTES : (block + 1) * DIGEST_BYTES]
        return _hash(store, path, start, min(start + BLOCK_BYTES, self.end)) == known

    def holds_at(self, store: _Files, path: str, start: int, end: int) -> bool:
        """The bytes [start, end) are those that were read."""
        if start < self.start or end > self.end:
            return False
        first, last = (start - self.start) // BLOCK_BYTES, (max(start, end - 1) - self.start) // BLOCK_BYTES
        return all(self.holds(store, path, block) for block in range(first, min(last + 1, self.blocks)))


def is_sampled(evidence: list[HashedBytes]) -> bool:
    """Whether there are too many blocks for `still_begins_with` to check all of them."""
    return sum(item.blocks for item in evidence) > SAMPLED_BLOCKS


def still_begins_with(store: _Files, path: str, evidence: list[HashedBytes]) -> bool:
    """Whether what was read of this file is still in it. A small file is checked completely, a larger one in
    `SAMPLED_BLOCKS` blocks."""
    blocks = [(item, block) for item in evidence for block in range(item.blocks)]
    if is_sampled(evidence):
        # Different blocks each time: an edit that one check misses is found by a later one, and before its sample is shown.
        blocks = [blocks[0], blocks[-1], *random.sample(blocks[1:-1], SAMPLED_BLOCKS - 2)]
    try:
        return all(item.holds(store, path, block) for item, block in blocks)
    except OSError:
        return False


def spread_hashes(store: _Files, path: str, size: int) -> list[HashedBytes]:
    """`SAMPLED_BLOCKS` blocks of a file, from its beginning to its end; all of them where there are no more."""
    last = max(0, (size - 1) // BLOCK_BYTES)
    blocks = sorted({round(i * last / (SAMPLED_BLOCKS - 1)) for i in range(SAMPLED_BLOCKS)})
    ranges = [(block * BLOCK_BYTES, min((block + 1) * BLOCK_BYTES, size)) for block in blocks]
    return [HashedBytes(start, end, hash_blocks(store, path, start, end)) for start, end in ranges]


class Sighting:
    """A file as it was when something was made of it that is kept. Make it before reading the file."""

    def __init__(self, store: _Files, path: str) -> None:
        self.seen_ns = now_ns()
        self.fingerprint = store.stat(path)
        #: Hashes of its bytes, where it was written too short a time ago for its fingerprint to be enough.
        self.evidence: list[HashedBytes] = []
        found = self.fingerprint
        if found is not None and not found.settled(self.seen_ns):
            with suppress(OSError):
                self.evidence = spread_hashes(store, path, found.size)

    def is_current(self, store: _Files, path: str) -> bool:
        looked = now_ns()
        now = store.stat(path)
        if self.fingerprint is None:
            return now is None
        change = compare(self.fingerprint, self.seen_ns, now)
        if change is Change.UNSURE and still_begins_with(store, path, self.evidence):
            self.seen_ns = looked
            return True
        return change is Change.NONE
