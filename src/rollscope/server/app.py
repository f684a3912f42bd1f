"""The server put together, as one ASGI application."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.types import Receive, Scope, Send

from rollscope.server.access.guard import Guard
from rollscope.server.api import ENDPOINTS
from rollscope.server.context import Context
from rollscope.server.dashboards import DashboardStore
from rollscope.server.http.routes import Router
from rollscope.server.http.static import StaticPage
from rollscope.server.live.watcher import Live
from rollscope.server.options import Options

if TYPE_CHECKING:
    from rollscope.query.library import Library
    from rollscope.query.samples.cache import SampleCache


class Application:
    """Everything below the guard: health, API, page."""

    def __init__(self, library: Library, cache: SampleCache, paths: Sequence[str], options: Options) -> None:
        instance = secrets.token_hex(4)
        self.context = Context(
            library=library,
            cache=cache,
            options=options,
            dashboards=DashboardStore(paths),
            live=Live(library, options, instance),
            instance=instance,
        )
        self.router = Router(ENDPOINTS, self.context)
        self.page = StaticPage(options.base_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if path == "/api" or path.startswith("/api/"):
            await self.router(scope, receive, send)
        elif path == "/healthz":
            await _healthy(send)
        else:
            await self.page(scope, receive, send)

    def start(self) -> None:
        self.context.live.start()

    async def stop(self) -> None:
        """End streams and long work, so that open connections can be closed."""
        self.context.stopping.set()
        await self.context.live.stop()
        for pool in (self.context.answers, self.context.searches):
            pool.shutdown(wait=False, cancel_futures=True)

    def is_idle(self, within: float) -> bool:
        """Whether all threads have ended, or end ``within`` these seconds. To be asked after :meth:`stop`."""
        end = time.monotonic() + within
        threads = [thread for pool in (self.context.answers, self.context.searches) for thread in pool._threads]
        for thread in [*threads, *self.context.live.thread._threads]:
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)


async def _healthy(send: Send) -> None:
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", b"3"),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok\n"})


def guarded(application: Application, port: int) -> Guard:
    """The application as the world sees it. ``port`` is the one really listened on."""
    return Guard(application, application.context.options, port)
