"""Lines in a compressed file: places are those of the text, stretches to scan are those of the file.

Seekable zstd is read like a plain file. What is scanned at once is a run of frames; a line belongs to the frame in which
it begins. Any other zstd, and gzip, is one frame, which is held whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from rollscope.formats.base import Place, Source
from rollscope.formats.lines.lenient import Unreadable
from rollscope.storage.store import Store

if TYPE_CHECKING:
    from rollscope.formats.containers.zstd import SeekableZstd

_ENDINGS = (".zst", ".gz")

_T = TypeVar("_T")


def is_sealed(path: str) -> bool:
    return path.endswith(_ENDINGS)


def plain_or_sealed(store: Store, path: str) -> str | None:
    """This file of lines, or where it was compressed afterwards, what it became."""
    return next((name for name in (path, *(path + ending for ending in _ENDINGS)) if store.exists(name)), None)


def plain_names(store: Store, folder: str = "") -> dict[str, str]:
    """A folder's files, by the names that they had before some of them were compressed. Of twins the plain one counts."""
    names = store.files(folder)
    sealed = {name.rpartition(".")[0]: name for name in names if name.endswith((".jsonl.gz", ".jsonl.zst"))}
    if not sealed:
        return {name: name for name in names}
    there = set(names) - set(sealed.values())
    return dict(sorted((sealed | {name: name for name in there}).items()))


def has_plain_twin(store: Store, path: str) -> bool:
    """Whether the file lies there uncompressed as well, which is what counts."""
    return is_sealed(path) and store.exists(path.rpartition(".")[0])


def read_bytes(store: Store, path: str, offset: int, length: int) -> bytes:
    """These bytes of a file of lines, sealed or plain."""
    if not is_sealed(path):
        return store.read(path, offset, length)
    return use(store, path, lambda text: text.read(offset, length))


def read_line(store: Store, source: Source, place: Place, limit: int | None = None) -> bytes:
    """The line of a sample, or its first `limit` bytes."""
    return read_bytes(store, source.path, place.offset, place.length if limit is None else min(limit, place.length))


def use(store: Store, path: str, work: Callable[[SeekableZstd], _T]) -> _T:
    """What `work` makes of the open file. A file that is gone raises OSError, a damaged one `Unreadable`."""
    import zstandard  # every format of lines knows this module; few runs have such a file

    from rollscope.formats.containers.zstd import SEALED
    from rollscope.storage.open_files import DAMAGED

    def careful(text: SeekableZstd) -> _T:
        try:
            return work(text)
        except zstandard.ZstdError as error:
            raise ValueError(f"a frame is damaged ({error})") from error

    try:
        return SEALED.use(store, path, careful)
    except FileNotFoundError:
        raise
    except DAMAGED as error:
        raise Unreadable(f"this file cannot be read: {error}") from error


def frame_lines(text: SeekableZstd, number: int) -> tuple[list[memoryview], list[int], memoryview]:
    """(the lines that begin in this frame, where they begin in the text, all of their bytes as one)."""
    begin = text.starts[number]
    at_line_start = begin == 0 or text.read(begin - 1, 1) == b"\n"
    data = text.frame(number)
    first = 0 if at_line_start else data.find(b"\n") + 1
    if not at_line_start and first == 0:
        return [], [], memoryview(b"")  # the inside of a line that began before
    if not data.endswith(b"\n"):
        data += _rest_of_line(text, number + 1)
    whole = memoryview(data)[first:]
    lines: list[memoryview] = []
    starts: list[int] = []
    position, stop = 0, len(whole)
    while position < stop and begin + first + position < text.starts[number + 1]:
        newline = data.find(b"\n", first + position) - first
        newline = stop if newline < 0 else newline
        lines.append(whole[position:newline])
        starts.append(begin + first + position)
        position = newline + 1
    return lines, starts, whole


def _rest_of_line(text: SeekableZstd, number: int) -> bytes:
    pieces = []
    while number < text.frames:
        data = text.frame(number)
        newline = data.find(b"\n")
        if newline >= 0:
            pieces.append(data[: newline + 1])
            break
        pieces.append(data)
        number += 1
    return b"".join(pieces)
