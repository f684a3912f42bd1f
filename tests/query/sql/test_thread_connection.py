"""One kept connection, closed before the process forks."""

from __future__ import annotations

import threading
from typing import Any, cast

from rollscope.query.sql import thread_connection
from rollscope.query.sql.thread_connection import ThreadConnection


class Closable:
    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


def kept() -> tuple[ThreadConnection, list[Closable]]:
    made: list[Closable] = []

    def connect() -> Any:
        made.append(Closable())
        return made[-1]

    return ThreadConnection(connect), made


def test_it_is_made_at_first_use_and_once() -> None:
    connection, made = kept()
    assert made == []
    with connection.use() as first:
        pass
    with connection.use() as second:
        assert cast("Any", second) is first is made[0]


def test_an_idle_one_is_closed_before_a_fork_and_made_anew_after_it() -> None:
    connection, made = kept()
    with connection.use():
        pass
    thread_connection._before_fork()
    assert made[0].closed
    assert not connection._used.acquire(blocking=False), "nobody makes one while the process forks"
    thread_connection._after_fork()
    with connection.use():
        assert len(made) == 2


def test_one_that_is_in_use_is_left_alone() -> None:
    connection, made = kept()
    entered, leave = threading.Event(), threading.Event()

    def work() -> None:
        with connection.use():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=work)
    thread.start()
    entered.wait(10)
    thread_connection._before_fork()
    thread_connection._after_fork()
    assert not made[0].closed
    leave.set()
    thread.join()
    with connection.use():
        assert len(made) == 1
