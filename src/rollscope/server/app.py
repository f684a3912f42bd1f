"""The assembled server: the guard in front of everything, the one hot answer, and Starlette for everything else."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from rollscope.server.access.guard import Guard
from rollscope.server.api import ENDPOINTS
from rollscope.server.api.warm_sample import WarmSample
from rollscope.server.context import Context
from rollscope.server.http.errors import EXCEPTION_HANDLERS
from rollscope.server.http.routes import api_routes
from rollscope.server.http.static import static_page
from rollscope.server.live.watcher import Live
from rollscope.server.options import ServerOptions
from rollscope.userdata.dashboards import DashboardStore

if TYPE_CHECKING:
    from rollscope.query.library import Library
    from rollscope.query.samples.cache import SampleCache


class Application:
    """Everything that lives as long as the server."""

    def __init__(self, library: Library, cache: SampleCache, options: ServerOptions) -> None:
        instance = secrets.token_hex(4)
        self.context = Context(
            library=library,
            cache=cache,
            options=options,
            dashboards=DashboardStore(library.paths),
            live=Live(library, options, instance),
            instance=instance,
        )
        self.starlette = Starlette(
            routes=[
                Route("/healthz", _healthy),
                api_routes(ENDPOINTS, self.context),
                Mount("", static_page(options.base_path)),
            ],
            exception_handlers=EXCEPTION_HANDLERS,
        )

    def guarded(self, port: int) -> Guard:
        """The application with its guard in front. ``port`` is the actual port."""
        return Guard(WarmSample(self.starlette, self.context), self.context.options, port)

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


async def _healthy(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("ok\n", headers={"cache-control": "no-store"})
