"""Decoded samples, kept within a budget of bytes and entries. The budget is real: an entry counts what it holds."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

from rollscope.query.answers import CacheStats

DEFAULT_MEMORY_MB = 4096
DEFAULT_ENTRIES = 20


class SampleCache:
    """Encoded samples by (run, address, state of the file). A changed file is another key, so nothing stale is served.

    `max_entries` is counted in files, as in the viewers people come from: samples of at most that many files are kept.
    That is why it is not an `LruCache`: what goes first is the oldest sample of the file that was not asked for longest."""

    def __init__(self, max_memory_mb: float = DEFAULT_MEMORY_MB, max_entries: int = DEFAULT_ENTRIES) -> None:
        self.max_bytes = int(max_memory_mb * 1e6)
        self.max_entries = max_entries
        self._files: OrderedDict[Hashable, OrderedDict[str, bytes]] = OrderedDict()
        self._bytes = 0
        self._hits = self._misses = self._evictions = 0
        self._lock = threading.Lock()

    def get(self, file: Hashable, address: str) -> bytes | None:
        with self._lock:
            samples = self._files.get(file)
            found = samples.get(address) if samples is not None else None
            if found is None or samples is None:
                self._misses += 1
                return None
            self._hits += 1
            self._files.move_to_end(file)
            samples.move_to_end(address)
            return found

    def put(self, file: Hashable, address: str, body: bytes) -> None:
        if len(body) > self.max_bytes or self.max_entries < 1:
            return
        with self._lock:
            samples = self._files.setdefault(file, OrderedDict())
            self._files.move_to_end(file)
            self._bytes += len(body) - len(samples.get(address, b""))
            samples[address] = body
            while self._bytes > self.max_bytes or len(self._files) > self.max_entries:
                self._evict()

    def _evict(self) -> None:
        samples = next(iter(self._files.values()))
        if len(self._files) > self.max_entries or len(samples) <= 1:
            self._files.popitem(last=False)
            self._bytes -= sum(map(len, samples.values()))
            self._evictions += len(samples)
            return
        _, body = samples.popitem(last=False)
        self._bytes -= len(body)
        self._evictions += 1

    def clear(self) -> None:
        with self._lock:
            self._files.clear()
            self._bytes = 0

    def stats(self) -> CacheStats:
        with self._lock:
            return CacheStats(
                entries=len(self._files),
                memory_mb=self._bytes / 1e6,
                max_memory_mb=self.max_bytes / 1e6,
                max_entries=self.max_entries,
                hits=self._hits,
                misses=self._misses,
                evictions=self._evictions,
            )
