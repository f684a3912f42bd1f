"""Bytes of files that are far away, kept for a moment: what was fetched once is read from memory."""

from __future__ import annotations

import threading
from collections import OrderedDict

#: (place, path, etag): bytes of another state of a file are never taken for its own.
File = tuple[str, str, str]
CachedBytes = tuple[int, bytes]


class ByteCache:
    """Ranges of files, the least recently used dropped first. May be used from any thread."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self._files: OrderedDict[File, list[CachedBytes]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, file: File, start: int, end: int) -> bytes | None:
        """Bytes [start, end), if one range that was kept has them all."""
        found = self._found(file, start, end)
        if found is None:
            return None
        at, content = found
        whole = at == start and end == at + len(content)
        return content if whole else content[start - at : end - at]

    def view(self, file: File, start: int, end: int) -> memoryview | None:
        """The same, not copied: the whole range is kept as long as this is."""
        found = self._found(file, start, end)
        return None if found is None else memoryview(found[1])[start - found[0] : end - found[0]]

    def _found(self, file: File, start: int, end: int) -> CachedBytes | None:
        with self._lock:
            for at, content in reversed(self._files.get(file, ())):
                if at <= start and end <= at + len(content):
                    self._files.move_to_end(file)
                    return at, content
        return None

    def put(self, file: File, start: int, content: bytes) -> None:
        with self._lock:
            self._files.setdefault(file, []).append((start, content))
            self._files.move_to_end(file)
            self.size += len(content)
            while self.size > self.limit and self._files:
                oldest, spans = next(iter(self._files.items()))
                if oldest == file and len(spans) == 1 and len(self._files) == 1:
                    break  # the one range that is being read may be larger than all that is kept
                self.size -= len(spans.pop(0)[1])
                if not spans:
                    del self._files[oldest]
