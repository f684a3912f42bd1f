"""Is it still that file? One answer, for everything that keeps something it made of a file.

A `Fingerprint` is what the store says about a file without reading it. Two of them tell apart: the same file, one that
may only have grown, and another one. Where they cannot (a file that was written a moment before it was looked at may
change again without a new time; one that grew may have been edited as well), hashes of its blocks are the evidence.

What this cannot notice is an edit that keeps size, modification time and inode and is made more than `RACY_NS` after the
time it pretends: `touch -r`, or `rsync --inplace --times` of another text of the same length. docs/architecture.md says so.
"""

from __future__ import annotations

import enum
import random
import time
from contextlib import suppress
from typing import Protocol

import xxhash
from msgspec import Struct

#: A file changed less than this before it was looked at may change again without a new time: the coarsest clocks of
#: filesystems tick every two seconds (FAT), those of most others every 4 ms.
RACY_NS = 2_000_000_000
#: Bytes under one hash. What is read of a sample is checked block by block, so smaller ones would cost less there;
#: larger ones would cost less to keep (8 bytes each).
BLOCK_BYTES = 1 << 20
#: Blocks of a file that are read to see whether it has only grown: its ends, and others that are drawn anew each time.
SAMPLED_BLOCKS = 8
DIGEST_BYTES = 8


class Fingerprint(Struct, frozen=True, array_like=True):
    """What a store says about a file without reading it."""

    size: int
    #: When it was written, by the store's clock.
    mtime_ns: int = 0
    #: Which file it is, whatever its name: one that is replaced has another. 0 where the store has no such thing.
    inode: int = 0
    #: Where the store gives every state of a file a name of its own (object stores): then only that counts.
    etag: str = ""

    @property
    def version(self) -> str:
        return self.etag or f"{self.mtime_ns}:{self.inode}"

    def settled(self, seen_ns: int) -> bool:
        """Seen at this moment, it cannot have changed since without showing it."""
        return bool(self.etag) or seen_ns - self.mtime_ns > RACY_NS


class Change(enum.Enum):
    """What became of a file since it was seen."""

    NONE = "none"
    #: Nothing shows, but it was written a moment before it was seen: evidence must decide.
    UNSURE = "unsure"
    #: The same file, longer. That what was there is still there needs evidence.
    GREW = "grew"
    #: Another file, or another content.
    REPLACED = "replaced"
    GONE = "gone"


def compare(then: Fingerprint, seen_ns: int, now: Fingerprint | None) -> Change:
    """What became of a file that was `then` when it was seen at `seen_ns`."""
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

    def read(self, path: str, offset: int = 0, length: int = -1) -> bytes: ...


def hash_blocks(store: _Files, path: str, start: int, end: int) -> bytes:
    """The hashes of bytes [start, end), a block at a time, one behind the other."""
    starts = range(start, end, BLOCK_BYTES)
    return b"".join(_hash(store, path, at, min(at + BLOCK_BYTES, end)) for at in starts)


def _hash(store: _Files, path: str, start: int, end: int) -> bytes:
    return xxhash.xxh3_64_digest(store.read(path, start, end - start))


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
    """There are too many blocks for `still_begins_with` to look at all of them."""
    return sum(item.blocks for item in evidence) > SAMPLED_BLOCKS


def still_begins_with(store: _Files, path: str, evidence: list[HashedBytes]) -> bool:
    """What was read of this file is still in it. All of a small file is looked at, `SAMPLED_BLOCKS` blocks of others."""
    blocks = [(item, block) for item in evidence for block in range(item.blocks)]
    if is_sampled(evidence):
        # Others each time: an edit that escapes one look is found by a later one, and before its sample is shown.
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
