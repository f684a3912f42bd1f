"""Background work: the newest job counts, outcomes come back where they are asked for, errors are values."""

from __future__ import annotations

import queue
import threading

from textual.message import Message
from textual.message_pump import MessagePump

from rollscope.tui.session.background_jobs import Finished, JobThread


class Pump(MessagePump):
    """Takes messages as an app does, and hands them to the test."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: queue.Queue[Message] = queue.Queue()

    def post_message(self, message: Message) -> bool:
        self.taken.put(message)
        return True

    def deliver_one(self) -> None:
        message = self.taken.get(timeout=60)
        assert isinstance(message, Finished)
        message.deliver()


def test_the_outcome_is_taken_on_the_thread_that_delivers_it() -> None:
    pump = Pump()
    thread = JobThread("test", pump)
    taken: list[tuple[int, str]] = []
    thread.submit(lambda: 42, lambda value: taken.append((value, threading.current_thread().name)), raise_it)
    pump.deliver_one()
    assert taken == [(42, threading.current_thread().name)]
    assert thread.idle


def test_a_newer_job_takes_the_place_of_one_that_waits_and_silences_one_that_runs() -> None:
    pump = Pump()
    thread = JobThread("test", pump)
    begun, gate, stop = threading.Event(), threading.Event(), threading.Event()
    taken: list[str] = []

    def slow() -> str:
        begun.set()
        gate.wait(60)
        return "slow"

    thread.submit(slow, taken.append, raise_it, cancel=stop)
    begun.wait(60)
    thread.submit(lambda: "skipped", taken.append, raise_it)
    thread.submit(lambda: "newest", taken.append, raise_it)
    assert stop.is_set(), "work that can stop is told to"
    assert not thread.idle
    gate.set()
    pump.deliver_one()
    pump.deliver_one()
    assert taken == ["newest"]
    assert thread.idle


def test_an_error_is_delivered_and_the_thread_goes_on() -> None:
    pump = Pump()
    thread = JobThread("test", pump)
    problems: list[Exception] = []
    taken: list[int] = []
    thread.submit(lambda: 1 // 0, taken.append, problems.append)
    pump.deliver_one()
    assert [type(problem) for problem in problems] == [ZeroDivisionError]
    thread.submit(lambda: 7, taken.append, raise_it)
    pump.deliver_one()
    assert taken == [7]


def test_a_cancelled_job_is_heard_of_no_more() -> None:
    pump = Pump()
    thread = JobThread("test", pump)
    taken: list[int] = []
    thread.submit(lambda: 1, taken.append, raise_it)
    message = pump.taken.get(timeout=60)
    thread.cancel()
    assert isinstance(message, Finished)
    message.deliver()
    assert taken == []


def raise_it(error: Exception) -> None:
    raise error
