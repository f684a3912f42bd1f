"""What went wrong while recording: counted, told once a minute, and raised only when asked (``strict=True``)."""

from __future__ import annotations

import threading
import time

from rollscope.errors import RollscopeError

#: A warning of one kind is repeated after this many seconds at the earliest.
WARNING_INTERVAL = 60.0


class RecordError(RollscopeError):
    """Something could not be recorded. Raised only by a run opened with ``strict=True``."""


class Problems:
    """The error counter of one run. Safe to call from any thread, and from a signal handler."""

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.count = 0
        self.last: str | None = None
        self._deferred: RecordError | None = None
        self._lock = threading.RLock()  # re-entrant: a SIGTERM handler may interrupt its own thread in here
        self._warned: dict[str, float] = {}
        self._unsaid: dict[str, int] = {}

    def report(self, kind: str, message: str, *, hint: str = "") -> None:
        """A problem met on the caller's thread: raises in a strict run, else counts and warns."""
        self._count(message)
        if self.strict:
            raise RecordError(message, hint=hint)
        self._warn(kind, message, hint)

    def defer(self, kind: str, message: str, *, hint: str = "") -> None:
        """A problem met on the writer thread: a strict run raises it at the caller's next call."""
        self._count(message)
        if self.strict:
            self._deferred = self._deferred or RecordError(message, hint=hint)
        else:
            self._warn(kind, message, hint)

    def raise_deferred(self) -> None:
        if self._deferred is not None:
            error, self._deferred = self._deferred, None
            raise error

    def after_fork(self) -> None:
        self._lock = threading.RLock()

    def _count(self, message: str) -> None:
        with self._lock:
            self.count += 1
            self.last = message

    def _warn(self, kind: str, message: str, hint: str) -> None:
        now = time.monotonic()
        with self._lock:
            last = self._warned.get(kind)
            if last is not None and now - last < WARNING_INTERVAL:
                self._unsaid[kind] = self._unsaid.get(kind, 0) + 1
                return
            self._warned[kind] = now
            unsaid = self._unsaid.pop(kind, 0)
        more = f" ({unsaid} more of this kind since the last warning)" if unsaid else ""
        import logging  # 4 ms, and hardly ever needed

        logger = logging.getLogger("rollscope.record")
        logger.warning("%s%s%s", message, f" {hint}" if hint else "", more)
