"""The engine of one machine: child processes that take tasks over a pipe.

Not `multiprocessing`: its fork is unsafe beside threads, its spawn runs the user's script again. A worker ends when its
pipe does, so a killed parent leaves none behind.
"""

from __future__ import annotations

import atexit
import os
import struct
import sys
import threading
import weakref
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from rollscope.index.engines.base import Task, TaskFailed, WorkerDied

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_HEADER = struct.Struct("<BQ")
_OK, _FAILED = 0, 1
#: More workers than this gain nothing: beyond it the disk is the limit.
MAX_WORKERS = 8


class _Worker:
    """One child process, used by one thread at a time."""

    def __init__(self, *modules: str) -> None:
        """`modules` are imported before the first task comes."""
        import subprocess  # most commands start none

        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from rollscope.index.engines.local import serve; serve()", *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,  # a buffer has a lock, which a fork may find locked for ever
            env=environment,
            start_new_session=True,  # a Ctrl-C in the terminal is the parent's to handle
        )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        self._stdin, self._stdout = stdin, stdout

    def call(self, task: Task) -> bytes:
        try:
            _send(self._stdin.fileno(), _OK, task.function.encode() + b"\0" + task.payload)
            code, answer = _receive(self._stdout.fileno())
        except (OSError, EOFError):
            raise WorkerDied(f"a worker ended with code {self._process.wait()}") from None
        if code == _FAILED:
            raise TaskFailed(answer.decode())
        return answer

    def close(self) -> None:
        self._stdin.close()
        self._stdout.close()
        self._process.terminate()
        self._process.wait()

    def disown(self) -> None:
        """In a forked child: the process is the parent's. Only the copies of its pipes are closed, without which it would
        outlive the parent."""
        self._process.returncode = 0
        with suppress(OSError):
            self._stdin.close()
            self._stdout.close()


class LocalEngine:
    """`count` processes, started when first needed and kept. After a fork the child starts its own."""

    remote = False

    def __init__(self, count: int | None = None) -> None:
        self._count = count or max(1, min(MAX_WORKERS, _cores()))
        self._threads: ThreadPoolExecutor | None = None
        self._workers: list[_Worker] = []
        #: Started ahead, not used yet.
        self._idle: list[_Worker] = []
        self._start_anew()
        _engines.add(self)

    @property
    def count(self) -> int:
        return self._count

    def check(self, task: Task) -> None:
        """Nothing to check: workers are started by this process and have what it has."""

    def start(self, *modules: str) -> None:
        """Start the workers now, for tasks that will come soon, and let them import these modules meanwhile."""
        with self._lock:
            missing = self._count - len(self._workers)
            started = [_Worker(*modules) for _ in range(missing)]
            self._workers += started
            self._idle += started

    def submit(self, task: Task) -> Future[bytes]:
        with self._lock:
            if self._threads is None:
                from concurrent.futures import ThreadPoolExecutor

                self._threads = ThreadPoolExecutor(self._count, thread_name_prefix="rollscope-worker")
            return self._threads.submit(self._call, task)

    def _call(self, task: Task) -> bytes:
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            worker = self._own.worker = self._take_worker()
        try:
            return worker.call(task)
        except WorkerDied:
            with suppress(ValueError):  # close() was quicker
                self._workers.remove(worker)
            worker.close()
            self._own.worker = None
            raise

    def _take_worker(self) -> _Worker:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        worker = _Worker()
        self._workers.append(worker)
        return worker

    def close(self) -> None:
        with self._lock:
            threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.close()
        self._workers.clear()
        self._idle.clear()

    def _start_anew(self) -> None:
        self._lock = threading.Lock()
        self._own = threading.local()
        self._threads = None
        self._workers = []
        self._idle = []

    def after_fork(self) -> None:
        """In the child, which has the parent's objects but none of its threads."""
        for worker in self._workers:
            worker.disown()
        self._start_anew()


_engines: weakref.WeakSet[LocalEngine] = weakref.WeakSet()


def _after_fork() -> None:
    for engine in list(_engines):
        engine.after_fork()


def _at_exit() -> None:
    for engine in list(_engines):
        engine.close()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_at_exit)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _send(pipe: int, code: int, body: bytes) -> None:
    _write(pipe, _HEADER.pack(code, len(body)))
    _write(pipe, body)


def _write(pipe: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(pipe, view) :]


def _receive(pipe: int) -> tuple[int, bytes]:
    code, length = _HEADER.unpack(_read(pipe, _HEADER.size))
    return code, _read(pipe, length)


def _read(pipe: int, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        piece = os.read(pipe, min(length - len(data), 1 << 20))
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)


def serve() -> None:
    """The child's loop. What it prints goes to stderr: stdout is the pipe."""
    from rollscope.startup import without_pandas
    from rollscope.storage.local import allow_mapping

    without_pandas()
    allow_mapping()
    for module in sys.argv[1:]:
        import_module(module)
    requests = sys.stdin.fileno()
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        try:
            _, body = _receive(requests)
        except EOFError:
            return
        function, _, payload = body.partition(b"\0")
        try:
            answer = Task(function.decode(), payload).run()
        except Exception as error:  # noqa: BLE001  # it travels to the caller
            _send(answers, _FAILED, f"{type(error).__name__}: {error}".encode("utf-8", "replace"))
        else:
            _send(answers, _OK, answer)
