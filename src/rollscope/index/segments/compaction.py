"""Keeping an index small: segments nobody names are removed, and many small ones put together into one."""

from __future__ import annotations

import os
import time
from collections import Counter
from contextlib import suppress

import msgspec
import pyarrow as pa

from rollscope.index.manifest import FileEntry, Manifest, copy_entry, save_manifest
from rollscope.index.segments.files import SegmentStore, write_segment
from rollscope.index.segments.rows import concat
from rollscope.index.snapshot import Snapshot

#: Files no manifest names are removed when they are older than this: another process may be about to name them.
GARBAGE_SECONDS = 3600
#: A live run adds a segment with every look at it; more small ones than this become one.
MAX_SMALL_SEGMENTS = 64
SMALL_ROWS = 20_000


def tidy(snapshot: Snapshot, segments: SegmentStore, folder: str) -> Manifest | None:
    """The manifest after putting small segments together, or None when there was no need."""
    manifest = snapshot.manifest
    rows: Counter[int] = Counter()
    for file in manifest.files:
        for piece in file.pieces:
            rows[piece.segment] += piece.rows
    small = {segment for segment, count in rows.items() if 0 < count < SMALL_ROWS}
    compacted = None
    if len(small) > MAX_SMALL_SEGMENTS:
        with suppress(OSError):
            compacted = _compact(snapshot, small, folder)
    named = set((compacted or manifest).segments)
    segments.forget(named)
    _remove_garbage(folder, named)
    return compacted


def _compact(snapshot: Snapshot, small: set[int], folder: str) -> Manifest:
    manifest = snapshot.manifest
    kept = [name for i, name in enumerate(manifest.segments) if i not in small]
    place = {i: kept.index(name) for i, name in enumerate(manifest.segments) if i not in small}
    tables: list[pa.Table] = []
    row = 0
    files: list[FileEntry] = []
    for file in manifest.files:
        entry = copy_entry(file)
        entry.pieces = [msgspec.structs.replace(piece) for piece in file.pieces]
        for piece in entry.pieces:
            if piece.segment in small:
                tables.append(snapshot.segment(piece.segment).slice(piece.row, piece.rows))
                piece.segment, piece.row = len(kept), row
                row += piece.rows
            else:
                piece.segment = place.get(piece.segment, 0)
        files.append(entry)
    name = write_segment(concat(tables), folder)
    compacted = Manifest(
        root=manifest.root, format=manifest.format, segments=[*kept, name], files=files, steps=manifest.steps
    )
    save_manifest(folder, compacted)
    return compacted


def _remove_garbage(directory: str, named: set[str]) -> None:
    limit = time.time() - GARBAGE_SECONDS
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if entry.name not in named and entry.name.endswith((".arrow", ".tmp")) and entry.stat().st_mtime < limit:
                os.unlink(entry.path)
