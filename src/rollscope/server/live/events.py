"""Telling many clients the same thing: server-sent events, encoded once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from msgspec import Struct

from rollscope.server.http.encoding import json_body
from rollscope.server.http.streams import Stream

#: Proxies close connections on which nothing moves, some after 30 s; a comment moves and says nothing.
HEARTBEAT_SECONDS = 15.0
#: How long a browser waits before it connects again.
RETRY_MILLISECONDS = 1_000


def encode_event(name: str, data: Struct) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + json_body(data) + b"\n\n"


class EventListener:
    """One client. Of news about the same thing only the newest waits for it, so a slow client costs no memory."""

    def __init__(self) -> None:
        self.pending: dict[str, bytes] = {}
        self.news = asyncio.Event()


class Hub:
    """All clients. Lives on the event loop; nothing in it may be called from other threads."""

    def __init__(self) -> None:
        self.listeners: set[EventListener] = set()
        self.closed = False

    def publish(self, subject: str, event: bytes) -> None:
        for listener in self.listeners:
            listener.pending[subject] = event
            listener.news.set()

    def close(self) -> None:
        """End all streams, so that the server can stop."""
        self.closed = True
        for listener in self.listeners:
            listener.news.set()

    def stream(self, hello: bytes) -> Stream:
        return Stream(self._events(hello), "text/event-stream")

    async def _events(self, hello: bytes) -> AsyncGenerator[bytes, None]:
        listener = EventListener()
        self.listeners.add(listener)
        try:
            yield b"retry: %d\n\n" % RETRY_MILLISECONDS + hello
            while not self.closed:
                try:
                    await asyncio.wait_for(listener.news.wait(), HEARTBEAT_SECONDS)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                listener.news.clear()
                pending, listener.pending = listener.pending, {}
                if pending:
                    yield b"".join(pending.values())
        finally:
            self.listeners.discard(listener)
