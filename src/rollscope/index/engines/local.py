"""Other processes that do work for this one: scanning and searching on all cores.

Plain child processes that take tasks over a pipe. Not `multiprocessing`: its fork is unsafe beside threads, its spawn runs
the user's script again. A worker ends when its pipe does, so a killed parent leaves none behind.
"""

from __future__ import annotations

import atexit
import os
import struct
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from typing import IO

_LENGTH = struct.Struct("<BQ")
_OK, _FAILED = 0, 1


class WorkerDied(Exception):  # noqa: N818  # caught by callers, who repeat the task in their own process
    """The process was killed: out of memory, or a file it had mapped was cut short."""


class TaskFailed(Exception):  # noqa: N818  # carries the worker's own message
    """The function raised; the message is its error."""


class _Worker:
    """One child process, used by one thread at a time."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from rollscope.index.engines.local import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # a Ctrl-C in the terminal is the parent's to handle
        )

    def call(self, function: str, payload: bytes) -> bytes:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            _send(stdin, 0, function.encode() + b"\0" + payload)
            code, answer = _receive(stdout)
        except (OSError, EOFError):
            raise WorkerDied(f"a worker ended with code {self._process.wait()}") from None
        if code == _FAILED:
            raise TaskFailed(answer.decode())
        return answer

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.terminate()
        self._process.wait()


class WorkerPool:
    """`count` processes, started when first needed and kept warm."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._threads = ThreadPoolExecutor(max_workers=count, thread_name_prefix="rollscope-worker")
        self._local = threading.local()
        self._workers: list[_Worker] = []

    def submit(self, function: str, payload: bytes) -> Future[bytes]:
        """Call `module:function(bytes) -> bytes` in a worker. The future raises WorkerDied or TaskFailed."""
        return self._threads.submit(self._call, function, payload)

    def _call(self, function: str, payload: bytes) -> bytes:
        worker: _Worker | None = getattr(self._local, "worker", None)
        if worker is None:
            worker = self._local.worker = _Worker()
            self._workers.append(worker)
        try:
            return worker.call(function, payload)
        except WorkerDied:
            self._workers.remove(worker)
            worker.close()
            self._local.worker = None
            raise

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.close()
        self._workers.clear()


_pool: WorkerPool | None = None
_pool_lock = threading.Lock()


def shared_pool() -> WorkerPool:
    """One pool a process, as many workers as cores (at most 8: beyond that the disk is the limit)."""
    global _pool  # noqa: PLW0603  # processes are a resource of the process
    with _pool_lock:
        if _pool is None:
            _pool = WorkerPool(
                max(
                    1, min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
                )
            )
            atexit.register(_pool.close)
        return _pool


def _send(pipe: IO[bytes], code: int, body: bytes) -> None:
    pipe.write(_LENGTH.pack(code, len(body)) + body)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> tuple[int, bytes]:
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        raise EOFError
    code, length = _LENGTH.unpack(header)
    body = pipe.read(length)
    if len(body) < length:
        raise EOFError
    return code, body


def serve() -> None:
    """The child's loop. What it prints goes to stderr: stdout is the pipe."""
    from rollscope.startup import without_pandas
    from rollscope.storage.local import allow_mapping

    without_pandas()
    allow_mapping()
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        try:
            _, body = _receive(requests)
        except EOFError:
            return
        name, _, payload = body.partition(b"\0")
        module, _, function = name.decode().partition(":")
        try:
            answer = getattr(import_module(module), function)(payload)
        except Exception as error:  # noqa: BLE001  # it travels to the caller
            _send(answers, _FAILED, f"{type(error).__name__}: {error}".encode("utf-8", "replace"))
        else:
            _send(answers, _OK, answer)
