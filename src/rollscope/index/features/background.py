"""Features of a run in the background: by processes that stand back for all others, and never twice at once."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING

from rollscope.index.engines.base import Engine
from rollscope.index.engines.local import LocalEngine

if TYPE_CHECKING:
    from rollscope.index.features.feature_index import FeatureIndex

log = logging.getLogger("rollscope")

_made: LocalEngine | None = None
_lock = threading.Lock()
#: One run at a time: the others wait their turn.
_turn = threading.Semaphore(1)


def background_engine(engine: Engine) -> Engine:
    """Processes of its own on this machine, half as many as there are cores; a cluster has its own ways."""
    global _made  # noqa: PLW0603  # one a process, as engines are
    if not isinstance(engine, LocalEngine):
        return engine
    with _lock:
        if _made is None:
            _made = LocalEngine(max(1, engine.count // 2))
        return _made


class BackgroundFeatures:
    """Computes what is missing, again whenever the run has grown."""

    def __init__(self, features: FeatureIndex) -> None:
        self._features = features
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._done_for = -1
        self._cancel = threading.Event()

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def soon(self, version: int) -> None:
        """Start, unless it is under way or done for this version of the run."""
        with self._lock:
            if self.running or version == self._done_for or self._cancel.is_set():
                return
            self._thread = threading.Thread(target=self._work, args=(version,), name="rollscope-features", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        self._cancel.set()

    def _work(self, version: int) -> None:
        try:
            with _turn:
                self._features.compute_all(self._features._index.snapshot, cancel=self._cancel, background=True)
        except Exception as error:  # noqa: BLE001  # no caller is waiting, and it is computed again when it is asked for
            log.warning("features could not be computed in the background: %s", error)
        self._done_for = version


def _after_fork() -> None:
    """In a forked child: the parent's threads are not here, and one of them may have held these."""
    global _made, _lock, _turn  # there is no other way to let go of them
    _made, _lock, _turn = None, threading.Lock(), threading.Semaphore(1)


os.register_at_fork(after_in_child=_after_fork)
