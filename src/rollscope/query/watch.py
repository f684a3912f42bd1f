"""Keeping up with files that others write: what must be fresh before a question is answered, and waiting a little for it.
Front doors ask here and have no rules of their own. `follow` notices what changed when nobody asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from rollscope.errors import NotFoundError, RollscopeError
from rollscope.formats.base import Source
from rollscope.index.index import Index
from rollscope.index.manifest.entries import FileEntry
from rollscope.index.plan import is_current
from rollscope.index.refresh import IndexProgress, Wanted
from rollscope.query.answers import Progress
from rollscope.storage.fingerprint import now_ns
from rollscope.storage.store import Store

if TYPE_CHECKING:
    from rollscope.query.run import Run

#: A run asked twice within this is looked at once: one request of the page makes several of these.
FRESH_SECONDS = 0.2
#: What indexing surely reads in a second on a busy machine. With more than that left there is no sense in waiting.
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
        self._again = False
        #: Why the last look at the files failed, or "".
        self.failure = ""

    def now(self, only: Wanted | None = None, report: Callable[[Progress], None] | None = None) -> bool:
        """Index what is new, and return when it is done."""
        callback = (lambda progress: report(self.progress(progress))) if report is not None else None
        try:
            found = self.index.refresh(only=only, on_progress=callback)
        except Exception as error:
            self.failure = str(error) if isinstance(error, RollscopeError) else f"{type(error).__name__}: {error}"
            raise
        self.failure = ""
        if only is None:
            self.looked()
        return found

    def soon(self) -> None:
        """Start indexing in the background unless it is under way; then it is done once more."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                self._again = True
                return
            self._thread = threading.Thread(target=self._work, name="rollscope-refresh", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while True:
            self._again = False
            try:
                with _turns:
                    self.now()
            except Exception:  # noqa: BLE001  # kept in `failure`; a reader keeps the last good state
                return
            if not self._again:
                return

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def looked(self) -> None:
        self._looked = time.monotonic()

    def stale(self) -> bool:
        return time.monotonic() - self._looked > FRESH_SECONDS

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


def holds(split: str | None, step: int | None) -> Wanted:
    """Sources that may hold samples of this split and step, by what their names say."""

    def wanted(source: Source) -> bool:
        if step is not None and source.step is not None and source.step != step:
            return False
        if split is None or source.split is None or source.split == split:
            return True
        return split.startswith("eval/") and source.split.startswith("eval/")

    return wanted


def changed(index: Index) -> bool:
    """Does any file differ from what is indexed: new, grown, rewritten, gone? Costs a listing and one stat a file."""
    store = index.store.fresh()
    sources = index.sources(store)
    entries = index.snapshot.manifest.files
    # All of a source and not only its path: what lies beside a file and belongs to it may have changed.
    if sources != [entry.source for entry in entries]:
        return True
    return any(differs(entry, store) for entry in entries)


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
    ``seconds``. Asking starts the reading; an answer that is not complete says so itself. ``is_enough``: answers that are
    worth having before all is read; they are waited for however much is left to read."""
    version = run.version
    answer: AnswerT | None = None
    try:
        answer = ask()
        if (run.version == version and run.progress().done) or (is_enough is not None and is_enough(answer)):
            return answer
    except NotFoundError:
        # What is asked for may lie in a file that has not been read.
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
    """False when it is not within ``seconds``, or clearly will not be."""
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
