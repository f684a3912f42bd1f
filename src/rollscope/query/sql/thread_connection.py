"""One kept DuckDB connection a thread, closed before the process forks.

A connection has threads of its own, which a fork does not copy: a child that uses or closes its parent's connection
crashes or waits for ever. So idle ones are closed before the fork, and opened again when they are next needed.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


class ThreadConnection:
    """Made at first use: making one costs more than a query over one step."""

    def __init__(self, connect: Callable[[], duckdb.DuckDBPyConnection]) -> None:
        self._connect = connect
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._used = threading.Lock()
        _all.add(self)

    @contextmanager
    def use(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._used:
            if self._connection is None:
                self._connection = self._connect()
            yield self._connection

    def close_if_idle(self) -> bool:
        """Before a fork. The lock stays taken until it is over: False when another thread has it."""
        if not self._used.acquire(blocking=False):
            return False
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        return True

    def forked(self) -> None:
        self._used.release()


_all: weakref.WeakSet[ThreadConnection] = weakref.WeakSet()
_closed: list[ThreadConnection] = []


def _before_fork() -> None:
    _closed[:] = [connection for connection in list(_all) if connection.close_if_idle()]


def _after_fork() -> None:
    for connection in _closed:
        connection.forked()
    _closed.clear()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
