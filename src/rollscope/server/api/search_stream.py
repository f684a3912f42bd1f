"""One search: a thread looks, the event loop sends what it has found so far."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor
from typing import Literal

from rollscope.query.answers import Hit
from rollscope.query.search.hit_counts import HitCounts
from rollscope.server.http.encoding import json_body
from rollscope.server.http.errors import problem_for
from rollscope.server.http.streams import Stream
from rollscope.server.schema.answers import HitsOfSteps, SearchEnd

log = logging.getLogger("rollscope.server")

#: Hits found but not yet sent. A slow client holds the search back instead of filling memory.
AHEAD = 256
#: How long a search may look before its answer begins.
FIRST_LINE_SECONDS = 5.0

Find = Callable[[threading.Event], Iterator[Hit]]
StreamLine = bytes | Exception | None


class SearchStream:
    """Whichever ends first (client gone, limit, time, server stopping) sets ``cancel``, and the rest follows."""

    def __init__(self, find: Find, *, limit: int, counting: bool, seconds: float, stopping: threading.Event) -> None:
        self.find = find
        self.limit = limit
        #: Whether hits beyond the limit are counted; they are not sent.
        self.counting = counting
        self.counts = HitCounts()
        self.seconds = seconds
        self.stopping = stopping
        self.cancel = threading.Event()
        self.timed_out = False
        self.started = time.monotonic()
        self.loop = asyncio.get_running_loop()
        self.lines: asyncio.Queue[StreamLine] = asyncio.Queue()
        self.room = threading.Semaphore(AHEAD)

    async def stream(self, executor: Executor) -> Stream:
        """Start, and give the stream when its first line is there, so that a pattern that does not parse is an error;
        or after a while, so that a client that goes away meanwhile is noticed."""
        timer = self.loop.call_later(self.seconds, self.expire)
        executor.submit(self.look)
        try:
            first = await asyncio.wait_for(self.lines.get(), FIRST_LINE_SECONDS)
        except TimeoutError:
            return Stream(self.send([], timer), "application/x-ndjson")
        except asyncio.CancelledError:
            timer.cancel()
            self.cancel.set()
            raise
        if isinstance(first, Exception):
            timer.cancel()
            raise first
        return Stream(self.send([first], timer), "application/x-ndjson")

    async def send(self, found: list[StreamLine], timer: asyncio.TimerHandle) -> AsyncIterator[bytes]:
        try:
            while (line := found.pop() if found else await self.lines.get()) is not None:
                self.room.release()
                yield self.failure(line) if isinstance(line, Exception) else line
        finally:
            timer.cancel()
            self.cancel.set()

    def expire(self) -> None:
        self.timed_out = True
        self.cancel.set()

    def look(self) -> None:
        """Runs in a thread."""
        try:
            for hit in self.find(self.cancel):
                if self.counts.hits < self.limit and not self.has_room():
                    break
                self.counts.add(hit)
                if self.counts.hits <= self.limit:
                    self.put(json_body(hit) + b"\n")
            self.put(json_body(self.end()) + b"\n")
        except Exception as error:  # noqa: BLE001  # told to the client, whatever it is
            self.put(error)
        self.put(None)

    def has_room(self) -> bool:
        while not self.room.acquire(timeout=0.1):
            if self.cancel.is_set() or self.stopping.is_set():
                return False
        return not (self.cancel.is_set() or self.stopping.is_set())

    def put(self, line: StreamLine) -> None:
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.lines.put_nowait, line)

    def end(self) -> SearchEnd:
        if self.timed_out:
            return self.ended("time", self.seconds, f"stopped after {self.seconds:g} s: there may be more")
        if self.stopping.is_set():
            return self.ended("error", None, "the server was stopped")
        if self.counting and self.counts.hits > self.limit:
            detail = f"the first {self.limit:,} of {self.counts.hits:,} hits were sent"
            return self.ended("limit", self.limit, detail, complete=True)
        if self.counts.hits >= self.limit and not self.counting:
            return self.ended("limit", self.limit, f"stopped at {self.limit:,} hits: there may be more")
        return self.ended("complete", None, "", complete=True)

    def failure(self, error: Exception) -> bytes:
        problem = problem_for(error)
        if problem.status == 500:
            log.error("a search failed", exc_info=error)
        return json_body(self.ended("error", None, f"{problem.detail}. {problem.hint}".strip())) + b"\n"

    def ended(
        self,
        reason: Literal["complete", "limit", "time", "error"],
        limit: float | None,
        detail: str,
        *,
        complete: bool = False,
    ) -> SearchEnd:
        seconds = round(time.monotonic() - self.started, 3)
        sent = min(self.counts.hits, self.limit)
        counts = self.counted(complete) if self.counting else None
        return SearchEnd(
            done=True, hits=sent, seconds=seconds, reason=reason, limit=limit, detail=detail, counts=counts
        )

    def counted(self, complete: bool) -> HitsOfSteps:
        by_step = self.counts.by_step()
        return HitsOfSteps(
            hits=self.counts.hits,
            samples=sum(by_step.values()),
            steps=list(by_step),
            step_samples=list(by_step.values()),
            complete=complete,
        )
