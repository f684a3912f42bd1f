"""Selections over many steps are kept for a while: every page of a list, its curve and every key that moves along it ask
for the same one."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from rollscope.index.snapshot import Snapshot
from rollscope.lru import LruCache

#: A selection of 1,000,000 samples takes 8 MB.
KEPT = 6

_T = TypeVar("_T")


class SelectionCache:
    """The newest few, all of one state of the index."""

    def __init__(self) -> None:
        self._kept: tuple[Snapshot | None, LruCache[Hashable, object]] = (None, LruCache(max_entries=KEPT))

    def get(self, snapshot: Snapshot, key: Hashable, make: Callable[[], _T]) -> _T:
        of, kept = self._kept
        if of is not snapshot:
            kept = LruCache(max_entries=KEPT)
            self._kept = (snapshot, kept)
        found = kept.get(key)
        if found is None:
            found = make()
            kept.put(key, found)
        return found  # type: ignore[return-value]  # a key's value has the type its maker gave it
