"""The manifest: which bytes of which files lie in which segment, and what each step amounts to.

One small file, replaced by rename. It is self-contained: whoever reads it sees one consistent state, whoever is killed
while writing leaves the old one. The index is derived data: a manifest that does not read is rebuilt, never migrated.
"""

from __future__ import annotations

import os

import msgspec
import xxhash
from msgspec import Struct

from rollscope.formats.base import Source
from rollscope.storage.atomic import write_atomically
from rollscope.storage.fingerprint import DIGEST_BYTES, Evidence, Fingerprint

#: Raised whenever the meaning of anything in the index changes.
VERSION = 11
MANIFEST = "manifest.msgpack"
MAX_KEYS = 4096


class IndexedPiece(Struct, array_like=True):
    """Bytes [start, end) of a file and the rows of a segment they became, with hashes of those bytes (see
    `storage.fingerprint`): they tell whether a file that grew still has them."""

    start: int
    end: int
    hashes: bytes
    segment: int
    row: int
    rows: int
    lines: int
    #: (1-based line within this piece, reason).
    skipped: list[tuple[int, str]]
    #: The (split, step) pairs of its rows; empty when there are more than MAX_KEYS (then every step may be in it).
    keys: list[tuple[str, int]]

    @property
    def evidence(self) -> Evidence:
        return Evidence(self.start, self.end, self.hashes)


class FileEntry(Struct, array_like=True):
    source: Source
    #: The file as it was when reading it began; None while nobody has looked at it.
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
        for piece in self.pieces:
            if piece.start > end:
                break
            end = max(end, piece.end)
        return end


def copy_entry(entry: FileEntry) -> FileEntry:
    """With its own list of pieces: a published entry is never changed."""
    return msgspec.structs.replace(entry, pieces=list(entry.pieces))


class Manifest(Struct, array_like=True):
    version: int = VERSION
    #: The run's path, as bytes: it need not be UTF-8.
    root: bytes = b""
    format: str = ""
    #: Names of the segment files; a piece names its segment by position.
    segments: list[str] = []
    files: list[FileEntry] = []
    #: The per-step statistics, encoded (see `statistics`).
    steps: bytes = b""


_decoder = msgspec.msgpack.Decoder(Manifest)


def load_manifest(directory: str, root: bytes, format_name: str) -> Manifest | None:
    """None when there is none that fits: another version, another run, other bytes than were written."""
    try:
        with open(os.path.join(directory, MANIFEST), "rb") as file:
            content = memoryview(file.read())
        if xxhash.xxh3_64_digest(content[DIGEST_BYTES:]) != content[:DIGEST_BYTES]:
            return None
        manifest = _decoder.decode(content[DIGEST_BYTES:])
    except (OSError, msgspec.MsgspecError):
        return None
    if manifest.version != VERSION or manifest.root != root or manifest.format != format_name:
        return None
    return manifest


def save_manifest(directory: str, manifest: Manifest) -> None:
    content = msgspec.msgpack.encode(manifest)
    os.makedirs(directory, exist_ok=True)  # the index may be deleted at any time
    write_atomically(os.path.join(directory, MANIFEST), xxhash.xxh3_64_digest(content) + content, durable=False)
