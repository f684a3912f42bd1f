"""A store that misbehaves: hands each request on to a real one, unless it is told to answer something else."""

from __future__ import annotations

import http.client
import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar
from urllib.parse import urlsplit

from msgspec import Struct
from tests.cloud.in_thread import answering


class Fault(Struct, frozen=True):
    """What is answered instead: an error of S3's by status and code; or the right answer, broken off in the middle; or
    nothing at all."""

    status: int = 0
    code: str = ""
    cut: bool = False


EXPIRED = Fault(400, "ExpiredToken")
SLOW_DOWN = Fault(503, "SlowDown")
TOO_MANY = Fault(429, "TooManyRequests")
INTERNAL = Fault(500, "InternalError")
FORBIDDEN = Fault(403, "AccessDenied")
CUT = Fault(cut=True)
AWAY = Fault()

#: (method, path with its query) -> what goes wrong, or None.
Plan = Callable[[str, str], Fault | None]


class Proxy:
    """`plan` may be set at any time. `asked` has what was asked for, with what went wrong."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.address = ""
        self.plan: Plan = lambda _method, _path: None
        self.asked: list[tuple[str, str, Fault | None]] = []

    def after(self, requests: int, fault: Fault, *, method: str = "GET", word: str = "") -> None:
        """So many of these requests are answered as they should be, those that follow are not."""
        left = requests
        lock = threading.Lock()

        def plan(asked: str, path: str) -> Fault | None:
            nonlocal left
            if asked != method or word not in path:
                return None
            with lock:
                left -= 1
                return fault if left < 0 else None

        self.plan = plan

    def every(self, number: int, *faults: Fault) -> None:
        """Each so many requests one goes wrong, each time another way."""
        count = 0
        lock = threading.Lock()

        def plan(_method: str, _path: str) -> Fault | None:
            nonlocal count
            with lock:
                count += 1
                return faults[count // number % len(faults)] if count % number == 0 else None

        self.plan = plan

    def well(self) -> None:
        self.plan = lambda _method, _path: None


class _Handler(http.server.BaseHTTPRequestHandler):
    proxy: ClassVar[Proxy]

    def _handle(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.proxy.plan(self.command, self.path)
        self.proxy.asked.append((self.command, self.path, fault))
        self.close_connection = True
        if fault is not None and fault.status:
            said = f"<?xml version='1.0'?><Error><Code>{fault.code}</Code><Message>{fault.code}</Message></Error>"
            self._answer(fault.status, [("Content-Type", "application/xml")], said.encode(), None)
        elif fault is None or fault.cut:
            status, headers, content = self._asked_of_the_store(body)
            self._answer(status, headers, content, len(content) // 2 if fault is not None else None)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _handle  # noqa: N815  # the names that http.server looks for

    def _asked_of_the_store(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        url = urlsplit(self.proxy.endpoint)
        connection = http.client.HTTPConnection(url.hostname or "", url.port)
        try:
            # The name of the host is part of what is signed: it stays the proxy's.
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                connection.putheader(name, value)
            connection.endheaders(body or None)
            answer = connection.getresponse()
            own = ("connection", "transfer-encoding", "content-length")
            headers = [(name, value) for name, value in answer.getheaders() if name.lower() not in own]
            if self.command == "HEAD":
                headers.append(("Content-Length", answer.getheader("Content-Length", "0")))
            return answer.status, headers, answer.read()
        finally:
            connection.close()

    def _answer(self, status: int, headers: list[tuple[str, str]], content: bytes, cut: int | None) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if self.command != "HEAD":
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content if cut is None else content[:cut])

    def log_message(self, *_: object) -> None:
        return


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Whoever asked did not wait for the answer."""


@contextmanager
def fault_proxy(endpoint: str) -> Iterator[Proxy]:
    proxy = Proxy(endpoint)
    handler = type("_Here", (_Handler,), {"proxy": proxy})
    with answering(_Server(("127.0.0.1", 0), handler)) as proxy.address:
        yield proxy
