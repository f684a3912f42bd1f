"""Files that are kept open, or parsed, from one sample to the next, as long as they stay exactly as they are.

For formats whose files cannot be read at a byte offset: archives, parquet, one big JSON tree. The file's size, time and
inode are looked at before and after every use, so that nothing is served from a file that changed, and a file that is
just being written is tried again for a moment.
"""

from __future__ import annotations

import threading
import time
import zipfile
import zlib
from collections.abc import Callable
from typing import Generic, TypeVar

from rollscope.lru import LruCache
from rollscope.storage.fingerprint import Sighting
from rollscope.storage.store import Store

T = TypeVar("T")
R = TypeVar("R")

#: Everything that zip, deflate, parquet and JSON readers raise for damaged or half-written bytes (pyarrow's errors are
#: ValueErrors, OSErrors or NotImplementedErrors; `zipfile` may meet any of the others), and what comes of a column that
#: is missing or of another type than its name says.
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, OSError, ValueError, KeyError, TypeError),
    *(EOFError, NotImplementedError, RecursionError),
)
PAUSE_SECONDS = 0.15


class _Opened(Generic[T]):
    def __init__(self, seen: Sighting, value: T) -> None:
        self.seen = seen
        self.value = value
        self.lock = threading.Lock()


class KeptOpen(Generic[T]):
    """The last `limit` files that `open_file` made something of. Something that must be closed does so in `__del__`:
    another thread may still be at it when it leaves."""

    def __init__(self, open_file: Callable[[Store, str], T], *, limit: int, attempts: int = 4) -> None:
        self._open = open_file
        self._attempts = attempts
        self._files: LruCache[tuple[str, str], _Opened[T]] = LruCache(max_entries=limit)
        self._lock = threading.Lock()

    def use(self, store: Store, path: str, work: Callable[[T], R]) -> R:
        """What `work` makes of the file; one thread at a time. Raises one of `DAMAGED` when it cannot be read, also
        after some attempts."""
        for attempt in range(self._attempts):
            if attempt:
                time.sleep(PAUSE_SECONDS)
            try:
                opened = self._opened(store, path)
                with opened.lock:
                    result = work(opened.value)
            except FileNotFoundError:
                raise
            except DAMAGED:
                self._forget(store, path)
                if attempt == self._attempts - 1:
                    raise
            else:
                if opened.seen.is_current(store, path):
                    return result
        raise OSError("the file kept changing while it was read")

    def _opened(self, store: Store, path: str) -> _Opened[T]:
        name = (store.address, path)
        with self._lock:
            opened = self._files.get(name)
            if opened is None or not opened.seen.is_current(store, path):
                opened = _Opened(Sighting(store, path), self._open(store, path))
                self._files.put(name, opened)
            return opened

    def _forget(self, store: Store, path: str) -> None:
        self._files.remove((store.address, path))
