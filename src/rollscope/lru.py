"""The one cache with a limit: the entry that was unused for the longest time is removed first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class LruCache(Generic[KeyT, ValueT]):
    """Limited in bytes, in entries, or both. May be used from any thread. The caller says how many bytes an entry has.
    `keep_newest`: the newest entry stays even if it alone is larger than the limit."""

    def __init__(
        self, max_bytes: int | None = None, *, max_entries: int | None = None, keep_newest: bool = False
    ) -> None:
        self.max_bytes = max_bytes
        self.max_entries = max_entries
        self._keep_newest = keep_newest
        self._entries: OrderedDict[KeyT, tuple[ValueT, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: KeyT) -> ValueT | None:
        with self._lock:
            found = self._entries.get(key)
            if found is None:
                return None
            self._entries.move_to_end(key)
            return found[0]

    def put(self, key: KeyT, value: ValueT, size: int = 0) -> None:
        with self._lock:
            self._remove(key)
            if self.max_bytes is not None and size > self.max_bytes and not self._keep_newest:
                return
            self._entries[key] = (value, size)
            self._bytes += size
            while self._is_full() and not (self._keep_newest and len(self._entries) == 1):
                _, (_, gone) = self._entries.popitem(last=False)
                self._bytes -= gone

    def _is_full(self) -> bool:
        too_large = self.max_bytes is not None and self._bytes > self.max_bytes
        return too_large or (self.max_entries is not None and len(self._entries) > self.max_entries)

    def remove(self, key: KeyT) -> None:
        with self._lock:
            self._remove(key)

    def _remove(self, key: KeyT) -> None:
        _, size = self._entries.pop(key, (None, 0))
        self._bytes -= size

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self._bytes = 0

    def items(self) -> list[tuple[KeyT, ValueT]]:
        """All of it, the entry that goes next first."""
        with self._lock:
            return [(key, value) for key, (value, _) in self._entries.items()]

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def bytes(self) -> int:
        return self._bytes
