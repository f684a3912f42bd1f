"""One search on its way to a client: what ends it, and what its last line says of that."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from rollscope.errors import FilterError
from rollscope.query.answers import Hit
from rollscope.server.api import search_stream
from rollscope.server.api.search_stream import SearchStream

pytestmark = pytest.mark.asyncio


def hit(step: int, number: int = 0) -> Hit:
    place: dict[str, Any] = {"start": 0, "end": 1, "snippet": "x", "snippet_start": 0, "snippet_end": 1}
    return Hit(run="run", address=f"train/{step}/{number}", field="response", **place)


async def lines(
    find: Callable[[threading.Event], Iterator[Hit]],
    *,
    limit: int = 100,
    counting: bool = False,
    seconds: float = 60.0,
    stopping: threading.Event | None = None,
) -> tuple[list[str], dict[str, Any]]:
    """(addresses of the hits, the last line) that a client gets."""
    search = SearchStream(find, limit=limit, counting=counting, seconds=seconds, stopping=stopping or threading.Event())
    with ThreadPoolExecutor(1) as executor:
        stream = await search.stream(executor)
        found = [
            json.loads(bytes(chunk, "utf-8") if isinstance(chunk, str) else bytes(chunk))
            async for chunk in stream.body_iterator
        ]
    assert search.cancel.is_set()
    return [line["address"] for line in found[:-1]], found[-1]


async def test_a_search_that_looked_at_everything_is_complete() -> None:
    found, end = await lines(lambda cancel: iter([hit(0), hit(1)]))
    assert found == ["train/0/0", "train/1/0"]
    assert (end["done"], end["reason"], end["hits"], end["limit"]) == (True, "complete", 2, None)


async def test_hits_beyond_the_limit_may_be_counted_by_step_but_are_not_sent() -> None:
    def find(cancel: threading.Event) -> Iterator[Hit]:
        return (hit(step, number) for step in range(3) for number in (0, 0, 1))

    found, end = await lines(find, limit=4, counting=True)
    assert len(found) == end["hits"] == 4
    assert (end["reason"], end["limit"]) == ("limit", 4)
    assert end["detail"] == "the first 4 of 9 hits were sent"
    counts = end["counts"]
    assert (counts["hits"], counts["samples"], counts["complete"]) == (9, 6, True)
    assert (counts["steps"], counts["step_samples"]) == ([0, 1, 2], [2, 2, 2])


async def test_time_that_runs_out_stops_the_search() -> None:
    def find(cancel: threading.Event) -> Iterator[Hit]:
        yield hit(0)
        assert cancel.wait(60)

    found, end = await lines(find, seconds=0.05)
    assert found == ["train/0/0"]
    assert (end["reason"], end["limit"]) == ("time", 0.05)


async def test_an_error_before_the_first_hit_is_the_answer_and_a_later_one_is_the_last_line() -> None:
    def wrong(cancel: threading.Event) -> Iterator[Hit]:
        raise FilterError("no such field", position=0)
        yield hit(0)

    with pytest.raises(FilterError, match="no such field"):
        await lines(wrong)

    def breaks(cancel: threading.Event) -> Iterator[Hit]:
        yield hit(0)
        raise FilterError("no such field", position=0)

    found, end = await lines(breaks)
    assert found == ["train/0/0"]
    assert end["reason"] == "error"
    assert "no such field" in end["detail"]


async def test_a_client_that_reads_slowly_holds_the_search_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_stream, "AHEAD", 3)
    made: list[int] = []

    def find(cancel: threading.Event) -> Iterator[Hit]:
        for step in range(1_000):
            made.append(step)
            yield hit(step)

    search = SearchStream(find, limit=10_000, counting=False, seconds=60.0, stopping=threading.Event())
    with ThreadPoolExecutor(1) as executor:
        stream = await search.stream(executor)
        body = stream.body_iterator
        assert isinstance(body, AsyncGenerator)
        for _ in range(5):
            await anext(body)
        await asyncio.sleep(0.3)
        assert len(made) <= 5 + 3 + 1
        await body.aclose()  # the client goes away
        executor.shutdown(wait=True)
    assert len(made) <= 10


async def test_a_server_that_stops_says_so() -> None:
    stopping = threading.Event()

    def find(cancel: threading.Event) -> Iterator[Hit]:
        yield hit(0)
        stopping.set()
        yield hit(1)

    found, end = await lines(find, stopping=stopping)
    assert found == ["train/0/0"]
    assert (end["reason"], end["detail"]) == ("error", "the server was stopped")
