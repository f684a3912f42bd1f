"""A deflated zip member that can be read from any place.

Parquet is read footer first and column by column, which in a deflated stream means going back. The standard library's
`zipfile` goes back by inflating from the start; a member of 1 GB would be inflated once per column. Here the state of
the inflater is kept every few megabytes (about 50 KB each, so 12 MB for 1 GB), and a seek costs one such stretch.
"""

from __future__ import annotations

import io
import struct
import zlib
from bisect import bisect_right
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipInfo

STRETCH = 4 << 20
_READ = 256 << 10
_BLOCK = 1 << 20
_LOCAL_HEADER = struct.Struct("<4s22xHH")


class Member(io.RawIOBase):
    """The uncompressed bytes of one member. Nothing is read before it is asked for."""

    def __init__(self, file: BinaryIO, info: ZipInfo) -> None:
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise BadZipFile(f"{info.filename} is compressed by method {info.compress_type}, which is not deflate")
        file.seek(info.header_offset)
        header = file.read(_LOCAL_HEADER.size)
        if len(header) < _LOCAL_HEADER.size or header[:4] != b"PK\x03\x04":
            raise BadZipFile(f"the header of {info.filename} is damaged")
        _, name_length, extra_length = _LOCAL_HEADER.unpack(header)
        self._file = file
        self._start = info.header_offset + _LOCAL_HEADER.size + name_length + extra_length
        self._compressed_size = info.compress_size
        self._stored = info.compress_type == ZIP_STORED
        self.size = info.file_size
        self._position = 0
        # (place in the output, place in the input, the inflater as it was there), ascending.
        self._marks: list[tuple[int, int, zlib._Decompress]] = [(0, 0, zlib.decompressobj(-zlib.MAX_WBITS))]
        self._restore(0)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """As many bytes as were asked for, short only at the end: parquet readers take a short read for a cut file."""
        wanted = max(0, min(len(buffer), self.size - self._position))
        done = 0
        while done < wanted:
            data = self._stored_bytes(wanted - done) if self._stored else self._inflated_bytes(wanted - done)
            buffer[done : done + len(data)] = data
            done += len(data)
            self._position += len(data)
        return done

    def _stored_bytes(self, wanted: int) -> bytes:
        self._file.seek(self._start + self._position)
        data = self._file.read(wanted)
        if not data:
            raise _cut()
        return data

    def _inflated_bytes(self, wanted: int) -> bytes:
        """Up to `wanted` bytes at the current position; at least one."""
        position = self._position
        mark = bisect_right(self._marks, position, key=lambda entry: entry[0]) - 1
        if position < self._block_start or self._marks[mark][0] > self._block_start + len(self._block):
            self._restore(mark)
        while position >= self._block_start + len(self._block):
            self._next_block()
        offset = position - self._block_start
        return self._block[offset : offset + wanted]

    def _restore(self, mark: int) -> None:
        output, consumed, inflater = self._marks[mark]
        self._inflater = inflater.copy()
        self._block_start = output
        self._block = b""
        self._consumed = consumed
        self._pending = b""

    def _next_block(self) -> None:
        self._block_start += len(self._block)
        if self._block_start >= self._marks[-1][0] + STRETCH:
            self._marks.append((self._block_start, self._consumed - len(self._pending), self._inflater.copy()))
        data = self._pending
        if not data:
            self._file.seek(self._start + self._consumed)
            data = self._file.read(min(_READ, self._compressed_size - self._consumed))
            self._consumed += len(data)
        self._block = self._inflater.decompress(data, _BLOCK)
        self._pending = self._inflater.unconsumed_tail
        if not self._block and not data:
            raise _cut()


def _cut() -> BadZipFile:
    return BadZipFile("a member ends before its time: the archive was cut or is being rewritten")
