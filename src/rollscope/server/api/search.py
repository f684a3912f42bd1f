"""Search over a whole run, streamed as it finds."""

from __future__ import annotations

from rollscope.query.answers import Hit
from rollscope.server.api.samples import DISCARDED
from rollscope.server.api.search_stream import SearchStream
from rollscope.server.context import ApiCall
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.http.streams import Stream
from rollscope.server.schema.decoding import names
from rollscope.server.schema.parameters import SearchQuery

endpoints = Endpoints()


@endpoints.get("/api/runs/{run}/search", answer=Hit, query=SearchQuery, media="lines", place="stream")
async def search(call: ApiCall, query: SearchQuery) -> Stream:
    """Every sample whose text matches: one JSON object per line as it is found, and a last line that says why it
    ended."""
    run = call.run
    looking = SearchStream(
        lambda cancel: run.search(
            query.q,
            regex=query.regex,
            ignore_case=query.ignore_case,
            fields=names(query.fields) or None,
            where=query.where,
            split=query.split,
            limit=None if query.counts else query.limit,
            discarded=DISCARDED[query.discarded],
            cancel=cancel,
        ),
        limit=query.limit,
        counting=query.counts,
        seconds=call.context.options.search_seconds,
        stopping=call.context.stopping,
    )
    return await looking.stream(call.context.searches)
