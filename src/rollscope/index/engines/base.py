"""The protocol of engines: an engine runs self-contained tasks elsewhere and returns their results.

A task names a function that takes bytes and returns bytes, so that it can run in any process of any machine that has
Rollscope installed. Order, retries and progress are the scheduler's (`rollscope.index.engines.scheduler`), not the engine's.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from concurrent.futures import Future


class Task(Struct, frozen=True):
    """A call of `module:function(payload)`."""

    function: str
    payload: bytes

    def run(self) -> bytes:
        """In this process."""
        module, _, name = self.function.partition(":")
        answer: bytes = getattr(import_module(module), name)(self.payload)
        return answer


class WorkerDied(Exception):  # noqa: N818  # caught by the scheduler, which repeats the task in its own process
    """The process was killed: out of memory, or a file it had mapped was cut short."""


class TaskFailed(Exception):  # noqa: N818  # carries the worker's own message
    """The function raised; the message is its error."""


class Engine(Protocol):
    """Runs tasks. May be used from any thread."""

    #: Its workers see no folder of this machine, so they return what they make.
    remote: bool

    @property
    def count(self) -> int:
        """How many tasks it can run at the same time."""
        ...

    def submit(self, task: Task) -> Future[bytes]:
        """Run a task. The future raises WorkerDied or TaskFailed."""
        ...

    def check(self, task: Task) -> None:
        """Run a task on every node before others run there. If it returns a text, that says why tasks cannot run: a
        UsageError."""
        ...

    def start(self, *modules: str) -> None:
        """Tasks that need these modules will come soon: workers may import them ahead."""
        ...

    def close(self) -> None:
        """End the workers. Tasks that wait are cancelled."""
        ...
