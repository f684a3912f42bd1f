"""Asking an ASGI application without a server around it, for parts that are small enough."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import ASGIApp


class Sent:
    status: int
    headers: dict[str, str]
    body: bytes


def ask(app: ASGIApp, path: str, method: str = "GET", **headers: str) -> Sent:
    """What ``app`` sends; header names with underscores instead of dashes."""
    sent = Sent()
    sent.body = b""
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    path, _, query = path.partition("?")

    async def receive() -> Any:
        await asyncio.Event().wait()  # a client that waits for its answer sends nothing more

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            sent.status = message["status"]
            sent.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            sent.body += message["body"]

    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": raw}
    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    return sent
