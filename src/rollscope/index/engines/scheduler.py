"""Runs many tasks on an engine and yields their results: in order, urgent ones first, and repeats those that failed.

Scanning and searching differ in what must stay in order. A scan's results may come in any order except within one file,
because a sample's number counts those before it; a search's are shown in the order of the samples. Both are expressed
by `ordered_with`: results of jobs that share a key of it are yielded in the order in which the jobs were given.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct

from rollscope.index.engines.base import Engine, Task, TaskFailed, WorkerDied

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")
#: How often a scheduler that waits for workers checks whether it was cancelled.
CANCEL_SECONDS = 0.1


class Job(Struct, Generic[Item, Result], eq=False):
    """One task: how to send it, to read its answer, and to do the same in this process."""

    #: The caller's own object, returned with the result.
    item: Item
    task: Callable[[], Task]
    decode: Callable[[bytes], Result]
    here: Callable[[], Result]
    #: Bytes to be read: the unit of progress.
    size: int = 0
    #: Results of jobs that share one of these are yielded in the order in which the jobs were given.
    ordered_with: frozenset[Hashable] = frozenset([None])


class Schedule(Generic[Item, Result]):
    """One pass over some jobs. `engine` None: all in this process, for work that is done before a worker would have
    started."""

    def __init__(
        self,
        jobs: Iterable[Job[Item, Result]],
        engine: Engine | None,
        *,
        first: Callable[[Item], bool] | None = None,
        cancel: threading.Event | None = None,
    ) -> None:
        """`first`: jobs for which it is true are started before the others; its answers may change at any time.
        `cancel`: once set, nothing more is started or yielded."""
        self.bytes_done = 0
        self._engine = engine
        self._first = first
        self._cancel = cancel
        self._running: dict[Future[bytes], Job[Item, Result]] = {}
        self._ready: dict[int, Result] = {}
        #: Lane -> the jobs of it that are not handed on yet.
        self._order: dict[Hashable, deque[Job[Item, Result]]] = {}
        self._waiting: deque[Job[Item, Result]] = deque()
        self._jobs = iter(jobs)
        if first is not None:  # to choose one, all must be known
            for job in self._jobs:
                self._waiting.append(job)
                self._line_up(job)

    def results(self) -> Generator[tuple[Item, Result], None, None]:
        """Each job's item with its result, as soon as those before it in its lanes have been yielded."""
        try:
            for job, result in self._in_workers(self._engine) if self._engine is not None else self._in_place():
                if self._cancelled():
                    return
                self.bytes_done += job.size
                yield job.item, result
        finally:
            for future in self._running:
                future.cancel()

    def _in_place(self) -> Iterator[tuple[Job[Item, Result], Result]]:
        """Each in its turn: the order is that of starting, so a job that others must wait for is started before them."""
        while (job := self._next()) is not None and not self._cancelled():
            self._ready[id(job)] = job.here()
            yield from self._hand_on(job)

    def _in_workers(self, engine: Engine) -> Iterator[tuple[Job[Item, Result], Result]]:
        from concurrent.futures import FIRST_COMPLETED, wait  # with `logging`, for those who have work for others

        while not self._cancelled():
            while self._has_room(engine) and (job := self._next()) is not None:
                self._running[engine.submit(job.task())] = job
            if not self._running:
                return
            timeout = CANCEL_SECONDS if self._cancel is not None else None
            finished, _ = wait(self._running, timeout, return_when=FIRST_COMPLETED)
            for future in finished:
                job = self._running.pop(future)
                self._ready[id(job)] = _result(future, job)
                yield from self._hand_on(job)

    def _has_room(self, engine: Engine) -> bool:
        """One task more than workers, so that no worker waits for us; and few results that cannot be yielded yet."""
        running = len(self._running)
        return running == 0 or (running <= engine.count and len(self._ready) <= 4 * engine.count)

    def _next(self) -> Job[Item, Result] | None:
        job: Job[Item, Result] | None
        if self._first is not None:
            for job in self._waiting:
                if self._first(job.item):
                    self._waiting.remove(job)
                    return job
        if self._waiting:
            return self._waiting.popleft()
        job = next(self._jobs, None)
        if job is not None:
            self._line_up(job)
        return job

    def _line_up(self, job: Job[Item, Result]) -> None:
        for key in job.ordered_with:
            self._order.setdefault(key, deque()).append(job)

    def _hand_on(self, finished: Job[Item, Result]) -> Iterator[tuple[Job[Item, Result], Result]]:
        queue = [finished]
        while queue:
            job = queue.pop()
            if id(job) not in self._ready or any(self._order[key][0] is not job for key in job.ordered_with):
                continue
            yield job, self._ready.pop(id(job))
            for key in job.ordered_with:
                self._order[key].popleft()
                if self._order[key]:
                    queue.append(self._order[key][0])
                else:
                    del self._order[key]

    def _cancelled(self) -> bool:
        return self._cancel is not None and self._cancel.is_set()


def _result(future: Future[bytes], job: Job[Item, Result]) -> Result:
    try:
        return job.decode(future.result())
    except (WorkerDied, TaskFailed):
        # Killed (a mapped file cut short) or failed: here nothing is mapped, and a failure is reported in full.
        return job.here()
