"""Which process of the run this is, and which attempt at it.

The first process that starts is the main writer and holds a lock on ``.rollscope.lock`` while it lives; the file holds the
number of the newest attempt. Others write files of their own and take part in the attempt that is under way. On file
systems without locks the launcher's rank decides alone.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from rollscope.record.output import file_names
from rollscope.record.samples.schema import MAIN_WRITER

LOCK_FILE = ".rollscope.lock"
#: The main writer stores its number right after it has the lock; a reader looks again after this long.
SETTLE_SECONDS = 0.02


class Ownership:
    """``writer`` and ``attempt`` of this process, and the lock that makes it the main writer."""

    def __init__(self, writer: str, attempt: int, lock: int | None) -> None:
        self.writer = writer
        self.attempt = attempt
        self._lock = lock

    def release(self) -> None:
        """Let another process become the main writer. After a fork the child only closes its copy of the lock."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def claim(directory: Path, *, writer: str | None, attempt: int | None, known_attempt: int | None) -> Ownership:
    """``known_attempt`` is what ``config.json`` says, for runs that were copied without their hidden files."""
    if writer is None:
        rank = file_names.rank()
        writer = f"rank{rank}" if rank else MAIN_WRITER
    elif writer != MAIN_WRITER:
        writer = file_names.writer_name(writer)
    try:
        fd = os.open(directory / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError:
        return Ownership(writer, _next(known_attempt) if attempt is None else attempt, None)
    free = _try_lock(fd)
    if writer == MAIN_WRITER and free:
        number = attempt if attempt is not None else _next(_newest(fd, known_attempt))
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{number}\n".encode(), 0)
        return Ownership(MAIN_WRITER, number, fd)
    if attempt is None:
        if free:  # the main writer of this attempt is still to come
            attempt = _next(_newest(fd, known_attempt))
        else:
            time.sleep(SETTLE_SECONDS)
            attempt = _newest(fd, known_attempt) or 0
    os.close(fd)
    return Ownership(file_names.process_name() if writer == MAIN_WRITER else writer, attempt, None)


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # no locks on this file system
    return True


def _newest(fd: int, known_attempt: int | None) -> int | None:
    text = os.pread(fd, 32, 0).strip()
    stored = int(text) if text.isdigit() else None
    candidates = [number for number in (stored, known_attempt) if number is not None]
    return max(candidates, default=None)


def _next(attempt: int | None) -> int:
    return 0 if attempt is None else attempt + 1
