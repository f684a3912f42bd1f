"""Reading the texts of rows of one file: their bytes, line after line.

Search and features read texts in this way, in a worker or in place. Neither numpy nor pyarrow is needed here: a worker that
searches starts in a third of the time without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from mmap import mmap

import msgspec
from msgspec import Struct

from rollscope.errors import NotFoundError, UnreadableError
from rollscope.formats.base import Format, Place, Source, Texts
from rollscope.formats.lines import sealed
from rollscope.formats.lines.lenient import Unreadable
from rollscope.storage.store import Store


class FileRows(Struct, array_like=True):
    """Rows of one file to look into, as columns, in the order of their bytes."""

    source: Source
    offsets: list[int]
    lengths: list[int]
    members: list[str]
    splits: list[str]
    steps: list[int]
    groups: list[str | None]


def place_of_row(rows: FileRows, position: int) -> Place:
    return Place(
        offset=rows.offsets[position],
        length=rows.lengths[position],
        member=rows.members[position] if rows.members else "",
        split=rows.splits[position],
        step=rows.steps[position],
        group=rows.groups[position],
    )


def is_sparse(rows: FileRows) -> bool:
    """Few lines far apart, as a filter leaves them over: they are read one by one."""
    return sum(rows.lengths) * 4 < rows.offsets[-1] + rows.lengths[-1] - rows.offsets[0]


def lines_one_by_one(rows: FileRows, store: Store) -> Iterator[bytes]:
    path, ranges = rows.source.path, list(zip(rows.offsets, rows.lengths))
    if sealed.is_sealed(path):
        return (sealed.read_bytes(store, path, offset, length) for offset, length in ranges)
    return store.read_many(path, ranges)


def bytes_of(rows: FileRows, store: Store) -> tuple[int, bytes | mmap]:
    """(file position of its first byte, the bytes the task's lines lie in): mapped in a worker, read elsewhere."""
    start, end = rows.offsets[0], rows.offsets[-1] + rows.lengths[-1]
    if sealed.is_sealed(rows.source.path):
        return start, sealed.read_bytes(store, rows.source.path, start, end - start)
    with store.window(rows.source.path, start, end) as window:
        # Others hold it for longer than they hold the window.
        return window.base, bytes(window.buffer) if isinstance(window.buffer, bytearray) else window.buffer


def without_long(rows: FileRows, limit: int | None) -> tuple[FileRows, Sequence[int], list[int]]:
    """(the rows whose lines may be decoded, their positions among all, the positions of the others)."""
    long = [position for position, length in enumerate(rows.lengths) if limit is not None and length > limit]
    if not long:
        return rows, range(len(rows.offsets)), long
    kept = sorted(set(range(len(rows.offsets))).difference(long))
    columns = ("offsets", "lengths", "members", "splits", "steps", "groups")
    picked = {name: [values[i] for i in kept] if (values := getattr(rows, name)) else [] for name in columns}
    return msgspec.structs.replace(rows, **picked), kept, long


def are_lines(rows: FileRows, format_: Format) -> bool:
    """Whether the bytes of a row are its record: of a container, such as a parquet file, they are not, whatever its format
    does with lines of other files."""
    return format_.texts_in_line and rows.source.appendable


def texts_of_rows(rows: FileRows, format_: Format, store: Store) -> Iterator[tuple[int, Texts]]:
    """(position, texts) of every row that can be read: a file that is rewritten meanwhile may no longer have it."""
    if not are_lines(rows, format_):
        for position in range(len(rows.offsets)):
            with suppress(NotFoundError, UnreadableError, Unreadable):
                yield position, format_.texts(store, rows.source, place_of_row(rows, position))
        return
    with suppress(Unreadable):  # a sealed file that was damaged since it was indexed
        for position, line in lines_of_rows(rows, store):
            try:
                texts = format_.line_texts(bytes(line), rows.source, place_of_row(rows, position))
            except Unreadable:
                continue
            yield position, texts


def lines_of_rows(rows: FileRows, store: Store) -> Iterator[tuple[int, bytes | memoryview]]:
    """(position, bytes, not copied where that can be) of each; raises `Unreadable` where a sealed file is damaged."""
    if not rows.offsets:
        return
    if is_sparse(rows):
        yield from enumerate(lines_one_by_one(rows, store))
        return
    base, buffer = bytes_of(rows, store)
    view = memoryview(buffer)
    for position, (offset, length) in enumerate(zip(rows.offsets, rows.lengths)):
        yield position, view[offset - base : offset - base + length]
