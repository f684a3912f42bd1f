"""Seekable zstd: a sequence of frames, and a table at the end that says where each begins. Zstd without a table, and gzip,
are one frame, which is held in memory.

Any stretch of the text is read by decompressing the frames it lies in and no others: one sample of a sealed gigabyte
costs one frame (4 MiB in prime-rl). The table is the skippable frame of zstd's `contrib/seekable_format`.
"""

from __future__ import annotations

import io
import struct
from bisect import bisect_right
from typing import BinaryIO

from rollscope.lru import LruCache
from rollscope.storage.open_files import KeptOpen
from rollscope.storage.store import Store

#: A frame that says it is longer than this when decompressed is refused: it is held in memory whole.
MAX_FRAME_BYTES = 256 << 20
#: A file without a table can only be read whole; a longer one is refused.
MAX_WHOLE_BYTES = 256 << 20
#: Decompressed frames kept, so that walking through neighbouring samples decompresses each once.
_KEPT_BYTES = 32 << 20

_FOOTER = struct.Struct("<IBI")
_SKIPPABLE = struct.Struct("<II")
_GZIP = b"\x1f\x8b"
_TABLE_MAGIC, _FOOTER_MAGIC = 0x184D2A5E, 0x8F92EAB1


class SeekableZstd:
    """An open file. `starts` and `packed` are the places where frames begin, in the text and in the file, each with the
    end as its last entry."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.file_size = file.seek(0, io.SEEK_END)
        self._kept: LruCache[int, bytes] = LruCache(_KEPT_BYTES, keep_newest=True)
        table = _seek_table(file, self.file_size)
        if table is None:
            text = _unzip_whole(file) if _is_gzip(file) else _decompress_whole(file)
            self._kept.put(0, text, len(text))
            table = [(self.file_size, len(text))]
        self.starts, self.packed = [0], [0]
        for packed, plain in table:
            if plain > MAX_FRAME_BYTES:
                raise ValueError(f"a frame says it holds {plain:,} bytes; more than {MAX_FRAME_BYTES:,} are not read")
            self.packed.append(self.packed[-1] + packed)
            self.starts.append(self.starts[-1] + plain)
        if self.packed[-1] > self.file_size:
            raise ValueError("its seek table names more bytes than the file has")

    def __del__(self) -> None:
        if file := getattr(self, "_file", None):
            file.close()

    @property
    def size(self) -> int:
        """Bytes of the whole text."""
        return self.starts[-1]

    @property
    def frames(self) -> int:
        return len(self.starts) - 1

    def frame(self, number: int) -> bytes:
        text = self._kept.get(number)
        if text is not None:
            return text
        length = self.starts[number + 1] - self.starts[number]
        self._file.seek(self.packed[number])
        packed = self._file.read(self.packed[number + 1] - self.packed[number])
        import zstandard

        # A frame may be several: some writers seal each line on its own. What the table says is a limit, not a promise.
        with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:
            text = reader.read(length + 1)
        if len(text) != length:
            raise ValueError(f"frame {number} holds other bytes than the seek table says")
        self._kept.put(number, text, len(text))
        return text

    def read(self, offset: int, length: int) -> bytes:
        """These bytes of the text, fewer at its end."""
        end = min(offset + length, self.size)
        if not 0 <= offset < end:
            return b""
        pieces = []
        number = bisect_right(self.starts, offset) - 1
        while number < self.frames and self.starts[number] < end:
            base = self.starts[number]
            pieces.append(self.frame(number)[max(0, offset - base) : end - base])
            number += 1
        return b"".join(pieces)

    def frame_from(self, packed_offset: int) -> int:
        """The first frame that begins at or after this place in the file."""
        return min(bisect_right(self.packed, packed_offset - 1), self.frames)


def _seek_table(file: BinaryIO, size: int) -> list[tuple[int, int]] | None:
    """(bytes in the file, bytes of text) of every frame; None where the file ends without a table."""
    if size < _FOOTER.size + _SKIPPABLE.size:
        return None
    file.seek(size - _FOOTER.size)
    count, descriptor, magic = _FOOTER.unpack(file.read(_FOOTER.size))
    if magic != _FOOTER_MAGIC:
        return None
    entry = struct.Struct("<III" if descriptor & 0x80 else "<II")
    length = count * entry.size + _FOOTER.size
    if length + _SKIPPABLE.size > size:
        raise ValueError("its seek table is longer than the file")
    file.seek(size - length - _SKIPPABLE.size)
    if _SKIPPABLE.unpack(file.read(_SKIPPABLE.size)) != (_TABLE_MAGIC, length):
        raise ValueError("its seek table is damaged")
    return [(fields[0], fields[1]) for fields in entry.iter_unpack(file.read(count * entry.size))]


def _is_gzip(file: BinaryIO) -> bool:
    file.seek(0)
    return file.read(len(_GZIP)) == _GZIP


def _unzip_whole(file: BinaryIO) -> bytes:
    from rollscope.formats.containers.packed_records import unzipped

    file.seek(0)
    return unzipped(file.read(MAX_WHOLE_BYTES))


def _decompress_whole(file: BinaryIO) -> bytes:
    import zstandard

    file.seek(0)
    with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=False) as reader:
        text = reader.read(MAX_WHOLE_BYTES + 1)
    if len(text) > MAX_WHOLE_BYTES:
        raise ValueError(f"it has no seek table, and without one at most {MAX_WHOLE_BYTES:,} bytes are read")
    return text


def has_seek_table(store: Store, path: str) -> bool:
    """Is the file sealed whole? One that is being written has no table yet."""
    stat = store.stat(path)
    if stat is None or stat.size < _FOOTER.size:
        return False
    try:
        return store.read(path, stat.size - 4, 4) == _FOOTER_MAGIC.to_bytes(4, "little")
    except OSError:
        return False


def _open(store: Store, path: str) -> SeekableZstd:
    import zstandard  # every format of lines knows this module; few runs have such a file

    file = store.open(path)
    try:
        return SeekableZstd(file)
    except zstandard.ZstdError as error:
        file.close()
        raise ValueError(f"it is no zstd, or a damaged one ({error})") from error
    except BaseException:
        file.close()
        raise


#: Each may keep 32 MB of text around the samples that were last asked for.
SEALED: KeptOpen[SeekableZstd] = KeptOpen(_open, limit=4, attempts=2)
