"""Events for the page: the newest of each subject, however slow a client is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from rollscope.server.live import events
from rollscope.server.live.events import Hub


async def first(stream: AsyncGenerator[bytes, None]) -> bytes:
    return await asyncio.wait_for(anext(stream), 5)


def test_a_client_is_greeted_and_told_when_to_come_back() -> None:
    async def listen() -> None:
        hub = Hub()
        stream = hub._events(b"hello")
        assert await first(stream) == b"retry: 1000\n\nhello"
        await stream.aclose()
        assert hub.listeners == set()

    asyncio.run(listen())


def test_of_news_about_one_thing_the_newest_waits() -> None:
    async def listen() -> None:
        hub = Hub()
        stream = hub._events(b"")
        await first(stream)
        for event in (b"a1", b"a2", b"a3"):
            hub.publish("a", event)
        hub.publish("b", b"b1")
        assert await first(stream) == b"a3b1"
        await stream.aclose()

    asyncio.run(listen())


def test_a_client_on_which_nothing_moves_gets_a_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    async def listen() -> None:
        monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.01)
        stream = Hub()._events(b"")
        await first(stream)
        assert await first(stream) == b": still here\n\n"
        await stream.aclose()

    asyncio.run(listen())


def test_closing_ends_every_stream() -> None:
    async def listen() -> None:
        hub = Hub()
        streams = [hub._events(b"") for _ in range(3)]
        for stream in streams:
            await first(stream)
        hub.close()
        for stream in streams:
            with pytest.raises(StopAsyncIteration):
                await first(stream)
        assert hub.listeners == set()

    asyncio.run(listen())
