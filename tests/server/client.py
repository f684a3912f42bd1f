"""A real server in its own process, and a client that can send anything, right or wrong."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlencode, urlsplit

START_SECONDS = 60
STOP_SECONDS = 30


@dataclass
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body, parse_constant=_refuse_constant)

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")


def _refuse_constant(name: str) -> Any:
    raise AssertionError(f"{name} is not JSON")


@dataclass
class Server:
    """A running `rollscope view`."""

    process: subprocess.Popen[str]
    url: str
    said: list[str]
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def port(self) -> int:
        port = urlsplit(self.url).port
        assert port is not None
        return port

    @property
    def token(self) -> str | None:
        match = re.search(r"[?&]token=([^&\s]+)", self.url)
        return match[1] if match else None

    @property
    def prefix(self) -> str:
        return urlsplit(self.url).path.rstrip("/")

    def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        port: int | None = None,
        **query: Any,
    ) -> Reply:
        pairs = [
            (name, item) for name, value in query.items() for item in (value if isinstance(value, list) else [value])
        ]
        target = f"{path}?{urlencode(pairs)}" if pairs else path
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=60)
        try:
            connection.request(method, target, body=body, headers={**self.headers, **(headers or {})})
            response = connection.getresponse()
            return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def get(
        self, path: str, *, headers: Mapping[str, str] | None = None, port: int | None = None, **query: Any
    ) -> Reply:
        return self.request("GET", path, headers=headers, port=port, **query)

    def json(self, path: str, **query: Any) -> Any:
        reply = self.get(path, **query)
        assert reply.status == 200, reply.text
        return reply.json()

    def run_id(self) -> str:
        (run,) = self.json("/api/runs")
        return str(run["id"])

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(STOP_SECONDS)


@contextmanager
def serving(
    *paths: Path | str, flags: Sequence[str] = (), host: str = "127.0.0.1", env: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """`rollscope view` on a free port, until the block ends."""
    command = [sys.executable, "-W", "error", "-m", "rollscope.visualize", *map(str, paths)]
    command += ["--port", "0", "--host", host, "--no-browser", *flags]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})}
    )
    said: list[str] = []
    assert process.stdout is not None
    assert process.stderr is not None

    def listen(stream: IO[str]) -> None:
        for line in stream:
            said.append(line)  # noqa: PERF402  # as it comes

    listener = threading.Thread(target=listen, args=(process.stderr,), daemon=True)
    listener.start()
    url = _first_line(process)
    try:
        if not url:
            listener.join(STOP_SECONDS)
            raise AssertionError(f"the server did not start: {''.join(said)}")
        server = Server(process, url, said)
        if server.token:
            server.headers["Authorization"] = f"Bearer {server.token}"
        yield server
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        listener.join(STOP_SECONDS)
        process.stdout.close()
        process.stderr.close()


def _first_line(process: subprocess.Popen[str]) -> str:
    timer = threading.Timer(START_SECONDS, process.kill)
    timer.start()
    try:
        assert process.stdout is not None
        return process.stdout.readline().strip()
    finally:
        timer.cancel()


def eventually(ask: Callable[[], Any], seconds: float = 30.0) -> Any:
    """The first true answer. A test that waits for ever would hold CI, so it gives up in the end."""
    end = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer:
            return answer
        assert time.monotonic() < end, f"still {answer!r} after {seconds:g} s"
        time.sleep(0.05)


class Events:
    """The server-sent events of one connection, collected by a thread."""

    def __init__(self, server: Server, path: str = "/api/events") -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.connection.request("GET", path, headers=server.headers)
        # Kept, since http.client forgets it when the answer's end is the connection's.
        self.socket = self.connection.sock
        self.response = self.connection.getresponse()
        assert self.response.status == 200, self.response.read()
        assert (self.response.getheader("content-type") or "").startswith("text/event-stream")
        self.received: list[tuple[str, Any]] = []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        name = ""
        try:
            for raw in self.response:
                line = raw.decode("utf-8").rstrip("\n")
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    self.received.append((name, json.loads(line.removeprefix("data: "))))
        except (OSError, ValueError, http.client.HTTPException):
            pass
        self.ended.set()

    def named(self, name: str) -> list[Any]:
        return [data for got, data in list(self.received) if got == name]

    def close(self) -> None:
        """Hang up. The reading thread notices, and only then its buffers may go."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join(STOP_SECONDS)
        self.response.close()
        self.connection.close()

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
