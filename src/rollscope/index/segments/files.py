"""The segment files of one index: named by what is in them, opened once each, made again when they are damaged."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable

import pyarrow as pa
import xxhash

from rollscope.storage.atomic import replacing

#: A larger segment is only checked for its size when it is opened: hashing takes 0.1 s a gigabyte and more.
CHECKED_BYTES = 64 << 20
ENDING = ".arrow"


def encode_segment(table: pa.Table) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    compact = table.combine_chunks()
    with pa.ipc.new_file(sink, compact.schema) as writer:
        writer.write_table(compact)
    return sink.getvalue()


def write_segment(table: pa.Table, folder: str) -> str:
    """Write a new segment; returns its name, which tells its size and a hash of its bytes."""
    return write_encoded(encode_segment(table), folder)


def write_encoded(content: pa.Buffer, folder: str) -> str:
    name = f"{uuid.uuid4().hex}-{content.size:x}-{xxhash.xxh3_64_hexdigest(content)}{ENDING}"
    os.makedirs(folder, exist_ok=True)  # the index may be deleted at any time
    with (
        replacing(os.path.join(folder, name), durable=False) as temporary,
        # As bytes: Arrow takes a name that is no UTF-8 in no other way.
        pa.OSFile(os.fsencode(temporary), "wb") as file,
    ):
        file.write(content)
    return name


def open_segment(path: str) -> pa.Table:
    """Mapped, not read: pages come in as they are touched. Raises OSError or ValueError when it is not what was written."""
    _, size, digest = os.path.basename(path).removesuffix(ENDING).split("-")
    with pa.memory_map(os.fsencode(path)) as source:
        if source.size() != int(size, 16):
            raise ValueError("it was cut short")
        if source.size() <= CHECKED_BYTES and xxhash.xxh3_64_hexdigest(source.read_buffer()) != digest:
            raise ValueError("its bytes are not those that were written")
        source.seek(0)
        return pa.ipc.open_file(source).read_all()


class SegmentStore:
    """Looks for segments in the folder that is written to, then in the one that may only be read."""

    def __init__(self, folders: Callable[[], Iterable[str]], fetch: Callable[[str], bool] | None = None) -> None:
        """`fetch` brings a segment to one of these folders from where it is shared."""
        self._folders = folders
        self._fetch = fetch
        self._tables: dict[str, pa.Table] = {}

    def table(self, name: str, rebuild: Callable[[], pa.Table]) -> pa.Table:
        """The rows of a segment. One that is gone or damaged is made again from its source files."""
        table = self._tables.get(name)
        if table is None:
            table = self._open(name)
            if table is None and self._fetch is not None and self._fetch(name):
                table = self._open(name)
            self._tables[name] = table = rebuild() if table is None else table
        return table

    def _open(self, name: str) -> pa.Table | None:
        for folder in self._folders():
            try:
                return open_segment(os.path.join(folder, name))
            except (OSError, ValueError):  # pyarrow's ArrowInvalid is a ValueError
                continue
        return None

    @property
    def folder(self) -> str:
        """The one that is written to."""
        return next(iter(self._folders()))

    def forget(self, keep: Iterable[str]) -> None:
        wanted = set(keep)
        self._tables = {name: table for name, table in self._tables.items() if name in wanted}
