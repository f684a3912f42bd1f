"""What is computed, on disk: a block of feature rows for each step, in segments, and a manifest that says where.

A block is valid for the very rows it was made of: its identity is a hash of where each of them lies and of the bytes
there. Derived data, as the index is: what does not fit is computed anew, never migrated.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import xxhash
from msgspec import Struct

from rollscope.arrays import Hashes
from rollscope.index import compute
from rollscope.index.manifest.entries import Key
from rollscope.index.segments.files import SegmentStore, write_segment
from rollscope.index.snapshot import Snapshot
from rollscope.storage.atomic import write_atomically

VERSION = 4
MANIFEST = "features.msgpack"
#: Segments are in a separate folder: compaction of the index does not know them.
FOLDER = "features"
#: More segments than this are put together into one.
MAX_SEGMENTS = 64
SMALL_ROWS = 20_000
#: The column that says which row of the index a row of features belongs to.
KEY = "__key"


class FeatureBlock(Struct, array_like=True):
    split: str
    step: int
    identity: int
    segment: str
    row: int
    rows: int


class FeatureManifest(Struct, array_like=True):
    version: int = VERSION
    #: Which features, in which versions.
    digest: str = ""
    blocks: list[FeatureBlock] = []


_decoder = msgspec.msgpack.Decoder(FeatureManifest)


class StoredRows(NamedTuple):
    """Rows of a table."""

    table: pa.Table
    row: int
    rows: int

    def read(self) -> pa.Table:
        return self.table.slice(self.row, self.rows)


def joined(pieces: Iterable[StoredRows]) -> list[pa.Table]:
    """The rows of all of them. Those that lie behind each other are one: each piece of a table costs some kilobytes."""
    found: list[StoredRows] = []
    for piece in pieces:
        last = found[-1] if found else None
        if last is not None and last.table is piece.table and last.row + last.rows == piece.row:
            found[-1] = StoredRows(last.table, last.row, last.rows + piece.rows)
        else:
            found.append(piece)
    return [piece.read() for piece in found]


class BlockStore:
    """The blocks of one run. Methods that write are called by one thread at a time."""

    def __init__(self, folder: str, readable: str, digest: str) -> None:
        """`folder` is written to; `readable` is where an earlier state may lie that cannot be written."""
        self.folder = os.path.join(folder, FOLDER)
        self._folders = list(dict.fromkeys((self.folder, os.path.join(readable, FOLDER))))
        self._digest = digest
        self._segments = SegmentStore(lambda: self._folders)
        self.blocks: dict[Key, FeatureBlock] = {}
        for place in self._folders:
            if (manifest := _load(place, digest)) is not None:
                self.blocks = {(block.split, block.step): block for block in manifest.blocks}
                break

    def get(self, key: Key, identity: int) -> StoredRows | None:
        """The rows of a step, if they are those of this identity."""
        block = self.blocks.get(key)
        return self._rows(block) if block is not None and block.identity == identity else None

    def earlier(self, key: Key) -> pa.Table | None:
        """What is stored of a step, whichever rows it had when that was computed."""
        block = self.blocks.get(key)
        rows = None if block is None else self._rows(block)
        return None if rows is None else rows.read()

    def _rows(self, block: FeatureBlock) -> StoredRows | None:
        try:
            table = self._segments.table(block.segment, _missing)
        except _Damaged:
            self.blocks = {key: item for key, item in self.blocks.items() if item.segment != block.segment}
            return None
        return StoredRows(table, block.row, block.rows)

    def add(self, made: list[tuple[Key, int, pa.Table]]) -> None:
        """Keep these: (step, identity, its rows)."""
        name = write_segment(pa.concat_tables([table for _, _, table in made]), self.folder)
        blocks = dict(self.blocks)
        row = 0
        for (split, step), identity, table in made:
            blocks[split, step] = FeatureBlock(split, step, identity, name, row, table.num_rows)
            row += table.num_rows
        self.blocks = blocks
        self._tidy()
        self._save()

    def _tidy(self) -> None:
        """Put many small segments together, and remove those that no block is in."""
        rows_of: dict[str, int] = {}
        for block in self.blocks.values():
            rows_of[block.segment] = rows_of.get(block.segment, 0) + block.rows
        small = {name for name, count in rows_of.items() if count < SMALL_ROWS}
        if len(small) > MAX_SEGMENTS:
            moved = [(key, block) for key, block in self.blocks.items() if block.segment in small]
            found = [self._rows(block) for _, block in moved]
            whole = [(key, block, rows) for (key, block), rows in zip(moved, found) if rows is not None]
            name = write_segment(pa.concat_tables(joined(rows for _, _, rows in whole)), self.folder)
            row = 0
            for key, block, rows in whole:
                self.blocks[key] = msgspec.structs.replace(block, segment=name, row=row)
                row += rows.rows
            rows_of = {name: row, **{name: count for name, count in rows_of.items() if name not in small}}
        self._segments.forget(rows_of)
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                # Another process may reference one that it has just written; else it would have to compute that step again.
                if entry.name.endswith(".arrow") and entry.name not in rows_of:
                    os.unlink(entry.path)

    def _save(self) -> None:
        content = msgspec.msgpack.encode(FeatureManifest(digest=self._digest, blocks=list(self.blocks.values())))
        with suppress(OSError):
            write_atomically(
                os.path.join(self.folder, MANIFEST), xxhash.xxh3_64_digest(content) + content, durable=False
            )


class _Damaged(Exception):  # noqa: N818  # caught a few lines above
    pass


def _missing() -> pa.Table:
    raise _Damaged


def _load(folder: str, digest: str) -> FeatureManifest | None:
    try:
        with open(os.path.join(folder, MANIFEST), "rb") as file:
            content = file.read()
        if xxhash.xxh3_64_digest(content[8:]) != content[:8]:
            return None
        manifest = _decoder.decode(content[8:])
    except (OSError, msgspec.MsgspecError):
        return None
    return manifest if manifest.version == VERSION and manifest.digest == digest else None


# Which rows


class RowKeys:
    """A number for each row of a snapshot's tables that says where it lies and which bytes are there: rows that are still
    what they were keep theirs when a file grows."""

    def __init__(self, snapshot: Snapshot) -> None:
        places: list[int] = []
        hashes: list[int] = []
        for position, file in enumerate(snapshot.manifest.files):
            path = file.source.path.encode("utf-8", "surrogateescape")
            for piece in file.pieces:
                places.append((position << 44) + piece.start)
                place = b"%s\0%d\0%d\0" % (path, piece.start, piece.end)
                hashes.append(xxhash.xxh3_64_intdigest(place + piece.hashes))
        order = np.argsort(np.array(places, dtype=np.int64), kind="stable")
        self._places = np.array(places, dtype=np.int64)[order]
        self._hashes = np.array(hashes, dtype=np.uint64)[order]

    def of(self, table: pa.Table) -> Hashes:
        """0 for a row that no stretch of the index has: the beginning of a file that is still being read."""
        files = compute.plain(table["file"]).astype(np.int64)
        offsets = np.nan_to_num(compute.plain(table["offset"])).astype(np.int64)
        if len(self._places) == 0:
            return np.zeros(len(files), dtype=np.uint64)
        at = np.searchsorted(self._places, (files << 44) + offsets, side="right") - 1
        known = (at >= 0) & (self._places[np.maximum(at, 0)] >> 44 == files)
        keys = self._hashes[np.maximum(at, 0)] ^ (offsets.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
        if "member" in table.column_names and table["member"].null_count < table.num_rows:
            keys ^= _member_hashes(table["member"])
        keys *= np.uint64(0xC2B2AE3D27D4EB4F)
        keys ^= keys >> np.uint64(32)
        keys[~known] = 0
        found: Hashes = keys
        return found


def _member_hashes(column: pa.ChunkedArray) -> Hashes:
    encoded = compute.dictionary_encode(column)
    names = [xxhash.xxh3_64_intdigest(name.encode("utf-8", "surrogatepass")) for name in encoded.dictionary.to_pylist()]
    codes = np.nan_to_num(compute.plain(encoded.indices), nan=len(names)).astype(np.int64)
    hashes: Hashes = np.array([*names, 0], dtype=np.uint64)[codes]
    return hashes


def identity_of(keys: Hashes) -> int | None:
    """A hash of one step's rows in their order; None if one of them has no key."""
    return None if not keys.all() else int(xxhash.xxh3_64_intdigest(np.ascontiguousarray(keys).tobytes()))
