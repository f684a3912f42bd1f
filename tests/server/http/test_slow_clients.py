"""Clients that stand still are let go; slow ones are not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
import uvicorn
from uvicorn.server import ServerState

from rollscope.server.http.protocol import LimitedProtocol
from rollscope.server.http.slow_clients import PATIENCE_SECONDS, SlowClients

BODY = b"x" * 50_000_000

Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Scene = Callable[[ServerState, Client], Awaitable[None]]


async def answer(scope: Any, receive: Any, send: Any) -> None:
    length = str(len(BODY)).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]})
    await send({"type": "http.response.body", "body": BODY})


def play(scene: Scene) -> None:
    """One client of a real server on a real socket."""

    async def run() -> None:
        state = ServerState()
        config = uvicorn.Config(answer, log_level="error", ws="none")
        config.load()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: LimitedProtocol(config, state, {}), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        # A small buffer: what the client does not read stays with the server.
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 14)
        await until(lambda: bool(state.connections))
        try:
            await asyncio.wait_for(scene(state, (reader, writer)), 60)
        finally:
            writer.transport.abort()
            server.close()
            await until(lambda: not state.connections)
            await server.wait_closed()

    asyncio.run(run())


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.005)


def connected(state: ServerState) -> set[LimitedProtocol]:
    return cast("set[LimitedProtocol]", state.connections)


def waiting_bytes(state: ServerState) -> int:
    return sum(connection.transport.get_write_buffer_size() for connection in state.connections)


def test_who_stops_reading_is_let_go_and_the_answer_with_it() -> None:
    async def scene(state: ServerState, client: Client) -> None:
        client[1].write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await until(lambda: waiting_bytes(state) > 0)
        slow = SlowClients()
        for now in (0.0, PATIENCE_SECONDS - 1):
            slow.look(connected(state), now)
            await asyncio.sleep(0)
            assert state.connections
        slow.look(connected(state), PATIENCE_SECONDS)
        await until(lambda: not state.connections)
        with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
            await client[0].readexactly(len(BODY))

    play(scene)


def test_who_reads_slowly_gets_all_of_it() -> None:
    async def scene(state: ServerState, client: Client) -> None:
        client[1].write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await until(lambda: waiting_bytes(state) > 0)
        await client[0].readuntil(b"\r\n\r\n")
        slow, read, now = SlowClients(), 0, 0.0
        while read < len(BODY):
            slow.look(connected(state), now)
            left = waiting_bytes(state)
            while read < len(BODY) and (waiting_bytes(state) == left or not left):
                read += len(await client[0].read(1 << 20))
            now += PATIENCE_SECONDS - 1
        assert read == len(BODY)

    play(scene)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf"])
def test_who_never_finishes_asking_is_let_go(sent: bytes) -> None:
    async def scene(state: ServerState, client: Client) -> None:
        async def no_answer(scope: Any, receive: Any, send: Any) -> None:
            while (await receive()).get("more_body"):
                pass

        (connection,) = connected(state)
        connection.app = no_answer
        client[1].write(sent)
        await until(lambda: connection.received == len(sent))
        slow = SlowClients()
        slow.look(connected(state), 0.0)
        slow.look(connected(state), PATIENCE_SECONDS)
        await until(lambda: not state.connections)
        assert await client[0].read() == b""

    play(scene)


def test_who_waits_for_a_long_answer_is_not_let_go() -> None:
    async def scene(state: ServerState, client: Client) -> None:
        may_end = asyncio.Event()

        async def think(scope: Any, receive: Any, send: Any) -> None:
            await may_end.wait()
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
            await send({"type": "http.response.body", "body": b"ok"})

        (connection,) = connected(state)
        connection.app = think
        client[1].write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await until(lambda: bool(state.tasks))
        slow = SlowClients()
        slow.look(connected(state), 0.0)
        slow.look(connected(state), 10 * PATIENCE_SECONDS)
        may_end.set()
        assert (await client[0].readuntil(b"ok")).startswith(b"HTTP/1.1 200")

    play(scene)
