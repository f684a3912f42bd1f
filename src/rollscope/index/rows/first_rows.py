"""Rows from the beginnings of files that are not indexed yet."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from msgspec import Struct

from rollscope.index.manifest.root import Manifest
from rollscope.storage.fingerprint import Fingerprint, HashedBytes


class FirstRows(Struct):
    """The rows of a file's beginning, and the file as it was when they were read."""

    table: pa.Table
    seen: Fingerprint
    seen_ns: int
    evidence: HashedBytes


def waiting_rows(manifest: Manifest, first_rows: Mapping[str, FirstRows]) -> list[tuple[int, pa.Table]]:
    """(position of the file, its first rows) for files of which nothing is indexed."""
    if not first_rows:
        return []
    files = enumerate(manifest.files)
    return [
        (i, first_rows[path].table) for i, file in files if not file.pieces and (path := file.source.path) in first_rows
    ]
