"""A segment made again from the very bytes it was made of: an index may be deleted, cut short or damaged at any time."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from rollscope.errors import UnreadableError
from rollscope.formats.base import Format
from rollscope.index.manifest import FileEntry, Manifest, Stretch
from rollscope.index.scan import Piece, scan_piece
from rollscope.index.segment import RowsBuilder, concat
from rollscope.storage.store import Store


def rebuild_segment(
    manifest: Manifest, position: int, store: Store, format_: Format, distrust: Callable[[str], None]
) -> pa.Table:
    """Its rows at their places. Raises UnreadableError, and distrusts the file, where one has changed since."""
    inside = [
        (file, stretch)
        for file in manifest.files
        for stretch in file.stretches
        if stretch.rows and stretch.segment == position
    ]
    tables: list[pa.Table] = []
    row = 0
    for file, stretch in sorted(inside, key=lambda item: item[1].row):
        table = _scanned(file, stretch, store, format_)
        if table is None:
            distrust(file.source.path)
            raise UnreadableError(
                f"the index is damaged, and {file.source.path} has changed since it was made", hint="ask again"
            )
        if stretch.row > row:
            # Rows of files that were read anew since: nobody asks for them.
            tables.append(pa.table({"split": pa.nulls(stretch.row - row, pa.string())}))
        tables.append(table)
        row = stretch.row + stretch.rows
    return concat(tables).combine_chunks()


def _scanned(file: FileEntry, stretch: Stretch, store: Store, format_: Format) -> pa.Table | None:
    """The rows of a stretch, if its bytes are those that were read."""
    rows = RowsBuilder()
    try:
        found = scan_piece(Piece(file.source, stretch.start, stretch.end), format_, store, rows)
    except OSError:
        return None
    same = (found.rows, found.end, found.hashes) == (stretch.rows, stretch.end, stretch.hashes)
    return rows.table() if same else None
