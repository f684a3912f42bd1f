"""The one hot answer: a sample that was asked for before.

A plain ASGI function in front of Starlette, since reading samples one after the other is what people do most: 15 µs here,
50 µs through Starlette's router and another thread. What went over the wire is kept as well, so that an answer is neither
compressed nor are its headers put together twice; whether it still holds is asked of the run each time.
"""

from __future__ import annotations

from typing import NamedTuple

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rollscope.errors import RollscopeError
from rollscope.lru import LruCache
from rollscope.server.access.guard import DATA_HEADERS
from rollscope.server.context import ApiCall, Context
from rollscope.server.http.etag import content_tag, not_modified, tag_matches, tagged
from rollscope.server.http.protocol import whole_sender
from rollscope.server.http.routes import decoded_query
from rollscope.server.schema.parameters import SampleQuery

#: Longer samples are left to a thread even when they are in the cache: to encode a megabyte takes a millisecond.
MAX_BYTES = 256 * 1024
#: For answers as they were sent. They share their bodies with the cache of samples as long as it has them.
KEPT_BYTES = 64 << 20
#: About what an entry takes beside its body.
ENTRY_BYTES = 2_000

_BEFORE = "/api/runs/"
_AFTER = "/sample"


class Ready(NamedTuple):
    """An answer as it was sent. It holds as long as the run gives the same body for the query."""

    query: SampleQuery
    body: bytes
    tag: str
    response: Response
    #: What is sent: the response's headers with those of every answer, and its body.
    headers: bytes
    wire: bytes


class WarmSample:
    def __init__(self, app: ASGIApp, context: Context) -> None:
        self.app = app
        self.context = context
        #: By path, query string and accepted encodings.
        self._ready: LruCache[tuple[str, bytes, bytes], Ready] = LruCache(KEPT_BYTES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if path.endswith(_AFTER) and path.startswith(_BEFORE) and scope["method"] == "GET":
            headers: dict[bytes, bytes] = dict(scope["headers"])
            ready = self.ready(path, scope["query_string"], headers)
            if ready is not None:
                known = headers.get(b"if-none-match")
                if known is not None and tag_matches(known.decode("latin-1"), ready.tag):
                    await not_modified(ready.tag)(scope, receive, send)
                    return
                sender = whole_sender(scope)
                if sender is None or not sender(ready.headers, ready.wire):
                    await ready.response(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def ready(self, path: str, query_string: bytes, headers: dict[bytes, bytes]) -> Ready | None:
        """The answer, if it can be had at once. None for a wrong request too: the ordinary route says what is wrong with it."""
        if self.context.options.mask is not None:
            return None
        encodings = headers.get(b"accept-encoding", b"")
        key = (path, query_string, encodings)
        before = self._ready.get(key)
        try:
            query = before.query if before is not None else decoded_query(query_string, SampleQuery)
            assert isinstance(query, SampleQuery)
            body = ApiCall(self.context, {"run": path[len(_BEFORE) : -len(_AFTER)]}).run.sample_json_if_quick(
                query.address, max_bytes=MAX_BYTES, max_chars=query.max_chars, record=query.record
            )
        except (RollscopeError, ValueError):
            return None
        if body is None:
            return None
        if before is not None and before.body is body:
            return before
        made = _ready_answer(query, body, encodings.decode("latin-1"))
        self._ready.put(key, made, ENTRY_BYTES + len(body) + (len(made.wire) if made.wire is not body else 0))
        return made


def _ready_answer(query: SampleQuery, body: bytes, encodings: str) -> Ready:
    tag = content_tag(body)
    response = tagged(body, tag, "application/json", encodings)
    lines = [b"%b: %b\r\n" % header for header in (*response.raw_headers, *DATA_HEADERS)]
    return Ready(query, body, tag, response, b"".join(lines), bytes(response.body))
