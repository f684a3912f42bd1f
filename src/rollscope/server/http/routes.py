"""From a request to its endpoint's function and back to bytes: Starlette's routes, made from the endpoints' declarations."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable
from functools import lru_cache, partial
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount, Route, Router

from rollscope.errors import UsageError
from rollscope.query.answers import Progress
from rollscope.query.live.watch import ask_when_read
from rollscope.query.samples.notes import mentions_notes
from rollscope.server.context import ApiCall, Context
from rollscope.server.http.cached_answer import CachedAnswer
from rollscope.server.http.encoding import json_body
from rollscope.server.http.endpoints import Endpoint
from rollscope.server.http.errors import HttpError
from rollscope.server.http.etag import content_tag, not_modified, tag_matches, tagged, version_tag
from rollscope.server.options import MAX_BODY_BYTES
from rollscope.server.schema.decoding import decode_query
from rollscope.server.schema.parameters import FilterQuery, Query, RunQuery

MEDIA_TYPES = {"json": "application/json", "text": "text/plain; charset=utf-8"}


PREFIX = "/api"


def api_routes(endpoints: Iterable[Endpoint], context: Context) -> Mount:
    """Everything below ``/api``. One route per path, with all its methods: only so does a 405 name all that are allowed."""
    paths: dict[str, dict[str, Endpoint]] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    # People name layouts, and such a name may contain a slash; ids do not.
    routes = [
        Route(
            path.removeprefix(PREFIX).replace("{name}", "{name:path}"),
            _responder(methods, context),
            methods=list(methods),
        )
        for path, methods in paths.items()
    ]
    # No redirect to an address with or without a slash: it would lose a prefix that a proxy removed.
    return Mount(PREFIX, Router(routes, redirect_slashes=False))


def _responder(methods: dict[str, Endpoint], context: Context) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        endpoint = methods["GET" if request.method == "HEAD" else request.method]
        query = decoded_query(request.scope["query_string"], endpoint.query)
        body = await _read_body(request) if endpoint.body else b""
        call = ApiCall(context, request.path_params, body)
        if endpoint.place == "stream":
            stream: Response = await endpoint.handler(call, query)
            return stream
        exchange = Exchange(endpoint, call, query, request)
        if endpoint.place == "loop":
            return exchange.response()
        return await asyncio.get_running_loop().run_in_executor(context.answers, exchange.response)

    return respond


class Exchange:
    """One request on its way to an answer."""

    def __init__(self, endpoint: Endpoint, call: ApiCall, query: Any, request: Request) -> None:
        self.endpoint = endpoint
        self.call = call
        self.query = query
        self.address = request.scope["path"].encode() + b"?" + request.scope["query_string"]
        self.if_none_match = request.headers.get("if-none-match", "")
        self.accept_encoding = request.headers.get("accept-encoding", "")

    def response(self) -> Response:
        """May run on any thread."""
        if self.endpoint.kept_by_step and self.query.split is not None and self.query.step is not None:
            return self.kept_response()
        tag = self.tag_before() if self.endpoint.by_version else None
        if tag is not None and tag_matches(self.if_none_match, tag):
            return not_modified(tag)
        value = self.value()
        if self.endpoint.media == "text":
            body = value.encode("utf-8", "backslashreplace")
        else:
            body = value if isinstance(value, bytes) else json_body(value)
        if tag is None:
            tag = content_tag(body)
            if tag_matches(self.if_none_match, tag):
                return not_modified(tag)
        return tagged(body, tag, MEDIA_TYPES[self.endpoint.media], self.accept_encoding)

    def kept_response(self) -> Response:
        """A list of one step: made again if the step's files, or the notes if they matter, have changed."""
        run, query, cache = self.call.run, self.query, self.call.context.kept_answers
        question = (self.call.path["run"], self.endpoint.name, msgspec.structs.replace(query, wait=0.0))

        def ask() -> tuple[CachedAnswer, tuple[Hashable, Hashable] | None, Progress]:
            # Taken before the files are checked: an answer that says `done` has everything that had been read by then.
            version, progress = run.version, run.progress()
            kept, key = cache.ask(
                question,
                lambda: run.list_state(query.split, query.step, query.where, query.sort),
                lambda: CachedAnswer(self.endpoint.handler(self.call, query)),
            )
            # A later state is fine if nothing was added: the last piece is there a moment before reading is reported as done.
            later = run.progress()
            if run.version == version:
                progress = later
            return kept, key, kept.progress if key is None else progress

        kept, key, progress = ask_when_read(run, query.wait, ask)
        sent = kept.sent(progress)
        if tag_matches(self.if_none_match, sent.tag):
            return not_modified(sent.tag)
        response = tagged(sent.body, sent.tag, MEDIA_TYPES["json"], self.accept_encoding, sent.compressed)
        if key is not None:
            cache.replace(key, kept)  # it holds more bytes now
        return response

    def value(self) -> Any:
        handler = partial(self.endpoint.handler, self.call, self.query)
        if isinstance(self.query, RunQuery) and "run" in self.call.path:
            return ask_when_read(self.call.run, self.query.wait, handler)
        return handler()

    def tag_before(self) -> str | None:
        """The tag of an answer that is not made yet. It is taken before the data is read, so data that changes
        meanwhile goes out under a tag that is already old, and is asked for again. None while the run is being read."""
        run = self.call.run
        if isinstance(self.query, FilterQuery) and mentions_notes(self.query.where, getattr(self.query, "sort", None)):
            return None  # a note changes the answer, and not the run's version
        if self.if_none_match:
            # The client's answer may be old because a file changed that has not been checked since.
            run.refresh(wait=False)
        if not run.progress().done:
            return None
        return version_tag(self.call.context.instance, run.id, run.version, self.address)


@lru_cache(maxsize=512)
def decoded_query(query: bytes, kind: type[Query]) -> Query:
    if not query:
        return decode_query([], kind)
    try:
        pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=1_000)
    except ValueError as error:
        raise UsageError(f"the query string cannot be read: {error}") from None
    return decode_query(pairs, kind)


async def _read_body(request: Request) -> bytes:
    """The request's body, refused as soon as it is known to be too long."""
    too_long = HttpError(413, f"the body is longer than {MAX_BODY_BYTES:,} bytes", hint="send a smaller one")
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise HttpError(415, "the body must be JSON", hint="send Content-Type: application/json")
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > MAX_BODY_BYTES:
        raise too_long
    body = bytearray()
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > MAX_BODY_BYTES:
                raise too_long
    except ClientDisconnect:
        raise HttpError(400, "the request ended before its body") from None
    return bytes(body)
