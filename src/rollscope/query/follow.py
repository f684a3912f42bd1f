"""Following runs that are still being written: noticing which of a library's runs changed, and how they stand now."""

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

#: A run about which nobody asked for this long is looked at only when the filesystem says so.
FORGET_SECONDS = 900.0


class RunChange(Struct, kw_only=True):
    """How a run stands, sent when that is new."""

    run: str
    version: int
    state: str
    splits: list[SplitInfo]
    progress: Progress


class Changes(Struct, kw_only=True):
    """What a look at all runs found."""

    runs: list[RunChange]
    #: Runs appeared or went.
    library: bool = False
    #: Some run is still being read: the next look should come soon.
    busy: bool = False


class Follower:
    """Notices what changed in a library's runs. Each front door has one; :meth:`look` is called by one
    thread at a time."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._asked: dict[str, float] = {}
        self._last_changes: dict[str, RunChange] = {}
        self._failing: set[str] = set()

    def asked_about(self, run: str) -> None:
        """Somebody asked about this run: keep an eye on it. May be called from any thread."""
        self._asked[run] = time.monotonic()

    def look(self, paths: Collection[str] = (), *, refresh: bool = True, find_runs: bool = True) -> Changes:
        """What is new since the last look. ``paths`` are known to have changed; with ``refresh`` the files of all runs
        that somebody asked about are looked at too, with ``find_runs`` also the folders that may hold new runs."""
        runs = self.library.runs()
        elsewhere = any(not any(_is_below(path, run.root) for run in runs) for path in paths)
        changes = Changes(runs=[])
        if (elsewhere or find_runs) and self.library.rescan():
            runs = self.library.runs()
            changes.library = True
        now = time.monotonic()
        for run in runs:
            changed = any(_is_below(path, run.root) for path in paths)
            if changed:
                self.asked_about(run.id)
            if now - self._asked.get(run.id, -FORGET_SECONDS) >= FORGET_SECONDS:
                continue
            change = self._look_at(run, refresh=changed or refresh)
            if change is None:
                continue
            changes.busy = changes.busy or not change.progress.done
            if change != self._last_changes.get(run.id):
                self._last_changes[run.id] = change
                changes.runs.append(change)
        return changes

    def _look_at(self, run: Run, *, refresh: bool) -> RunChange | None:
        try:
            if refresh:
                run.refresh(wait=False)
            # The version is read first: whatever changes while the rest is collected has a newer one, and is sent again.
            version = run.version
            info = run.info(wait=False)
        except (RollscopeError, OSError) as error:
            # One run that cannot be read (its disk is gone, say) must not keep the others from being told about.
            if run.id not in self._failing:
                log.warning("%s cannot be followed: %s", run.name, error)
            self._failing.add(run.id)
            return None
        self._failing.discard(run.id)
        progress = info.progress or run.progress()
        return RunChange(run=run.id, version=version, state=info.state, splits=info.splits, progress=progress)


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
