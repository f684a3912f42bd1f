"""From a request to its endpoint's function and back to bytes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from functools import lru_cache, partial
from typing import Any
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope, Send

from rollscope.errors import UsageError
from rollscope.server.context import Call, Context
from rollscope.server.http.encoding import (
    COMPRESS_FROM,
    accepted_encoding,
    compress,
    content_tag,
    json_body,
    tag_matches,
    version_tag,
)
from rollscope.server.http.endpoints import Endpoint
from rollscope.server.http.errors import HttpError, encode_problem, problem_for
from rollscope.server.http.streams import Stream, while_connected
from rollscope.server.options import MAX_BODY_BYTES
from rollscope.server.patience import patiently
from rollscope.server.schema.parameters import Query, RunQuery, decode_query

#: A body up to this size is compressed on the event loop: at 60 MB/s (gzip) that holds the others up for a millisecond.
COMPRESS_ON_LOOP = 64 * 1024

#: Addresses whose endpoint is remembered: a page asks the same few dozens again and again.
MAX_FOUND = 1_024

MEDIA_TYPES = {"json": b"application/json", "text": b"text/plain; charset=utf-8"}


class Router:
    """The requests below ``/api`` as an ASGI application."""

    def __init__(self, endpoints: Iterable[Endpoint], context: Context) -> None:
        self.context = context
        self.routes: dict[str, tuple[re.Pattern[str], dict[str, Endpoint]]] = {}
        self.found: dict[tuple[str, str], tuple[Endpoint, dict[str, str]]] = {}
        for endpoint in endpoints:
            # People give layouts their names, and a name may hold a slash; ids do not.
            loose = endpoint.path.replace("{name}", "(?P<name>.+)")
            pattern = re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", loose))
            self.routes.setdefault(endpoint.path, (pattern, {}))[1][endpoint.method] = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = scope["rollscope.headers"]
        try:
            endpoint, path = self.find(scope["method"], scope["path"])
            query = _decoded(scope["query_string"], endpoint.query)
            body = await _read_body(headers, receive) if endpoint.body else b""
            call = Call(self.context, path, body)
            if endpoint.place == "stream":
                await while_connected(receive, _stream(endpoint, call, query, send))
                return
            answer = await self.answer(Exchange(endpoint, call, query, scope, headers))
        except Exception as error:  # noqa: BLE001  # whatever it is, the client gets a problem, not a broken connection
            answer = Answer.problem(error)
        await answer.send(send)

    async def answer(self, exchange: Exchange) -> Answer:
        endpoint = exchange.endpoint
        answer = exchange.at_hand() if endpoint.at_hand else None
        if answer is None and endpoint.place == "loop":
            answer = exchange.answer()
        if answer is None:
            answer = await _in(self.context.answers, exchange.answer)
        if answer.encoding is not None:
            if len(answer.body) > COMPRESS_ON_LOOP:
                await _in(self.context.answers, answer.compress)
            else:
                answer.compress()
        return answer

    def find(self, method: str, path: str) -> tuple[Endpoint, dict[str, str]]:
        found = self.found.get((method, path))
        if found is None:
            found = self.look_up(method, path)
            if len(self.found) >= MAX_FOUND:
                self.found.clear()
            self.found[method, path] = found
        return found

    def look_up(self, method: str, path: str) -> tuple[Endpoint, dict[str, str]]:
        for pattern, methods in self.routes.values():
            if match := pattern.fullmatch(path):
                endpoint = methods.get("GET" if method == "HEAD" else method)
                if endpoint is None:
                    allowed = ", ".join(methods)
                    raise HttpError(405, f"{method} is not for {path}", hint=f"allowed: {allowed}", allow=allowed)
                return endpoint, match.groupdict()
        raise HttpError(404, f"there is nothing at {path}", hint="see /api/openapi.json for what there is")


class Exchange:
    """One request on its way to an answer."""

    def __init__(self, endpoint: Endpoint, call: Call, query: Any, scope: Scope, headers: dict[bytes, bytes]) -> None:
        self.endpoint = endpoint
        self.call = call
        self.query = query
        self.scope = scope
        self.if_none_match = headers.get(b"if-none-match", b"").decode("latin-1")
        self.encoding = accepted_encoding(headers.get(b"accept-encoding", b"").decode("latin-1"))

    def at_hand(self) -> Answer | None:
        """The answer, if it can be had at once. Runs on the event loop."""
        assert self.endpoint.at_hand is not None
        body = self.endpoint.at_hand(self.call, self.query)
        return None if body is None else self.content(body)

    def answer(self) -> Answer:
        """May run on any thread."""
        tag = self.tag_before() if self.endpoint.by_version else None
        if tag is not None and self.is_known(tag):
            return Answer(304, b"", tag=tag)
        value = self.value()
        if self.endpoint.media == "text":
            body = value.encode("utf-8", "backslashreplace")
        else:
            body = value if isinstance(value, bytes) else json_body(value)
        return self.content(body, tag)

    def content(self, body: bytes, tag: str | None = None) -> Answer:
        if tag is None:
            tag = content_tag(body)
            if self.is_known(tag):
                return Answer(304, b"", tag=tag)
        return Answer(200, body, media_type=MEDIA_TYPES[self.endpoint.media], tag=tag, encoding=self.encoding)

    def value(self) -> Any:
        handler = partial(self.endpoint.handler, self.call, self.query)
        if isinstance(self.query, RunQuery) and "run" in self.call.path:
            return patiently(self.call.run, self.query.wait, handler)
        return handler()

    def is_known(self, tag: str) -> bool:
        return tag_matches(self.if_none_match, tag)

    def tag_before(self) -> str | None:
        """The tag of an answer that is not made yet. It is taken before the data is read, so data that changes
        meanwhile goes out under a tag that is already old, and is asked for again. None while the run is being read."""
        run = self.call.run
        if self.if_none_match:
            # What the client has may be old because a file changed that nobody has looked at since.
            run.refresh(wait=False)
        if not run.progress().done:
            return None
        request = self.scope["path"].encode() + b"?" + self.scope["query_string"]
        return version_tag(self.call.context.instance, run.id, run.version, request)


class Answer:
    __slots__ = ("body", "encoding", "extra", "media_type", "status", "tag")

    def __init__(
        self,
        status: int,
        body: bytes,
        *,
        media_type: bytes = b"application/json",
        tag: str | None = None,
        encoding: str | None = None,
    ) -> None:
        self.status = status
        self.body = body
        self.media_type = media_type
        self.tag = tag
        self.encoding = encoding if len(body) > COMPRESS_FROM else None
        self.extra: list[tuple[bytes, bytes]] = []

    @classmethod
    def problem(cls, error: Exception) -> Answer:
        # A ValueError from a handler is a wrong value in the request, such as an address that is none.
        if type(error) is ValueError:
            error = UsageError(str(error))
        problem = problem_for(error)
        answer = cls(problem.status, encode_problem(problem), media_type=b"application/problem+json")
        if isinstance(error, HttpError) and error.allow:
            answer.extra.append((b"allow", error.allow.encode()))
        return answer

    def compress(self) -> None:
        assert self.encoding is not None
        self.body = compress(self.body, self.encoding)
        self.extra.append((b"content-encoding", self.encoding.encode()))

    async def send(self, send: Send) -> None:
        headers = [
            # no-cache means: keep it, but ask each time whether it still holds.
            (b"cache-control", b"private, no-cache" if self.tag else b"no-store"),
            (b"vary", b"Accept-Encoding, Cookie, Authorization"),
            *self.extra,
        ]
        if self.tag is not None:
            headers.append((b"etag", self.tag.encode()))
        if self.status != 304:
            headers += [(b"content-type", self.media_type), (b"content-length", str(len(self.body)).encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


async def _stream(endpoint: Endpoint, call: Call, query: Query, send: Send) -> None:
    stream: Stream = await endpoint.handler(call, query)
    await stream.send(send)


async def _in(executor: Executor, work: Callable[[], Any]) -> Any:
    return await asyncio.get_running_loop().run_in_executor(executor, work)


@lru_cache(maxsize=512)
def _decoded(query: bytes, kind: type[Query]) -> Query:
    return decode_query(_pairs(query), kind)


def _pairs(query: bytes) -> list[tuple[str, str]]:
    if not query:
        return []
    try:
        return parse_qsl(query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=1_000)
    except ValueError as error:
        raise UsageError(f"the query string cannot be read: {error}") from None


async def _read_body(headers: dict[bytes, bytes], receive: Receive) -> bytes:
    """The request's body, refused as soon as it is known to be too long."""
    too_long = HttpError(413, f"the body is longer than {MAX_BODY_BYTES:,} bytes", hint="save a smaller layout")
    if not headers.get(b"content-type", b"").startswith(b"application/json"):
        raise HttpError(415, "the body must be JSON", hint="send Content-Type: application/json")
    declared = headers.get(b"content-length", b"")
    if declared.isdigit() and int(declared) > MAX_BODY_BYTES:
        raise too_long
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise HttpError(400, "the request ended before its body")
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            raise too_long
        more = message.get("more_body", False)
    return bytes(body)
