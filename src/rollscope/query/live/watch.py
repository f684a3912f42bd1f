"""Keeping up with files that others write: what must be fresh before a question is answered, and waiting a little for it.
Front doors call this and have no rules of their own. `follow` notices changes between questions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, TypeVar

from rollscope.errors import NotFoundError, RollscopeError
from rollscope.formats.base import Source
from rollscope.index.changes.plan import is_current
from rollscope.index.changes.unchanged_parts import stretches
from rollscope.index.index import Index
from rollscope.index.manifest.entries import FileEntry
from rollscope.index.refresh import IndexProgress, IsWanted
from rollscope.query.answers import Progress
from rollscope.query.live.reported_files import FRESH_SECONDS, ReportedFiles
from rollscope.storage.fingerprint import now_ns
from rollscope.storage.store import Store

if TYPE_CHECKING:
    from rollscope.query.run import Run

#: A check of very many files takes longer. Its result is used for as long as it took, so that at most half of the time
#: goes into checking; for this many times as long if the files of the step in question are checked anyway.
STEP_FRESH_TIMES = 4.0
MAX_FRESH_SECONDS = 5.0
#: The same if the file system reports the files that are written: a check of all files is then only a safety net.
WATCHED_FRESH_TIMES = 10.0
#: What indexing certainly reads in a second on a busy machine. If more than that is left, waiting is pointless.
SLOW_BYTES_PER_SECOND = 100_000_000

AnswerT = TypeVar("AnswerT")

#: Runs indexed in the background at a time. A folder of hundreds of runs is read a few at a time, not all at once.
_turns = threading.BoundedSemaphore(2)


class Refresher:
    def __init__(self, index: Index) -> None:
        self.index = index
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._looked = 0.0
        self._took = 0.0
        #: Files that were written since the last check began; None: any may have been.
        self._named: set[str] | None = set()
        self._again = False
        #: One check at a time: another thread's says nothing about the files that were reported to this one.
        self._checking = threading.Lock()
        self._reports = ReportedFiles(index)
        #: The file system reports the files that are written, and a front door listens.
        self.watched = False
        #: Why the last check of the files failed, or "".
        self.failure = ""

    def now(
        self,
        only: IsWanted | None = None,
        report: Callable[[Progress], None] | None = None,
        named: Collection[str] | None = None,
    ) -> bool:
        """Index what is new, and return when it is done. `named`: files that were written; others need no check."""
        callback = (lambda progress: report(self.progress(progress))) if report is not None else None
        whole = only is None and named is None
        with self._checking:
            started = time.monotonic()
            reported = self._reports.take() if whole else None
            try:
                found = self.index.refresh(
                    only=only, named=named if reported is None else reported, on_progress=callback
                )
            except Exception as error:
                self._reports.check_failed()
                self.failure = str(error) if isinstance(error, RollscopeError) else f"{type(error).__name__}: {error}"
                raise
            self.failure = ""
            if whole:
                self._reports.checked(started, self.index.look_seconds if reported is None else None)
                # If files were read, the time says nothing about how long a check takes.
                self.looked(0.0 if found else time.monotonic() - started)
        return found

    def differs(self) -> bool:
        """Whether any file differs from what is indexed."""
        started = time.monotonic()
        found = self._reports.any
        if found is None:
            found = changed(self.index)
            if not found:
                self._reports.checked(started, time.monotonic() - started)
        self.looked(time.monotonic() - started)
        return found

    def listens_elsewhere(self, by_file_system: bool) -> None:
        """A front door decides when the files are checked, and names those that the file system reports to it, if any."""
        self.watched = by_file_system
        self._reports.stop_for_good()

    def soon(self, named: Collection[str] | None = None) -> None:
        """Start indexing in the background; if it is already running, it is repeated once more."""
        with self._lock:
            self._named = None if named is None or self._named is None else self._named | set(named)
            if self._thread is not None and self._thread.is_alive():
                self._again = True
                return
            self._thread = threading.Thread(target=self._work, name="rollscope-refresh", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while True:
            with self._lock:
                self._again = False
                named, self._named = self._named, set()
            try:
                with _turns:
                    self.now(named=named)
            except Exception:  # noqa: BLE001  # kept in `failure`; a reader keeps the last good state
                return
            with self._lock:
                if not self._again:
                    # A call from now on starts another thread.
                    self._thread = None
                    return

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def looked(self, took: float = 0.0) -> None:
        """All files were checked, which took this many seconds."""
        self._looked, self._took = time.monotonic(), took

    def stale(self, times: float = 1.0) -> bool:
        if self.watched:
            times *= WATCHED_FRESH_TIMES
        # Where one check takes longer than that, it counts for as long as it took: else a question would begin the next one.
        good_for = max(FRESH_SECONDS, min(times * self._took, max(MAX_FRESH_SECONDS, self._took)))
        return time.monotonic() - self._looked > good_for

    def progress(self, state: IndexProgress | None = None) -> Progress:
        state = state or self.index.progress
        done = not (state.running or self.running)
        elapsed = time.monotonic() - state.started
        left = None
        if not done and state.bytes_done > 0 and elapsed > 0.2:
            left = max(0.0, elapsed * (state.bytes_total - state.bytes_done) / state.bytes_done)
        return Progress(
            done=done,
            bytes_done=state.bytes_done,
            bytes_total=state.bytes_total,
            samples=self.index.snapshot.sample_count,
            files_done=state.files_done,
            files_total=state.files_total,
            seconds_left=left,
        )


def holds(split: str | None, step: int | None) -> IsWanted:
    """Sources that may hold samples of this split and step, judging by their names."""

    def wanted(source: Source) -> bool:
        if step is not None and source.step is not None and source.step != step:
            return False
        if split is None or source.split is None or source.split == split:
            return True
        return split.startswith("eval/") and source.split.startswith("eval/")

    return wanted


def changed(index: Index) -> bool:
    """Whether any file differs from what is indexed: new, grown, rewritten, gone. Costs a listing and one stat per
    file."""
    store = index.store.fresh()
    for stretch in stretches(index.snapshot.manifest.file_parts, index.sources(store), store):
        if stretch.untouched:
            continue
        entries = stretch.part.files if stretch.part is not None else []
        # The whole source and not only its path: neighbouring files that belong to it may have changed.
        if list(stretch.sources) != [entry.source for entry in entries] or any(
            differs(entry, store) for entry in entries
        ):
            return True
    return False


def step_changed(index: Index, split: str, step: int) -> bool:
    """The same for the files of one step, without listing: a page asks this with every click."""
    entries = index.snapshot.files_of(split, step)
    store = index.store.fresh()
    return not entries or any(
        index.format.source_now(store, entry.source) != entry.source or differs(entry, store) for entry in entries
    )


def differs(entry: FileEntry, store: Store) -> bool:
    seen_ns = now_ns()
    stat = store.stat(entry.source.path)
    if stat is None:
        return bool(entry.pieces)
    return not is_current(store, entry, stat, seen_ns)


def ask_when_read(
    run: Run, seconds: float, ask: Callable[[], AnswerT], is_enough: Callable[[AnswerT], bool] | None = None
) -> AnswerT:
    """``ask`` about ``run``, and again when files that were not read yet have been, if that takes no longer than
    ``seconds``. Asking starts the reading; an incomplete answer says so itself. ``is_enough``: which answers are useful
    before everything is read; these are waited for however much is left to read."""
    version = run.version
    answer: AnswerT | None = None
    try:
        answer = ask()
        if (run.version == version and run.progress().done) or (is_enough is not None and is_enough(answer)):
            return answer
    except NotFoundError:
        # What is asked for may be in a file that has not been read.
        if run.version == version and run.progress().done:
            raise
    if is_enough is None:
        return ask() if _wait_until_read(run, seconds) or answer is None else answer
    end = time.monotonic() + seconds
    while time.monotonic() < end and not run.progress().done:
        time.sleep(0.02)
        answer = ask()
        if is_enough(answer):
            return answer
    return ask()


def _wait_until_read(run: Run, seconds: float) -> bool:
    """False if it is not read within ``seconds``, or clearly will not be."""
    end = time.monotonic() + seconds
    pause = 0.002
    while True:
        progress = run.progress()
        if progress.done:
            return True
        left = end - time.monotonic()
        if left <= 0 or progress.bytes_total - progress.bytes_done > seconds * SLOW_BYTES_PER_SECOND:
            return False
        time.sleep(min(pause, left))
        pause = min(2 * pause, 0.05)
