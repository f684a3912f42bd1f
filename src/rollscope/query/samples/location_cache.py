"""Samples that were looked up before: found again for the price of one stat (5 µs; a lookup in the index takes 100)."""

from __future__ import annotations

from typing import NamedTuple
from weakref import ref

from rollscope.index.indexed_place import IndexedPlace
from rollscope.index.snapshot import Snapshot
from rollscope.lru import LruCache
from rollscope.storage.fingerprint import Change, compare
from rollscope.storage.store import Store

#: Places kept. At some 500 bytes each they are nothing beside the samples themselves.
MAX_PLACES = 10_000


class _Known(NamedTuple):
    located: IndexedPlace
    store: Store
    #: Not held: there may be many of them in a while.
    snapshot: ref[Snapshot]
    #: Of the step's rows; None where it is known in its snapshot only.
    state: str | None


class LocationCache:
    """Places of samples. One holds in a newer snapshot too, if the rows of its step are the same there: while a run grows,
    most steps stay as they are. May be used from any thread."""

    def __init__(self) -> None:
        self._known: LruCache[str, _Known] = LruCache(max_entries=MAX_PLACES)

    def get(self, snapshot: Snapshot, address: str) -> IndexedPlace | None:
        """Where the sample lies, if that is known and its file is untouched."""
        known = self._known.get(address)
        if known is None:
            return None
        located = known.located
        if known.snapshot() is not snapshot:
            if known.state is None or snapshot.state_of(located.place.split, located.place.step) != known.state:
                return None
            self._known.put(address, known._replace(snapshot=ref(snapshot)))
        now = known.store.stat(located.source.path)
        return located if compare(located.seen, located.seen_ns, now) is Change.NONE else None

    def put(self, snapshot: Snapshot, address: str, located: IndexedPlace, store: Store) -> None:
        state = snapshot.state_of(located.place.split, located.place.step)
        self._known.put(address, _Known(located, store, ref(snapshot), state))
