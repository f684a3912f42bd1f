"""Where the sample of a row is on disk, and on which line."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pyarrow as pa

from rollscope.formats.base import Place
from rollscope.formats.lines.sealed import is_sealed
from rollscope.index.indexed_place import IndexedPlace
from rollscope.index.manifest.entries import FileEntry, IndexedPiece, is_container
from rollscope.index.manifest.root import Manifest
from rollscope.index.rows.first_rows import FirstRows
from rollscope.storage.fingerprint import Fingerprint


class RowLocator:
    def __init__(
        self, manifest: Manifest, first_rows: Mapping[str, FirstRows], segment: Callable[[str], pa.Table]
    ) -> None:
        self._manifest = manifest
        self._first_rows = first_rows
        self._segment = segment
        #: Of sealed files, by position: where the text of each piece begins, and the lines before it.
        self._sealed_starts: dict[int, list[tuple[int, int]]] = {}

    def locate(self, table: pa.Table, row: int) -> IndexedPlace:
        """`table` has the positions of files, as the snapshot's tables have."""
        values = {
            name: table[name][row].as_py() for name in ("file", "offset", "length", "line", "split", "step", "group")
        }
        member = table["member"][row].as_py() if "member" in table.column_names else None
        file = self._manifest.files[values["file"]]
        place = Place(
            offset=values["offset"] or 0,
            length=values["length"] or 0,
            member=member or "",
            split=values["split"],
            step=values["step"],
            group=values["group"],
        )
        before, piece = _piece_of(file, place.offset)
        if is_sealed(file.source.path) and file.source.appendable:
            before, piece = self._lines_before_sealed(values["file"], place.offset), None
        line = 0 if values["line"] is None else before + values["line"] + 1
        first = self._first_rows.get(file.source.path)
        if piece is None and first is not None:
            return IndexedPlace(file.source, place, first.seen, first.seen_ns, line, [first.evidence])
        seen = file.seen or Fingerprint(0)
        if is_container(file.source):
            evidence = [item.evidence for item in file.pieces]
            return IndexedPlace(file.source, place, seen, file.seen_ns, line, evidence, not file.sampled_to)
        evidence = [piece.evidence] if piece is not None else []
        compared = place.offset >= file.sampled_to
        return IndexedPlace(file.source, place, seen, file.seen_ns, line, evidence, compared)

    def _lines_before_sealed(self, file: int, offset: int) -> int:
        """How many lines of a sealed file are in pieces before that of the row at this offset of its text. Pieces are
        ranges of the file's own bytes: the first row of each says where it begins in the text."""
        if len(self._manifest.files[file].pieces) == 1:
            return 0
        found = self._sealed_starts.get(file)
        if found is None:
            found, before = [], 0
            for piece in self._manifest.files[file].pieces:
                if piece.rows:
                    found.append((self._segment(piece.segment)["offset"][piece.row].as_py(), before))
                before += piece.lines
            self._sealed_starts[file] = found
        return next((before for start, before in reversed(found) if start <= offset), 0)


def _piece_of(file: FileEntry, offset: int) -> tuple[int, IndexedPiece | None]:
    """(lines before it, the piece this offset lies in). A container has one, whatever the offset means."""
    before = 0
    for piece in file.pieces:
        if offset < piece.end or not file.source.appendable:
            return before, piece
        before += piece.lines
    return before, None
