"""Columns that are made for a question about a whole large run: on disk and mapped, not in memory."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress

import pyarrow as pa


def spilled(table: pa.Table, own: set[str], folder: str) -> pa.Table:
    """The same table, with the columns that are not `own` mapped from a file that goes with them. `own` are those that are
    mapped from segments already."""
    made = [name for name in table.column_names if name not in own]
    descriptor, path = tempfile.mkstemp(suffix=".tmp", prefix="spill-", dir=folder)
    os.close(descriptor)
    try:
        part = table.select(made).combine_chunks()
        with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, part.schema) as writer:
            writer.write_table(part)
        with pa.memory_map(path) as source:
            kept = pa.ipc.open_file(source).read_all()
    finally:
        with suppress(OSError):  # its bytes stay as long as they are mapped
            os.unlink(path)
    for name in made:
        table = table.set_column(table.column_names.index(name), name, kept[name])
    return table
