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
from typing import NamedTuple
from urllib.parse import urlsplit


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


def load(port: int, paths: Sequence[str], *, connections: int = 4, seconds: float = 2.0) -> Load:
    """Requests per second over some kept-alive connections, each asking the next thing when it has its answer."""
    requests = [f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() for path in paths]
    taken = asyncio.run(_load(port, requests, connections, seconds))
    return Load(len(taken) / seconds, statistics.median(taken) * 1e3, statistics.quantiles(taken, n=20)[18] * 1e3)


async def _load(port: int, requests: list[bytes], connections: int, seconds: float) -> list[float]:
    taken: list[float] = []
    end = time.perf_counter() + seconds

    async def one(place: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 26)
        while (start := time.perf_counter()) < end:
            writer.write(requests[place % len(requests)])
            await _answer(reader)
            taken.append(time.perf_counter() - start)
            place += connections
        writer.close()
        await writer.wait_closed()

    await asyncio.gather(*(one(place) for place in range(connections)))
    return taken


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    status = head.split(b" ", 2)[1]
    if status != b"200":
        raise RuntimeError(f"answered {status.decode()}: {head.decode()}")
    length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
    return await reader.readexactly(length)


def once(port: int, path: str) -> tuple[float, bytes]:
    """Seconds for one request on a new connection, and its body."""
    start = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request("GET", path)
    body = connection.getresponse().read()
    taken = time.perf_counter() - start
    connection.close()
    return taken, body
