"""A bounded queue and one thread that writes. The training loop only appends to the queue.

Records of one file keep their order. A file that cannot be written (disk full, permission lost) is set aside with its
records and tried again; all other files go on. What does not fit into the queue's budget is dropped and counted.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from rollscope.record.output.directory import Directory
from rollscope.record.output.problems import Problems
from rollscope.record.output.write_jobs import WriteJob

#: Memory that records may take while they wait for the disk.
DEFAULT_QUEUE_BYTES = 256 * 1024 * 1024
#: How long a caller may wait, once per jam, for a healthy but slow disk before records are dropped.
PATIENCE_SECONDS = 0.25
#: How often a file that could not be written is tried again: at first, and at most.
RETRY_SECONDS, MAX_RETRY_SECONDS = 0.2, 5.0


class Writer:
    """Writes jobs in order on one daemon thread, which starts with the first job and again after a fork."""

    def __init__(self, directory: Path, problems: Problems, *, queue_bytes: int = DEFAULT_QUEUE_BYTES) -> None:
        self.directory = Directory(directory)
        self._problems = problems
        self._queue_bytes = queue_bytes
        #: Called on the writer thread when the run's directory was deleted and made again: what to write again.
        self.on_recreated: Callable[[], list[WriteJob]] = list
        #: Called when the thread starts, in each process that writes.
        self.on_start: Callable[[], None] = lambda: None
        self._reset()

    def _reset(self) -> None:
        # Re-entrant, because a SIGTERM handler that flushes may interrupt its own thread inside `submit`.
        self._changed = threading.Condition(threading.RLock())
        self._queue: deque[WriteJob] = deque()
        self._stalled: dict[str, deque[WriteJob]] = {}
        self._bytes = 0
        self._busy = False
        self._jammed = False
        self._written = 0
        self._retry_at = 0.0
        self._retry_delay = RETRY_SECONDS
        self._retry_round = 0
        self._thread: threading.Thread | None = None

    def after_fork(self) -> None:
        """In the child: what the parent had queued is the parent's to write."""
        self.directory.close()
        self._reset()

    # -- the caller's side ---------------------------------------------------------------------------------------------

    def submit(self, job: WriteJob) -> None:
        with self._changed:
            # One record larger than the whole budget is still taken when nothing else waits.
            full = self._bytes > 0 and self._bytes + job.size > self._queue_bytes
            dropped = full and not self._make_room(job.size)
            if not dropped:
                self._queue.append(job)
                self._bytes += job.size
                if self._thread is None:
                    self._start()
                if len(self._queue) == 1:  # the thread sleeps only while the queue is empty
                    self._changed.notify_all()
        if dropped:
            self._problems.report(
                "queue full",
                f"A record for {job.file} was dropped: {self._queue_bytes:,} bytes of records wait for the disk.",
                hint="Check the disk of the run's directory, or raise queue_bytes.",
            )

    def _make_room(self, size: int) -> bool:
        """Wait a moment for a slow disk, but only once until the jam has gone: training must not crawl."""
        if self._jammed or self._stalled:
            return False
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._bytes + size > self._queue_bytes:
            if not self._changed.wait(max(0.0, deadline - time.monotonic())) and time.monotonic() >= deadline:
                self._jammed = True
                return False
        return True

    def flush(self, timeout: float, *, sync: bool = False) -> bool:
        """Wait until all that was submitted is written. Files that cannot be written are tried once more. False when
        something is not on disk: a file that still cannot be written, or no record written for ``timeout`` seconds."""
        with self._changed:
            if self._thread is None:
                self._drain()
                return not self._stalled
            self._retry_at = 0.0
            goal = self._retry_round + 1 if self._stalled else self._retry_round
            self._changed.notify_all()
            written, deadline = self._written, time.monotonic() + timeout
            while self._queue or self._busy or (self._stalled and self._retry_round < goal):
                if self._written != written:
                    # As long as the disk takes records it is worth waiting, however many there are.
                    written, deadline = self._written, time.monotonic() + timeout
                remaining = deadline - time.monotonic()
                if remaining <= 0 or not self._thread.is_alive():
                    return False
                self._changed.wait(min(remaining, 0.1))
            done = not self._stalled
        if done and sync:
            self.directory.sync()
        return done

    def close(self, timeout: float) -> int:
        """Write what can be written, end the thread, and say how many records were given up."""
        deadline = time.monotonic() + timeout
        while not self.flush(timeout) and time.monotonic() < deadline:
            time.sleep(RETRY_SECONDS)
        with self._changed:
            thread, self._thread = self._thread, None
            self._changed.notify_all()
        if thread is not None:
            thread.join(0.5)
        left = [*self._queue, *(job for waiting in self._stalled.values() for job in waiting)]
        lost = sum(job.holds_record for job in left)
        self._reset()
        return lost

    # -- the writer thread ---------------------------------------------------------------------------------------------

    def _start(self) -> None:
        thread = threading.Thread(target=self._work, name="rollscope-writer", daemon=True)
        try:
            self._thread = thread
            thread.start()
        except RuntimeError:
            # The interpreter is shutting down and starts no threads any more; `flush` writes on the caller's.
            self._thread = None
            return
        self.on_start()

    def _drain(self) -> None:
        """Write what is queued on this thread, where there is no other."""
        while self._queue:
            self._take(self._queue.popleft())

    def _work(self) -> None:
        me = threading.current_thread()
        while True:
            with self._changed:
                while self._thread is me and not self._queue and not self._retry_due():
                    self._changed.wait(self._retry_at - time.monotonic() if self._stalled else None)
                if self._thread is not me:
                    self.directory.close()
                    return
                self._busy = True
                job = self._queue.popleft() if self._queue else None
            try:
                if self._retry_due():
                    self._retry()
                if job is not None:
                    self._take(job)
            finally:
                with self._changed:
                    self._busy = False
                    if self._bytes < self._queue_bytes // 2:
                        self._jammed = False
                    if not self._queue or self._bytes >= self._queue_bytes // 2:
                        self._changed.notify_all()

    def _take(self, job: WriteJob) -> None:
        if waiting := self._stalled.get(job.file):
            waiting.append(job)
        elif not self._attempt(job):
            self._stalled[job.file] = deque([job])
            self._retry_at = time.monotonic() + self._retry_delay

    def _retry_due(self) -> bool:
        return bool(self._stalled) and time.monotonic() >= self._retry_at

    def _retry(self) -> None:
        for file in list(self._stalled):
            waiting = self._stalled[file]
            while waiting and self._attempt(waiting[0]):
                waiting.popleft()
            if not waiting:
                del self._stalled[file]
        self._retry_delay = min(self._retry_delay * 2, MAX_RETRY_SECONDS) if self._stalled else RETRY_SECONDS
        self._retry_at = time.monotonic() + self._retry_delay
        self._retry_round += 1

    def _attempt(self, job: WriteJob) -> bool:
        """True when the job is done with: written, or impossible whatever the disk does."""
        try:
            job.prepare()
            more = self._write(job)
        except OSError as error:
            if not job.failed:
                job.failed = True
                self._problems.defer(
                    f"write {error.errno}",
                    f"{job.file} could not be written: {error.strerror or error}.",
                    hint="Training goes on; the records wait in memory and are written when the disk can take them.",
                )
            return False
        except Exception as error:  # noqa: BLE001  # the writer thread outlives any record
            self._problems.defer("encode", f"A record of {job.file} was lost: {type(error).__name__}: {error}.")
            more = None
        with self._changed:
            self._bytes = max(0, self._bytes - job.size)
            self._written += 1
            if more is not None:
                self._queue.append(more)
                self._bytes += more.size
        return True

    def _write(self, job: WriteJob) -> WriteJob | None:
        try:
            return job.write(self.directory)
        except FileNotFoundError:
            self._recreate()
            return job.write(self.directory)

    def _recreate(self) -> None:
        self.directory.close()
        self.directory.path.mkdir(parents=True, exist_ok=True)
        self._problems.defer(
            "directory deleted",
            f"{self.directory.path} was deleted while the run was being recorded; it was made again.",
            hint="What had been written before is gone.",
        )
        for job in self.on_recreated():
            self._write(job)
