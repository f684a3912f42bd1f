"""Search over a whole run, streamed as it finds."""

from __future__ import annotations

from starlette.responses import StreamingResponse

from rollscope.query.answers import Hit
from rollscope.server.api.samples import DISCARDED
from rollscope.server.context import Call
from rollscope.server.endpoints import Endpoints
from rollscope.server.parameters import SearchQuery
from rollscope.server.streams import SearchStream

endpoints = Endpoints()


@endpoints.get("/api/runs/{run}/search", answer=Hit, query=SearchQuery, media="lines", place="stream")
async def search(call: Call, query: SearchQuery) -> StreamingResponse:
    """Every sample whose text matches: one JSON object per line as it is found, and a last line that says why it
    ended."""
    run = call.run
    stream = SearchStream(
        lambda cancel: run.search(
            query.q,
            regex=query.regex,
            ignore_case=query.ignore_case,
            fields=query.fields or None,
            where=query.where,
            split=query.split,
            limit=query.limit,
            discarded=DISCARDED[query.discarded],
            cancel=cancel,
        ),
        limit=query.limit,
        seconds=call.context.options.search_seconds,
        stopping=call.context.stopping,
    )
    return await stream.start(call.context.searches)
