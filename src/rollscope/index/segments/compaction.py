"""Keeping an index small: segments nobody names are removed, and many small ones put together into one."""

from __future__ import annotations

import os
import time
from collections import Counter
from contextlib import suppress

import msgspec
import pyarrow as pa

from rollscope.index.manifest.entries import FileEntry
from rollscope.index.manifest.parts import FilePart
from rollscope.index.manifest.root import Manifest, save_manifest
from rollscope.index.segments.files import SegmentStore, write_segment
from rollscope.index.segments.rows import concat
from rollscope.index.snapshot import Snapshot

#: Files no manifest names are removed when they are older than this: another process may be about to name them.
GARBAGE_SECONDS = 3600
#: Parts of manifests sooner: a live run writes one with every look, and whoever misses one reads the newer root.
PART_SECONDS = 60
#: A live run adds a segment with every look at it; more small ones than this become one.
MAX_SMALL_SEGMENTS = 64
SMALL_ROWS = 20_000


def tidy(snapshot: Snapshot, segments: SegmentStore, folder: str) -> Manifest | None:
    """The manifest after putting small segments together, or None when there was no need."""
    manifest = snapshot.manifest
    rows: Counter[str] = Counter()
    for part in manifest.file_parts:
        rows.update(part.rows_by_segment)
    small = {name for name, count in rows.items() if count < SMALL_ROWS}
    compacted = None
    if len(small) > MAX_SMALL_SEGMENTS:
        with suppress(OSError):
            compacted = _compact(snapshot, small, folder)
    state = compacted or manifest
    segments.forget(state.segments)
    _remove_garbage(folder, state.segments | {part.name for part in state.parts})
    return compacted


def _compact(snapshot: Snapshot, small: set[str], folder: str) -> Manifest:
    """The rows of the small segments as one, in the order of the files: those of neighbours are then read as one."""
    manifest = snapshot.manifest
    tables: list[pa.Table] = []
    moved: dict[int, int] = {}
    row = 0
    for part in manifest.file_parts:
        if small.isdisjoint(part.rows_by_segment):
            continue
        for piece in (piece for file in part.files for piece in file.pieces):
            if piece.segment in small:
                tables.append(snapshot.segment(piece.segment).slice(piece.row, piece.rows))
                moved[id(piece)] = row
                row += piece.rows
    name = write_segment(concat(tables), folder)
    parts = [
        part if small.isdisjoint(part.rows_by_segment) else FilePart([_moved(file, moved, name) for file in part.files])
        for part in manifest.file_parts
    ]
    compacted = Manifest(manifest.root, manifest.format, parts, manifest.step_parts)
    save_manifest(folder, compacted)
    return compacted


def _moved(file: FileEntry, moved: dict[int, int], segment: str) -> FileEntry:
    pieces = [
        msgspec.structs.replace(piece, segment=segment, row=moved[id(piece)]) if id(piece) in moved else piece
        for piece in file.pieces
    ]
    return msgspec.structs.replace(file, pieces=pieces)


def _remove_garbage(directory: str, named: set[str]) -> None:
    now = time.time()
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if entry.name in named or not entry.name.endswith((".arrow", ".part", ".tmp")):
                continue
            patience = PART_SECONDS if entry.name.endswith(".part") else GARBAGE_SECONDS
            if entry.stat().st_mtime < now - patience:
                os.unlink(entry.path)
