"""Selections over many steps are kept for a while: every page of a list, its curve and every key that moves along it ask
for the same one."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar

from rollscope.index.snapshot import Snapshot

#: A selection of 1,000,000 samples takes 8 MB.
KEPT = 6

_T = TypeVar("_T")


class Selections:
    """The newest few, all of one state of the index."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._kept: OrderedDict[Hashable, object] = OrderedDict()

    def get(self, snapshot: Snapshot, key: Hashable, make: Callable[[], _T]) -> _T:
        with self._lock:
            if self._snapshot is not snapshot:
                self._snapshot = snapshot
                self._kept.clear()
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]  # type: ignore[return-value]  # a key's value has the type its maker gave it
        made = make()
        with self._lock:
            if self._snapshot is snapshot:
                self._kept[key] = made
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
        return made
