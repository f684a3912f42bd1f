"""Samples that were looked up before: found again for the price of one stat (5 µs; a lookup in the index takes 100)."""

from __future__ import annotations

from rollscope.index.snapshot import IndexedPlace, Snapshot
from rollscope.lru import LruCache
from rollscope.storage.fingerprint import Change, compare
from rollscope.storage.store import Store

#: Places kept. At some 500 bytes each they are nothing beside the samples themselves.
MAX_PLACES = 10_000


Places = LruCache[str, tuple[IndexedPlace, Store]]


class LocationCache:
    """Places of samples in one snapshot; a newer snapshot starts anew. May be used from any thread."""

    def __init__(self) -> None:
        self._known: tuple[Snapshot | None, Places] = (None, Places(max_entries=MAX_PLACES))

    def get(self, snapshot: Snapshot, address: str) -> IndexedPlace | None:
        """Where the sample lies, if that is known and its file is untouched."""
        of, places = self._known
        found = places.get(address) if of is snapshot else None
        if found is None:
            return None
        located, store = found
        now = store.stat(located.source.path)
        return located if compare(located.seen, located.seen_ns, now) is Change.NONE else None

    def put(self, snapshot: Snapshot, address: str, located: IndexedPlace, store: Store) -> None:
        of, places = self._known
        if of is not snapshot:
            places = Places(max_entries=MAX_PLACES)
            self._known = (snapshot, places)
        places.put(address, (located, store))
