"""Starting and stopping: the socket, the printed address, the browser, signals."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import errno
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import cast
from urllib.parse import quote

import uvicorn

from rollscope import __version__
from rollscope.errors import RollscopeError, UsageError
from rollscope.render import parse_mask, visible
from rollscope.server.access.hosts import is_loopback
from rollscope.server.access.token_check import new_token
from rollscope.server.app import Application
from rollscope.server.http.protocol import LimitedProtocol
from rollscope.server.http.slow_clients import SlowClients
from rollscope.server.options import ServerOptions, Watching
from rollscope.settings import NOBODY, Looking, Settings, open_library

MAX_PORT = 65_535
#: Connections that wait to be accepted.
BACKLOG = 1024
#: After a signal, open requests get this long, and then the threads that worked for them.
STOP_SECONDS = 3
IDLE_SECONDS = 1.0


def options_from(settings: Settings) -> ServerOptions:
    """The server's options from the settings. A token is generated if one is needed and none is given."""
    token = settings.token
    if not settings.auth:
        if token is not None:
            raise UsageError("--token and --no-auth exclude each other")
    elif token is None and not is_loopback(settings.host):
        token = new_token()
    if token is not None and not token.strip():
        raise UsageError("an empty token protects nothing", hint="leave --token out to have one made")
    parse_mask(settings.mask_str)  # a wrong pattern is reported at start
    if settings.port > MAX_PORT:
        raise UsageError(f"--port {settings.port} is not a valid port: the highest is {MAX_PORT}")
    return ServerOptions(
        host=settings.host,
        port=settings.port,
        base_path=clean_base_path(settings.base_path),
        token=token,
        allowed_hosts=tuple(name.strip() for name in settings.allowed_hosts.split(",") if name.strip()),
        mask=settings.mask_str,
        watching=cast("Watching", settings.watch),
        search_seconds=settings.search_seconds,
    )


def clean_base_path(text: str) -> str:
    """``absproxy/8080/`` → ``/absproxy/8080``; nothing → nothing."""
    parts = [part for part in text.split("/") if part]
    if any(part in (".", "..") or quote(part, safe="~@:+,=!") != part for part in parts):
        raise UsageError(
            f"--base-path {text!r} is not a URL path", hint="use letters, digits and - _ . ~ between slashes"
        )
    return "".join(f"/{part}" for part in parts)


def listen(host: str, port: int) -> socket.socket:
    """A bound socket. It is bound here and not by uvicorn, so that a port in use is a one-line error and the port
    chosen for 0 is known."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, protocol)
        if os.name == "posix":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(BACKLOG)
    except socket.gaierror:
        raise RollscopeError(f"{host!r} is not an address of this machine", hint="try --host 127.0.0.1") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise RollscopeError(
                f"port {port} is taken", hint="choose another with --port, or --port 0 for any"
            ) from None
        if error.errno == errno.EADDRNOTAVAIL:
            raise RollscopeError(f"{host!r} is not an address of this machine", hint="try --host 127.0.0.1") from None
        raise RollscopeError(f"cannot listen on {host} port {port}: {error.strerror}") from None
    sock.setblocking(False)
    return sock


def address(host: str, port: int, options: ServerOptions) -> str:
    """The URL to open, with the token in it."""
    query = f"?token={quote(options.token, safe='')}" if options.token is not None else ""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{options.base_path}/{query}"


def has_browser() -> bool:
    """Whether a browser can show something here. On a machine without a display, `webbrowser` would start a text
    browser in the middle of our output."""
    if sys.platform in ("darwin", "win32"):
        return "SSH_CONNECTION" not in os.environ
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


class Server(uvicorn.Server):
    """uvicorn's server, with our application's parts started and stopped in step with it."""

    def __init__(self, application: Application, port: int, ready: Callable[[], None]) -> None:
        self.application = application
        self.ready = ready
        config = uvicorn.Config(
            application.guarded(port),
            interface="asgi3",
            lifespan="off",
            http=LimitedProtocol,
            ws="none",
            # Its warnings are about what strangers send (port scans, TLS to a plain port), which nobody here can
            # change.
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.application.start()
        await super().startup(sockets)
        connections = cast("Collection[LimitedProtocol]", self.server_state.connections)
        self.slow_clients = asyncio.create_task(SlowClients().watch(connections))
        self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.slow_clients.cancel()
        await self.application.stop()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As uvicorn's, but a handled signal is not raised again afterwards: stopping is not a failure."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def run_server(paths: Sequence[str], settings: Settings, looking: Looking = NOBODY) -> None:
    """Serve ``paths`` until a signal stops it. The address is printed on stdout, everything else on stderr.
    `looking` lasts while runs are looked for, and is told how many folders have been looked at."""
    from rollscope.query.samples.cache import SampleCache
    from rollscope.startup import keep_memory_small

    keep_memory_small()
    options = options_from(settings)
    cache = SampleCache(max_memory_mb=settings.cache_memory, max_entries=settings.cache_entries)
    with looking as tell:
        library = open_library(paths, settings, cache=cache, watched=True, tell=tell)
    sock = listen(options.host, options.port)
    port = sock.getsockname()[1]

    def ready() -> None:
        url = announce(options, port, runs=len(library.runs()), notices=library.warnings)
        if settings.browser and has_browser():
            # Starting a browser may take seconds, and requests should be answered meanwhile.
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    # While files are read in other threads, a request that needs a moment of Python gets it after 1 ms instead of 5.
    sys.setswitchinterval(0.001)
    application = Application(library, cache, options)
    with sock:
        Server(application, port, ready).run(sockets=[sock])
    if not application.is_idle(within=IDLE_SECONDS):
        # The result of such a query is no longer needed, but Python would wait for its thread.
        sys.stdout.flush()
        sys.stderr.flush()
        atexit._run_exitfuncs()
        os._exit(0)


def announce(options: ServerOptions, port: int, *, runs: int, notices: Sequence[str]) -> str:
    """Print where the viewer is and who can reach it. Returns the address for this machine."""
    everywhere = options.host in ("0.0.0.0", "::", "")  # noqa: S104
    url = address("localhost" if everywhere else options.host, port, options)
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()
    talk = [f"rollscope {__version__}: {runs:,} run{'' if runs == 1 else 's'}; Ctrl+C stops the viewer"]
    if everywhere:
        talk.append(f"from other machines: {address(socket.gethostname(), port, options)}")
    if options.token is None and not is_loopback(options.host):
        talk.append("without a token: everyone who can reach this machine can read these runs")
    talk += (visible(" ".join(notice.split())) for notice in notices)
    sys.stderr.write("".join(f"{line}\n" for line in talk))
    return url
