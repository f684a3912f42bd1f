"""Clients that stop reading their answer, or never finish their question: nothing is kept for them for ever.

An answer waits in the connection's buffer until the client takes it, and uvicorn sets no end to that. One look at all
connections every few seconds costs requests nothing, which a timer for each would.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rollscope.server.http.protocol import LimitedProtocol

#: How long a connection may stand still: far above what a train in a tunnel takes, and an end all the same.
PATIENCE_SECONDS = 60.0
LOOK_SECONDS = 5.0


class SlowClients:
    def __init__(self) -> None:
        #: Connection -> (bytes that it has not taken, bytes that came from it, since when nothing moved).
        self._waiting: dict[LimitedProtocol, tuple[int, int, float]] = {}

    async def watch(self, connections: Collection[LimitedProtocol]) -> None:
        """Until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.look(connections, time.monotonic())

    def look(self, connections: Collection[LimitedProtocol], now: float) -> None:
        """Close those that have stood still too long. A slow one that moves is left alone, however long it takes."""
        still: dict[LimitedProtocol, tuple[int, int, float]] = {}
        for connection in list(connections):
            left = connection.transport.get_write_buffer_size()
            if not left and not connection.awaits_request():
                continue
            before = self._waiting.get(connection)
            moved = before is None or left < before[0] or connection.received != before[1]
            since = now if moved or before is None else before[2]
            if now - since >= PATIENCE_SECONDS:
                connection.transport.abort()
            else:
                still[connection] = (left, connection.received, since)
        self._waiting = still
