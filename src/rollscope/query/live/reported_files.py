"""Files that the file system says were written: where it says all of them, only these are checked."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from rollscope.formats.base import Format
from rollscope.index.index import Index

if TYPE_CHECKING:
    from rollscope.storage.written_files import WrittenFiles

#: Questions within this time share one check of the files: one request of the page asks several.
FRESH_SECONDS = 0.2
#: A process that stays with a run of this many files asks the file system which were written; fewer are checked as fast.
REPORTED_FROM_FILES = 1_000
#: All files are checked nevertheless when that was this many times as long ago as it takes: a fiftieth of the time.
REPORTED_FRESH_TIMES = 50.0


class ReportedFiles:
    """What was written in the folders of one run since the last check."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._files: WrittenFiles | None = None
        #: The folders that are watched, and since when.
        self._folders: frozenset[str] = frozenset()
        self._since = 0.0
        #: When all files are to be checked, for writes that are not reported (to a mapped file, by another hard link).
        self._due = 0.0
        #: Nobody else listens, the format knows a new file by its name, and the system can report what is written.
        self._useful = type(index.format).next_source is not Format.next_source
        #: All files were checked before: this process stays with the run.
        self._stays = False
        self._lock = threading.Lock()

    def take(self) -> set[str] | None:
        """The files to check now. None: all."""
        with self._lock:
            written = self._files.take() if self._files is not None else None
            if written is None:
                self._stop()
            return written if time.monotonic() < self._due else None

    @property
    def any(self) -> bool | None:
        """Whether some file was written; None if that is not known."""
        with self._lock:
            return self._files.any if self._files is not None and time.monotonic() < self._due else None

    def checked(self, started: float, took: float | None) -> None:
        """The files were checked; all of them, if it is known how long that `took`. What was written since a folder is
        watched is known without another check of all files."""
        with self._lock:
            self._listen()
            if took is not None and self._files is not None and self._since <= started:
                self._due = time.monotonic() + max(FRESH_SECONDS, REPORTED_FRESH_TIMES * took)

    def check_failed(self) -> None:
        self._due = 0.0

    def stop_for_good(self) -> None:
        with self._lock:
            self._useful = False
            self._stop()

    def _listen(self) -> None:
        index = self._index
        if not self._stays or (self._files is not None and self._folders is index.listed):
            self._stays = True
            return
        if not self._useful or sum(map(len, index.snapshot.manifest.file_parts)) < REPORTED_FROM_FILES:
            return
        if not index.listed:
            self._stop()  # what its listings leave out is not known
            return
        try:
            if self._files is None:
                self._files = index.store.written_files(index.listed)
                self._useful = self._files is not None
            elif not self._files.watch(index.listed):
                self._folders = index.listed
                return
            self._folders, self._since, self._due = index.listed, time.monotonic(), 0.0
        except OSError:
            self._useful = False
            self._stop()

    def _stop(self) -> None:
        if self._files is not None:
            self._files.close()
        self._files, self._due = None, 0.0
