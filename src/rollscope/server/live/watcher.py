"""What grew: one watcher for all runs and all clients.

The filesystem says which files were written (watchfiles), and ``query.follow`` looks at these: what a new file costs does
not grow with the number of files. A timer looks at all of them, one stat per file, since not every filesystem says all: NFS,
Lustre and FUSE mounts do not tell of what other machines write.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from rollscope.query.live.follow import Follower
from rollscope.server.http.streams import Stream
from rollscope.server.live.events import Hub, encode_event
from rollscope.server.options import ServerOptions
from rollscope.server.schema.answers import HelloEvent, RunsEvent

if TYPE_CHECKING:
    from rollscope.query.library import Library

log = logging.getLogger("rollscope.server")

#: News must be on the page within 2 s: the timer, a look at the files and the sending fit into that.
TIMER_SECONDS = 1.0
#: Looking takes at most this share of one core, however many files there are. Where the filesystem tells of changes,
#: the timer is only a safety net.
TIMER_SHARE = {"polling": 0.2, "auto": 0.02, "events": 0.0}
#: While a run is being indexed, its progress is sent this often.
PROGRESS_SECONDS = 0.3
#: Changes this close together are one.
DEBOUNCE_MILLISECONDS = 100


class Live:
    def __init__(self, library: Library, options: ServerOptions, instance: str) -> None:
        self.library = library
        self.watching = options.watching
        self.instance = instance
        self.hub = Hub()
        self.follower = Follower(library)
        self.changed_paths: set[str] = set()
        self.wake = asyncio.Event()
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="live")
        self.tasks: list[asyncio.Task[None]] = []
        self.loop: asyncio.AbstractEventLoop | None = None

    def stream(self) -> Stream:
        versions = {run.id: run.version for run in self.library.runs()}
        return self.hub.stream(encode_event("hello", HelloEvent(instance=self.instance, versions=versions)))

    def start(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.tasks = [asyncio.create_task(self._look_forever())]
        if self.watching != "polling":
            self.tasks.append(asyncio.create_task(self._listen_to_filesystem()))

    def look_soon(self) -> None:
        """Somebody changed something through this server. May be called from any thread."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.wake.set)

    async def stop(self) -> None:
        self.hub.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.thread.shutdown(wait=False, cancel_futures=True)

    async def _listen_to_filesystem(self) -> None:
        from watchfiles import awatch

        # A file may be replaced by another of its name; its folder tells of that.
        folders = self.library.local_folders()
        try:
            async for changes in awatch(
                *folders,
                watch_filter=None,
                debounce=DEBOUNCE_MILLISECONDS,
                step=DEBOUNCE_MILLISECONDS // 2,
                ignore_permission_denied=True,
            ):
                self.changed_paths.update(path for _, path in changes)
                self.wake.set()
        except (OSError, RuntimeError) as error:
            # Most often the system's limit of watches: fs.inotify.max_user_watches.
            log.warning("the filesystem cannot be watched (%s); looking at the files on a timer instead", error)
            self.watching = "polling"
            self.wake.set()

    async def _look_forever(self) -> None:
        loop = asyncio.get_running_loop()
        pause = TIMER_SECONDS
        #: When all files are to be looked at, and not only those that the filesystem names.
        due = 0.0
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.wake.wait(), pause)
            self.wake.clear()
            paths, self.changed_paths = self.changed_paths, set()
            share = TIMER_SHARE[self.watching]
            started = time.monotonic()
            everything = share > 0 and started >= due
            try:
                events, busy = await loop.run_in_executor(self.thread, self._look, paths, everything)
            except Exception:
                log.exception("looking for changes failed; trying again")
                pause = 10 * TIMER_SECONDS
                continue
            for subject, event in events:
                self.hub.publish(subject, event)
            now = time.monotonic()
            if everything:
                due = now + max(TIMER_SECONDS, (now - started) / share)
            pause = PROGRESS_SECONDS if busy else max(0.0, due - now) if share else 60.0

    def _look(self, paths: set[str], everything: bool) -> tuple[list[tuple[str, bytes]], bool]:
        """Runs in a thread: what there is to tell, and whether some run is still being read."""
        self.follower.by_file_system = self.watching != "polling"
        changes = self.follower.look(paths, refresh=everything, find_runs=everything and bool(self.hub.listeners))
        events = [(change.run, encode_event("run", change)) for change in changes.runs]
        if changes.library:
            events.insert(0, ("runs", encode_event("runs", RunsEvent(runs=len(self.library.runs())))))
        return events, changes.busy
