"""The scheduler: jobs that are in order with each other, the wanted first, each failed job again, cancelled when asked."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future

import hypothesis
import hypothesis.strategies as st
import pytest

from rollscope.index.engines.base import Task, TaskFailed, WorkerDied
from rollscope.index.engines.local import LocalEngine
from rollscope.index.engines.scheduler import Job, Schedule


class InAnyOrder:
    """An engine whose tasks finish in an order that the test draws, by a thread of its own."""

    remote = False
    count = 3

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._lock = threading.Lock()
        self._running: list[tuple[Future[bytes], bytes]] = []

    def submit(self, task: Task) -> Future[bytes]:
        future: Future[bytes] = Future()
        self._running.append((future, task.payload))
        if len(self._running) > self.count or self._chance.random() < 0.5:
            self._finish(1)
        else:  # nobody else will: it is the last one, or the scheduler waits for results it cannot hand on
            threading.Timer(0.002, self._finish, [len(self._running)]).start()
        return future

    def _finish(self, count: int) -> None:
        for _ in range(count):
            with self._lock:
                if not self._running:
                    return
                future, payload = self._running.pop(self._chance.randrange(len(self._running)))
            future.set_result(payload)

    def check(self, task: Task) -> None:
        """Always ready."""

    def start(self, *modules: str) -> None:
        """Nothing to start."""

    def close(self) -> None:
        """Nothing to close."""


class AtOnce:
    """An engine that finishes, or fails, each task as it comes."""

    remote = False
    count = 3

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error
        self.started: list[str] = []

    def submit(self, task: Task) -> Future[bytes]:
        future: Future[bytes] = Future()
        self.started.append(task.payload.decode())
        if self._error is not None:
            future.set_exception(self._error)
        else:
            future.set_result(task.payload)
        return future

    def check(self, task: Task) -> None:
        """Always ready."""

    def start(self, *modules: str) -> None:
        """Nothing to start."""

    def close(self) -> None:
        """Nothing to close."""


class Never(AtOnce):
    """An engine that never finishes anything; it calls `then` when it is given a task."""

    def __init__(self, then: Callable[[], None]) -> None:
        super().__init__()
        self._then = then

    def submit(self, task: Task) -> Future[bytes]:
        self._then()
        return Future()


def job(name: str, *keys: str, here: Callable[[], str] | None = None) -> Job[str, str]:
    return Job(
        name,
        task=lambda: Task("nowhere:at_all", name.encode()),
        decode=bytes.decode,
        here=here or (lambda: f"{name} here"),
        size=10,
        ordered_with=frozenset(keys) or frozenset([None]),
    )


def names_of(schedule: Schedule[str, str]) -> list[str]:
    return [name for name, _ in schedule.results()]


@hypothesis.given(st.integers(), st.lists(st.sets(st.sampled_from("abcd"), min_size=1)))
def test_jobs_that_are_ordered_with_each_other_are_handed_on_in_their_order(seed: int, keys: list[set[str]]) -> None:
    """Whichever finishes first, and whichever the caller wants first."""
    chance = random.Random(seed)
    jobs = [job(str(number), *keys_of) for number, keys_of in enumerate(keys)]
    wanted = {name for name in map(str, range(len(jobs))) if chance.random() < 0.3}
    engine = InAnyOrder(chance)
    handed = names_of(Schedule(jobs, engine, first=lambda name: name in wanted))
    assert sorted(handed) == sorted(map(str, range(len(jobs))))
    for key in "abcd":
        of_key = [number for number, keys_of in enumerate(keys) if key in keys_of]
        assert [int(name) for name in handed if int(name) in of_key] == of_key


def test_wanted_jobs_start_first_also_when_the_wish_comes_late() -> None:
    wanted: set[str] = {"e"}
    engine = AtOnce()
    schedule = Schedule([job(name, name) for name in "abcdefgh"], engine, first=lambda name: name in wanted)
    results = schedule.results()
    next(results)
    assert engine.started[0] == "e"
    before = len(engine.started)
    wanted.add("h")
    list(results)
    assert engine.started[before] == "h"


def test_jobs_are_asked_for_as_they_are_needed() -> None:
    """A search over 100,000 files must not make all its tasks before the first one is sent."""
    made: list[str] = []

    def jobs() -> Iterator[Job[str, str]]:
        for number in range(1000):
            made.append(str(number))
            yield job(str(number))

    results = Schedule(jobs(), AtOnce()).results()
    next(results)
    assert len(made) < 20
    results.close()
    assert len(made) < 20


@pytest.mark.parametrize("error", [WorkerDied("killed"), TaskFailed("ValueError: no")])
def test_a_job_that_failed_elsewhere_is_done_here(error: Exception) -> None:
    assert list(Schedule([job("a"), job("b")], AtOnce(error)).results()) == [("a", "a here"), ("b", "b here")]


def test_a_job_that_fails_here_too_ends_the_schedule() -> None:
    def fails() -> str:
        raise ValueError("really")

    with pytest.raises(ValueError, match="really"):
        list(Schedule([job("a", here=fails)], AtOnce(TaskFailed("x"))).results())


def test_without_an_engine_everything_is_done_here_in_order() -> None:
    schedule = Schedule([job(name) for name in "abc"], None)
    assert list(schedule.results()) == [("a", "a here"), ("b", "b here"), ("c", "c here")]
    assert schedule.bytes_done == 30


@pytest.mark.parametrize("engine", [None, AtOnce()])
def test_once_cancelled_nothing_more_is_handed_on(engine: AtOnce | None) -> None:
    cancel = threading.Event()
    results = Schedule([job(name) for name in "abcdef"], engine, cancel=cancel).results()
    next(results)
    cancel.set()
    assert list(results) == []


def test_a_schedule_that_waits_for_workers_can_be_cancelled() -> None:
    cancel = threading.Event()
    assert list(Schedule([job("a")], Never(cancel.set), cancel=cancel).results()) == []


def test_real_processes_hand_on_in_order() -> None:
    engine = LocalEngine(2)
    jobs = [
        Job(
            number,
            task=lambda number=number: Task("zlib:compress", b"x" * (100_000 - number)),  # type: ignore[misc]
            decode=len,
            here=lambda: -1,
        )
        for number in range(40)
    ]
    try:
        found = list(Schedule(jobs, engine).results())
    finally:
        engine.close()
    assert [number for number, _ in found] == list(range(40))
    assert all(size > 0 for _, size in found)
