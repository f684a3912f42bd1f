"""The metrics a trainer logged, read again only when their files change."""

from __future__ import annotations

import threading
from collections.abc import Collection

from rollscope.formats.base import Format
from rollscope.query.metrics.series import Curve, logged_curves
from rollscope.storage.fingerprint import Sighting
from rollscope.storage.store import Store


class LoggedMetrics:
    def __init__(self, store: Store, format_: Format) -> None:
        self._store = store
        self._format = format_
        self._lock = threading.Lock()
        self._state: dict[str, Sighting] | None = None
        self._curves: dict[str, Curve] | None = None
        self.version = 0

    def refresh(self, written: Collection[str] | None = None) -> bool:
        """True when a metric file changed since it was last looked at. `written`: the only files that may have."""
        if written is not None and self._state is not None and not self._state.keys() & set(written):
            return False
        store = self._store.fresh()
        names = list(self._format.metric_files(store))
        with self._lock:
            before = self._state
            if before is not None and list(before) == names and _current(before, store):
                return False
            first = before is None
            self._state = {name: Sighting(store, name) for name in names}
            self._curves = None
            self.version += not first
            return not first

    def curves(self) -> dict[str, Curve]:
        self.refresh()
        with self._lock:
            if self._curves is None:
                self._curves = logged_curves(self._format.metrics(self._store.fresh()))
            return self._curves


def _current(state: dict[str, Sighting], store: Store) -> bool:
    return all(seen.is_current(store, name) for name, seen in state.items())
