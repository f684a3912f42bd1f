"""About the server itself: version, cache, and what grew."""

from __future__ import annotations

from typing import Any

from rollscope import __version__
from rollscope.query.answers import CacheStats
from rollscope.query.language.vocabulary import Vocabulary, vocabulary
from rollscope.server.context import ApiCall
from rollscope.server.http.endpoints import Endpoints
from rollscope.server.http.streams import Stream
from rollscope.server.options import MAX_BODY_BYTES, MAX_QUERY_BYTES
from rollscope.server.schema.answers import RunEvent, VersionInfo
from rollscope.server.schema.openapi import document
from rollscope.server.schema.parameters import MAX_ROWS, Query

endpoints = Endpoints()


@endpoints.get("/api/version", answer=VersionInfo, place="loop")
def get_version(call: ApiCall, _query: Query) -> VersionInfo:
    """The server's version and limits."""
    options = call.context.options
    return VersionInfo(
        version=__version__,
        base_path=options.base_path,
        instance=call.context.instance,
        mask=options.mask,
        max_rows=MAX_ROWS,
        max_query_bytes=MAX_QUERY_BYTES,
        max_body_bytes=MAX_BODY_BYTES,
        search_seconds=options.search_seconds,
    )


@endpoints.get("/api/vocabulary", answer=Vocabulary)
def get_vocabulary(_call: ApiCall, _query: Query) -> Vocabulary:
    """The fields of a sample with their titles, and the operators and words of the filter language."""
    return vocabulary()


@endpoints.get("/api/openapi.json", answer=dict[str, Any], place="loop")
def get_openapi(_call: ApiCall, _query: Query) -> dict[str, Any]:
    """This interface as an OpenAPI document."""
    from rollscope.server.api import ENDPOINTS

    return document(ENDPOINTS)


@endpoints.get("/api/events", answer=RunEvent, media="events", place="stream")
async def stream_events(call: ApiCall, _query: Query) -> Stream:
    """Server-sent events: which run grew, and how far. The first, `hello`, has every run's version."""
    return call.context.live.stream()


@endpoints.get("/api/cache/stats", answer=CacheStats, place="loop")
def get_cache_stats(call: ApiCall, _query: Query) -> CacheStats:
    """What the cache of decoded samples holds and how it does."""
    return call.context.cache.stats()


@endpoints.add("POST", "/api/cache/clear", answer=CacheStats, place="loop")
def clear_cache(call: ApiCall, _query: Query) -> CacheStats:
    """Empty the cache of decoded samples."""
    call.context.cache.clear()
    return call.context.cache.stats()
