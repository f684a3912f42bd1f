"""Servers in their own processes, and a client that costs little: raw sockets, requests made once."""

from __future__ import annotations

import asyncio
import http.client
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import urlsplit

import uvloop


class Running(NamedTuple):
    pid: int
    port: int


@contextmanager
def rollscope(run: Path, index: Path, *flags: str) -> Iterator[Running]:
    """`rollscope view`, as people start it."""
    command = [
        sys.executable,
        "-m",
        "rollscope",
        "view",
        str(run),
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-browser",
    ]
    process = subprocess.Popen(
        [*command, "--index-dir", str(index), *flags], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    try:
        port = urlsplit(process.stdout.readline()).port
        assert port is not None
        yield Running(process.pid, port)
    finally:
        _stop(process)


@contextmanager
def reference(module: str, *arguments: str) -> Iterator[Running]:
    """One of the servers to compare with: ``python -m module ARGUMENTS PORT``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    process = subprocess.Popen([sys.executable, "-m", module, *arguments, str(port)])
    try:
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if process.poll() is not None:
                raise RuntimeError(f"{module} did not start")
            time.sleep(0.05)
        yield Running(process.pid, port)
    finally:
        _stop(process)


def _stop(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


class Load(NamedTuple):
    per_second: float
    median_ms: float
    p95_ms: float


def load(port: int, paths: Sequence[str], *, connections: int = 4, seconds: float = 2.0, pause: float = 0.0) -> Load:
    """Requests per second over some kept-alive connections, each asking the next thing when it has its answer, or so many
    seconds after that."""
    requests = [f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() for path in paths]
    taken = uvloop.run(_load(port, requests, connections, seconds, pause))
    return Load(len(taken) / seconds, statistics.median(taken) * 1e3, statistics.quantiles(taken, n=20)[18] * 1e3)


class Asking(asyncio.Protocol):
    """One connection that asks the next thing when it has its answer. No streams: the client must cost less than the server
    that is measured."""

    def __init__(
        self, requests: Sequence[bytes], place: int, stride: int, end: float, pause: float, taken: list[float]
    ) -> None:
        self.requests, self.place, self.stride, self.end, self.taken = requests, place, stride, end, taken
        self.pause = pause
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.head, self.left, self.start = b"", -1, 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is one by what it does
        self.ask()

    def ask(self) -> None:
        self.start = time.perf_counter()
        if self.start >= self.end:
            self.transport.close()
            return
        self.transport.write(self.requests[self.place % len(self.requests)])
        self.place += self.stride

    def data_received(self, data: bytes) -> None:
        if self.left < 0:
            self.head += data
            head, found, rest = self.head.partition(b"\r\n\r\n")
            if not found:
                return
            if not head.startswith(b"HTTP/1.1 200 "):
                self.done.set_exception(RuntimeError(f"answered {head.decode('latin-1')}"))
                self.transport.abort()
                return
            self.left = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
            self.head, data = b"", rest
        self.left -= len(data)
        if self.left == 0:
            self.left = -1
            self.taken.append(time.perf_counter() - self.start)
            if self.pause:
                asyncio.get_running_loop().call_later(self.pause, self.ask)
            else:
                self.ask()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            if time.perf_counter() < self.end:
                self.done.set_exception(exc or RuntimeError("the server closed the connection"))
            else:
                self.done.set_result(None)


async def _load(port: int, requests: list[bytes], connections: int, seconds: float, pause: float) -> list[float]:
    taken: list[float] = []
    end = time.perf_counter() + seconds
    loop = asyncio.get_running_loop()
    made = [
        await loop.create_connection(
            lambda place=place: Asking(requests, place, connections, end, pause, taken),  # type: ignore[misc]
            "127.0.0.1",
            port,
        )
        for place in range(connections)
    ]
    await asyncio.gather(*(asking.done for _, asking in made))
    return taken


def once(port: int, path: str) -> tuple[float, bytes]:
    """Seconds for one request on a new connection, and its body."""
    start = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("GET", path)
    body = connection.getresponse().read()
    taken = time.perf_counter() - start
    connection.close()
    return taken, body
