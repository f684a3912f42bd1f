"""Rebuilding a segment from the bytes it was made from: an index may be deleted, cut short or damaged at any time."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from rollscope.errors import UnreadableError
from rollscope.formats.base import Format
from rollscope.index.manifest.entries import FileEntry, IndexedPiece
from rollscope.index.manifest.root import Manifest
from rollscope.index.scan import Piece, scan_piece
from rollscope.index.segments.rows import RowsBuilder, concat
from rollscope.storage.store import Store


def rebuild_segment(
    manifest: Manifest, name: str, store: Store, format_: Format, distrust: Callable[[str], None]
) -> pa.Table:
    """Its rows at their places. Raises UnreadableError, and distrusts the file, where one has changed since."""
    inside = [
        (file, piece)
        for part in manifest.file_parts
        if name in part.facts.rows_by_segment
        for file in part.files
        for piece in file.pieces
        if piece.segment == name
    ]
    tables: list[pa.Table] = []
    row = 0
    for file, piece in sorted(inside, key=lambda item: item[1].row):
        table = _scanned(file, piece, store, format_)
        if table is None:
            distrust(file.source.path)
            raise UnreadableError(
                f"the index is damaged, and {file.source.path} has changed since it was made", hint="ask again"
            )
        if piece.row > row:
            # Rows of files that were read again since: they are not used any more.
            tables.append(pa.table({"split": pa.nulls(piece.row - row, pa.string())}))
        tables.append(table)
        row = piece.row + piece.rows
    return concat(tables).combine_chunks()


def _scanned(file: FileEntry, piece: IndexedPiece, store: Store, format_: Format) -> pa.Table | None:
    """The rows of a piece, if its bytes are those that were read."""
    rows = RowsBuilder()
    try:
        found = scan_piece(Piece(file.source, piece.start, piece.end), format_, store, rows)
    except OSError:
        return None
    same = (found.rows, found.end, found.hashes) == (piece.rows, piece.end, piece.hashes)
    return rows.table() if same else None
