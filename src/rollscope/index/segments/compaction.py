"""Keeping an index small: unreferenced segments are removed, and many small ones are merged into one."""

from __future__ import annotations

import os
import time
from collections import Counter
from contextlib import suppress

import msgspec
import pyarrow as pa

from rollscope.index.manifest.entries import FileEntry, IndexedPiece
from rollscope.index.manifest.parts import FilePart
from rollscope.index.manifest.root import Manifest, save_manifest, save_part
from rollscope.index.rows.step_rows import neighbours
from rollscope.index.segments.files import SegmentStore, write_segment
from rollscope.index.segments.rows import concat
from rollscope.index.snapshot import Snapshot

#: Files no manifest names are removed when they are older than this: another process may be about to name them.
GARBAGE_SECONDS = 3600
#: Parts of manifests sooner: a live run writes one with every check, and a reader that misses one reads the newer root.
PART_SECONDS = 60
#: A live run adds a segment with every look at it; more small ones than this become one.
MAX_SMALL_SEGMENTS = 64
SMALL_ROWS = 20_000
#: What they become: so many rows each, or the files of so many parts of the manifest, whose entries are held meanwhile.
LARGE_ROWS = 250_000
LARGE_PARTS = 32
#: A live run has a new file every few seconds; removing unreferenced files can wait.
CLEAN_SECONDS = 30.0


#: A live run publishes a segment with every file: whether there are many small ones is seen now and then.
CHANGES = 16

#: Folder of an index -> changes since this process last counted its small segments.
_changes: dict[str, int] = {}
#: Folder of an index -> when this process last looked there for unreferenced files.
_cleaned: dict[str, float] = {}


def compact(snapshot: Snapshot, segments: SegmentStore, folder: str) -> Manifest | None:
    """The manifest after putting small segments together, or None when there was no need. Called after every change."""
    since = _changes.get(folder, CHANGES)
    _changes[folder] = since % CHANGES + 1
    if since < CHANGES:
        return None
    manifest = snapshot.manifest
    rows: Counter[str] = Counter()
    for part in manifest.kept_file_parts:
        rows.update(part.facts.rows_by_segment)
    small = {name for name, count in rows.items() if count < SMALL_ROWS}
    compacted = None
    if len(small) > MAX_SMALL_SEGMENTS:
        with suppress(OSError):
            compacted = _compact(snapshot, small, folder)
    state = compacted or manifest
    segments.forget(state.segments)
    now = time.monotonic()
    if compacted is not None or now - _cleaned.get(folder, -CLEAN_SECONDS) >= CLEAN_SECONDS:
        _cleaned[folder] = now
        _remove_garbage(folder, state.segments | {part.name for part in state.parts})
    return compacted


def _compact(snapshot: Snapshot, small: set[str], folder: str) -> Manifest:
    """The rows of the small segments in large ones, in the order of the files: those of neighbours are then read as one.
    What is held meanwhile is one of these and the entries of its files, not those of all."""
    manifest = snapshot.manifest
    parts = list(manifest.file_parts)
    waiting: dict[int, list[FileEntry]] = {}
    tables: list[pa.Table] = []
    rows = 0
    for number, part in enumerate(manifest.file_parts):
        if small.isdisjoint(part.facts.rows_by_segment):
            continue
        waiting[number] = part.files
        pieces = ((0, piece) for file in part.files for piece in file.pieces if piece.segment in small)
        for run in neighbours(pieces):
            count = sum(piece.rows for _, piece in run)
            tables.append(snapshot.segment(run[0][1].segment).slice(run[0][1].row, count))
            rows += count
        if rows >= LARGE_ROWS or (rows >= SMALL_ROWS and len(waiting) >= LARGE_PARTS):
            _write(tables, waiting, small, folder, parts)
            rows = 0
    if tables:
        _write(tables, waiting, small, folder, parts)
    compacted = Manifest(manifest.root, manifest.format, parts, manifest.step_parts)
    save_manifest(folder, compacted)
    return compacted


def _write(
    tables: list[pa.Table],
    waiting: dict[int, list[FileEntry]],
    small: set[str],
    folder: str,
    parts: list[FilePart],
) -> None:
    """These tables as one segment, and parts whose files lie in it where they were in small ones. Nothing waits then."""
    segment = write_segment(concat(tables), folder)
    row = 0
    for number, files in waiting.items():
        moved: list[FileEntry] = []
        for file in files:
            pieces: list[IndexedPiece] = []
            for piece in file.pieces:
                if piece.segment in small:
                    pieces.append(msgspec.structs.replace(piece, segment=segment, row=row))
                    row += piece.rows
                else:
                    pieces.append(piece)
            moved.append(msgspec.structs.replace(file, pieces=pieces))
        parts[number] = FilePart(moved)
        save_part(folder, parts[number])
    tables.clear()
    waiting.clear()


def _remove_garbage(directory: str, named: set[str]) -> None:
    now = time.time()
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if entry.name in named or not entry.name.endswith((".arrow", ".part", ".tmp")):
                continue
            kept_seconds = PART_SECONDS if entry.name.endswith(".part") else GARBAGE_SECONDS
            if entry.stat().st_mtime < now - kept_seconds:
                os.unlink(entry.path)
