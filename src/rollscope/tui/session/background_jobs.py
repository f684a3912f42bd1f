"""Work that touches the disk, away from the keyboard.

A `JobThread` has room for one waiting job: a newer job takes the place of an older one that has not begun, so that
holding `n` down skips samples that would not be seen. The threads are daemons, because quitting must not wait for them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from textual.message import Message
from textual.message_pump import MessagePump

T = TypeVar("T")


class Finished(Message):
    """A job's outcome, to be taken on the app's own thread."""

    def __init__(self, thread: JobThread, job: _Job[Any], value: Any, error: Exception | None) -> None:
        super().__init__()
        self._thread, self._job, self._value, self._error = thread, job, value, error

    def deliver(self) -> None:
        self._thread._delivered(self._job)
        if self._job.cancel.is_set():
            return
        if self._error is not None:
            self._job.failed(self._error)
        else:
            self._job.done(self._value)


class _Job(Generic[T]):
    def __init__(
        self,
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
        cancel: threading.Event,
    ) -> None:
        self.work, self.done, self.failed, self.cancel = work, done, failed, cancel


class JobThread:
    """One thread, one running job, one waiting job."""

    def __init__(self, name: str, pump: MessagePump) -> None:
        self._pump = pump
        self._condition = threading.Condition()
        self._waiting: _Job[Any] | None = None
        self._running: _Job[Any] | None = None
        self._undelivered: set[_Job[Any]] = set()
        threading.Thread(target=self._run, name=f"rollscope-{name}", daemon=True).start()

    @property
    def idle(self) -> bool:
        """Nothing waits, runs, or has an outcome that was not taken yet."""
        with self._condition:
            return self._waiting is None and self._running is None and not self._undelivered

    def submit(
        self,
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
        *,
        cancel: threading.Event | None = None,
    ) -> None:
        """Run `work` and hand its outcome to `done` or `failed` on the app's thread. An older job of this thread is
        cancelled: its `cancel` event is set, for work that looks at it, and its outcome goes nowhere."""
        job = _Job(work, done, failed, cancel or threading.Event())
        with self._condition:
            self._cancel_all()
            self._waiting = job
            self._condition.notify()

    def cancel(self) -> None:
        with self._condition:
            self._cancel_all()

    def _cancel_all(self) -> None:
        for job in (self._running, *self._undelivered):
            if job is not None:
                job.cancel.set()
        self._waiting = None

    def _delivered(self, job: _Job[Any]) -> None:
        with self._condition:
            self._undelivered.discard(job)

    def _run(self) -> None:
        while True:
            with self._condition:
                while self._waiting is None:
                    self._condition.wait()
                job, self._waiting = self._waiting, None
                self._running = job
            value, error = None, None
            try:
                value = job.work()
            except Exception as problem:  # noqa: BLE001  # whatever went wrong is shown, the viewer goes on
                error = problem
            with self._condition:
                self._running = None
                self._undelivered.add(job)
            if not self._pump.post_message(Finished(self, job, value, error)):
                self._delivered(job)
