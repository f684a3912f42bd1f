"""A range of a file as one buffer that lines can be found in."""

from __future__ import annotations

import mmap
from collections.abc import Callable

#: Whoever reads lines asks for so much more: most lines that go past the end are finished in it, which saves a copy of the
#: window, and a request where the file is far away.
LINE_BYTES = 256 << 10


class Window:
    """Bytes [start, stop) of a file; positions are those of the file. It reaches further when a line goes past its end.

    `buffer` begins at position `base`, and may hold more than was asked for (a store that can map a file maps it). If it is a
    `bytearray`, its memory may hold something else once neither the window nor a view of it is left."""

    def __init__(
        self,
        buffer: bytes | bytearray | mmap.mmap,
        base: int,
        size: int,
        read: Callable[[int, int], bytes] | None = None,
    ) -> None:
        #: The size of the whole file.
        self.size = size
        self.base = base
        self.buffer = buffer
        self.view = memoryview(buffer)
        self.loaded = base + len(buffer)
        self._read = read

    def find_newline(self, position: int, limit: int | None = None) -> int:
        """File position of the next newline at or after `position`, or -1 when the file has none before its end."""
        while True:
            found = self.buffer.find(b"\n", position - self.base)
            if found >= 0:
                return found + self.base
            if self._read is None or self.loaded >= self.size or (limit is not None and self.loaded >= limit):
                return -1
            self._load_more(self._read)

    def _load_more(self, read: Callable[[int, int], bytes]) -> None:
        step = max(1 << 20, len(self.buffer))
        more = read(self.loaded, min(step, self.size - self.loaded))
        if not more:
            self.size = self.loaded
            return
        self.buffer = bytes(self.buffer) + more
        self.view = memoryview(self.buffer)
        self.loaded += len(more)

    def slice(self, start: int, stop: int) -> memoryview:
        return self.view[start - self.base : stop - self.base]
