"""Following runs that are still being written: noticing which of a library's runs changed, and their state now."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from typing import TYPE_CHECKING

from msgspec import Struct

from rollscope.errors import RollscopeError
from rollscope.query.answers import Progress, SplitInfo

if TYPE_CHECKING:
    from rollscope.query.library import Library
    from rollscope.query.run import Run

log = logging.getLogger("rollscope")

#: A run that was not asked about for this long is checked only when the filesystem reports a change.
FORGET_SECONDS = 900.0


class RunChange(Struct, kw_only=True):
    """The state of a run, sent when it changes."""

    run: str
    version: int
    state: str
    splits: list[SplitInfo]
    progress: Progress


class Changes(Struct, kw_only=True):
    """What a check of all runs found."""

    runs: list[RunChange]
    #: Runs appeared or disappeared.
    library: bool = False
    #: Some run is still being read: the next check should come soon.
    busy: bool = False


class Follower:
    """Notices what changed in a library's runs. Each front door has one; :meth:`look` is called by one
    thread at a time."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._asked: dict[str, float] = {}
        self._last_changes: dict[str, RunChange] = {}
        self._failing: set[str] = set()
        #: The file system reports which files are written.
        self.by_file_system = False

    def asked_about(self, run: str) -> None:
        """A question was asked about this run: follow it. May be called from any thread."""
        self._asked[run] = time.monotonic()

    def look(self, paths: Collection[str] = (), *, refresh: bool = True, find_runs: bool = True) -> Changes:
        """What is new since the last call. ``paths`` are known to have changed; with ``refresh`` all files of the runs
        that were asked about are checked too, with ``find_runs`` also the folders that may hold new runs."""
        runs = self.library.runs()
        elsewhere = any(not any(_is_below(path, run.root) for run in runs) for path in paths)
        changes = Changes(runs=[])
        if (elsewhere or find_runs) and self.library.rescan():
            runs = self.library.runs()
            changes.library = True
        now = time.monotonic()
        for run in runs:
            written = {path for path in paths if _is_below(path, run.root)}
            if written:
                self.asked_about(run.id)
            if now - self._asked.get(run.id, -FORGET_SECONDS) >= FORGET_SECONDS:
                continue
            change = self._look_at(run, written, refresh=refresh)
            if change is None:
                continue
            changes.busy = changes.busy or not change.progress.done
            if change != self._last_changes.get(run.id):
                self._last_changes[run.id] = change
                changes.runs.append(change)
        return changes

    def _look_at(self, run: Run, written: Collection[str], *, refresh: bool) -> RunChange | None:
        try:
            run.watched(self.by_file_system)
            if refresh:
                run.refresh(wait=False)
            elif written:
                run.refresh(wait=False, paths=[path[len(run.root) :].strip("/") for path in written])
            # The version is read first: whatever changes while the rest is collected has a newer one, and is sent again.
            version = run.version
            info = run.info(wait=False, look=run.id not in self._last_changes)
        except (RollscopeError, OSError) as error:
            # A run that cannot be read (its disk is gone, say) must not keep the others from being reported.
            if run.id not in self._failing:
                log.warning("%s cannot be followed: %s", run.name, error)
            self._failing.add(run.id)
            return None
        self._failing.discard(run.id)
        progress = info.progress or run.progress()
        return RunChange(run=run.id, version=version, state=info.state, splits=info.splits, progress=progress)


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
