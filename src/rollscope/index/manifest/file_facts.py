"""What is asked of a part's files at every look, beside the entries themselves: these are decoded only where it matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import msgspec
import numpy as np
import xxhash
from msgspec import Struct

from rollscope.formats.base import Source
from rollscope.index.manifest.entries import FileEntry, Key
from rollscope.storage.fingerprint import stamps_of

#: Instead of a number of bytes that is not known.
UNKNOWN_BYTES = -1


class FileFacts(Struct, array_like=True):
    count: int
    #: A hash of the files' sources: while it is equal, these are the same files, known by the same names.
    sources: bytes
    first_path: str
    #: The files' fingerprints, concatenated (see `stamp_of`).
    stamps: bytes
    #: Every file `is_quiet`.
    quiet: bool
    bytes_total: int
    #: (split, lowest step, highest step) of the rows.
    ranges: list[tuple[str, int, int]]
    #: Some piece has too many steps to list them.
    anywhere: bool
    rows_by_segment: dict[str, int]
    #: The steps named by files that have not been read to their end.
    promised: list[Key]
    #: Some line was skipped or mended, or some file cannot be read.
    troubled: bool
    #: Precedences of the files; empty where they are all equal.
    ranks: list[int]
    #: Split -> (step, bytes of the lines that became its samples), as pairs of int64; UNKNOWN_BYTES of a container that
    #: holds several steps.
    step_bytes: dict[str, bytes]
    #: The steps of files that are not read to their end.
    filling: list[Key]

    def bytes_of_steps(self, split: str) -> list[tuple[int, int]]:
        """(step, bytes) of a split; bytes may be UNKNOWN_BYTES."""
        pairs = np.frombuffer(self.step_bytes.get(split, b""), dtype="<i8").reshape(-1, 2)
        return [(step, size) for step, size in pairs.tolist()]


def added(size: int, more: int) -> int:
    """The sum; unknown if either is."""
    return UNKNOWN_BYTES if UNKNOWN_BYTES in (size, more) else size + more


def digest_of(sources: Sequence[Source]) -> bytes:
    return xxhash.xxh3_128_digest(msgspec.msgpack.encode(sources))


def is_quiet(file: FileEntry) -> bool:
    """It was read to its end, without an error, and its fingerprint tells everything about it."""
    return file.complete and not file.error and file.seen is not None and file.seen.settled(file.seen_ns)


def facts_of(files: Sequence[FileEntry]) -> FileFacts:
    """In one pass: it is done for every file that is read."""
    segments: dict[str, int] = {}
    #: Split -> step -> bytes.
    sizes: dict[str, dict[int, int]] = {}
    promised: list[Key] = []
    filling: list[Key] = []
    anywhere = troubled = False
    quiet = True
    for file in files:
        source, complete, pieces = file.source, file.complete, file.pieces
        if file.error:
            troubled = True
        elif not complete and source.split is not None and source.step is not None:
            promised.append((source.split, source.step))
        quiet = quiet and is_quiet(file)
        for piece in pieces:
            keys = piece.keys
            troubled = troubled or bool(piece.skipped)
            if piece.rows:
                segments[piece.segment] = segments.get(piece.segment, 0) + piece.rows
                anywhere = anywhere or not keys
            own = piece.sizes or ([piece.end - piece.start] if len(keys) == 1 else [UNKNOWN_BYTES] * len(keys))
            for (split, step), size in zip(keys, own):
                steps = sizes.get(split)
                if steps is None:
                    steps = sizes[split] = {}
                steps[step] = added(steps[step], size) if step in steps else size
        if pieces and (not complete or file.end < file.size):
            filling += [key for piece in pieces for key in piece.keys]
    stamps = stamps_of([file.seen for file in files])
    sizes_and_times = np.frombuffer(stamps, dtype="<i8").reshape(-1, 3)
    known = sizes_and_times[sizes_and_times[:, 0] >= 0]
    ranks = [file.source.rank for file in files]
    return FileFacts(
        count=len(files),
        sources=digest_of([file.source for file in files]),
        first_path=files[0].source.path if files else "",
        stamps=stamps,
        quiet=quiet,
        bytes_total=int(known[:, 0].sum()),
        ranges=[(split, min(steps), max(steps)) for split, steps in sizes.items()],
        anywhere=anywhere,
        rows_by_segment=segments,
        promised=promised,
        troubled=troubled,
        ranks=ranks if any(ranks) else [],
        step_bytes={split: _pairs(steps) for split, steps in sizes.items()},
        filling=filling,
    )


def _pairs(sizes: Mapping[int, int]) -> bytes:
    return np.fromiter(chain.from_iterable(sizes.items()), dtype="<i8", count=2 * len(sizes)).tobytes()
