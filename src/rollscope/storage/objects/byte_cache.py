"""Bytes of files that are far away, kept for a moment: what was fetched once is read from memory."""

from __future__ import annotations

import threading
from collections import OrderedDict

#: (place, path, etag): bytes of another state of a file are never taken for its own.
File = tuple[str, str, str]
#: A `bytearray` is one of `take_buffer`: whoever looks into it does so by a `memoryview`, which keeps it from being used again.
Content = bytes | bytearray
CachedBytes = tuple[int, Content]


class ByteCache:
    """Ranges of files, the least recently used dropped first. May be used from any thread."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self._files: OrderedDict[File, list[CachedBytes]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, file: File, start: int, end: int) -> bytes | None:
        """Bytes [start, end), if one range that was kept has them all."""
        with self._lock:
            found = self._found(file, start, end)
            if found is None:
                return None
            at, content = found
            if at == start and end == at + len(content) and isinstance(content, bytes):
                return content
            view = memoryview(content)
        return bytes(view[start - at : end - at])

    def view(self, file: File, start: int, end: int) -> memoryview | None:
        """The same, not copied: the whole range is kept as long as this is."""
        found = self.range_around(file, start, end)
        return None if found is None else found[2][start - found[0] : end - found[0]]

    def range_around(self, file: File, start: int, end: int) -> tuple[int, Content, memoryview] | None:
        """(where it begins, a range that was kept and has these bytes, a view of it)."""
        with self._lock:
            found = self._found(file, start, end)
            return None if found is None else (*found, memoryview(found[1]))

    def put(self, file: File, start: int, content: Content) -> None:
        with self._lock:
            self._files.setdefault(file, []).append((start, content))
            self._files.move_to_end(file)
            self.size += len(content)
            while self.size > self.limit and self._files:
                oldest, spans = next(iter(self._files.items()))
                if oldest == file and len(spans) == 1 and len(self._files) == 1:
                    break  # the one range that is being read may be larger than all that is kept
                self._drop(oldest, 0)

    def take_buffer(self, size: int) -> bytearray:
        """Room for so many bytes, of any content: that of a range which has to make way for them, if nobody looks into
        it. New memory costs more than all else there is to do for bytes from a network: the kernel clears every page."""
        with self._lock:
            while self.size + size > self.limit and self._files:
                file, spans = next(iter(self._files.items()))
                content = spans[0][1]
                self._drop(file, 0)
                if isinstance(content, bytearray) and _resized(content, size):
                    return content
        return bytearray(size)

    def _found(self, file: File, start: int, end: int) -> CachedBytes | None:
        for at, content in reversed(self._files.get(file, ())):
            if at <= start and end <= at + len(content):
                self._files.move_to_end(file)
                return at, content
        return None

    def _drop(self, file: File, number: int) -> None:
        spans = self._files[file]
        self.size -= len(spans.pop(number)[1])
        if not spans:
            del self._files[file]


def _resized(buffer: bytearray, size: int) -> bool:
    """Whether it could be given this size: Python refuses to while a `memoryview` of it lives."""
    if size > len(buffer) + len(buffer) // 8:
        return False  # it would be moved, which is no better than new memory
    try:
        buffer.pop()
        if size <= len(buffer):
            del buffer[size:]
        else:
            buffer.extend(bytes(size - len(buffer)))
    except (BufferError, IndexError):
        return False
    return True
