"""What stands before every request: base path, lengths, Host, token, Origin; and the headers on every answer.

Plain ASGI around Starlette, since it runs for every request, the hot one too, and for errors that Starlette answers
outside its own middleware.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from urllib.parse import urlsplit

from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rollscope.server.access.hosts import Hosts, host_name
from rollscope.server.access.login_page import STYLE_HASH, login_page, message_page
from rollscope.server.access.token_check import TokenCheck, same_page, take_token
from rollscope.server.http.errors import HttpError, problem_for, problem_response
from rollscope.server.options import MAX_QUERY_BYTES, ServerOptions

#: Nothing but our own files, no inline script. Style attributes are allowed because KaTeX positions with them.
PAGE_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        f"style-src 'self' '{STYLE_HASH}'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
#: An answer of the API is data. Should a browser ever show it as a page, it is one that can do nothing.
DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox"

COMMON: tuple[tuple[str, str], ...] = (
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ("x-robots-tag", "noindex"),
)


def _raw(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]


PAGE_HEADERS = _raw([("content-security-policy", PAGE_POLICY), *COMMON])
DATA_HEADERS = _raw([("content-security-policy", DATA_POLICY), *COMMON])

_NOT_KEPT = {"cache-control": "no-store"}

#: Host headers that are remembered; with allowed hosts "*" there may be any number.
MAX_ALLOWED = 64

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class Guard:
    def __init__(self, app: ASGIApp, options: ServerOptions, port: int) -> None:
        self.app = app
        self.base_path = options.base_path
        self.hosts = Hosts.of(options.host, options.allowed_hosts, token=options.token is not None)
        self.auth = TokenCheck(options.token, options.base_path, port) if options.token is not None else None
        #: Host headers that were looked at and are allowed: a browser sends the same with every request.
        self._allowed: set[bytes] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        path = scope["path"] = self.inner_path(scope["path"])
        is_data = path == "/api" or path.startswith("/api/") or path == "/healthz"
        extra = DATA_HEADERS if is_data else PAGE_HEADERS

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *extra]
            await send(message)

        headers: dict[bytes, bytes] = dict(scope["headers"])
        try:
            refusal = self.check(scope, headers, is_data=is_data)
        except HttpError as error:
            refusal = problem_response(error) if is_data else _error_page(error)
        if refusal is None:
            await self.app(scope, receive, send_guarded)
            return
        if refusal.status_code == 401:
            refusal.headers["www-authenticate"] = 'Bearer realm="rollscope"'
        await refusal(scope, receive, send_guarded)

    def inner_path(self, path: str) -> str:
        """The path below the base path. A proxy may have taken the prefix away or not: both are answered."""
        base = self.base_path
        if base and path.startswith(base) and path[len(base) : len(base) + 1] in ("", "/"):
            return path[len(base) :] or "/"
        return path

    def check(self, scope: Scope, headers: dict[bytes, bytes], *, is_data: bool) -> Response | None:
        """Why this request is not answered, or None. Raises :class:`HttpError` for what a script should read."""
        query: bytes = scope["query_string"]
        if len(query) + len(scope["path"]) > MAX_QUERY_BYTES:
            raise HttpError(
                414,
                f"the address has {len(query) + len(scope['path']):,} bytes; the limit is {MAX_QUERY_BYTES:,}",
                hint="shorten the filter or pattern, or ask for fewer names at once",
            )
        self.check_host(headers)
        if scope["path"] == "/healthz":
            return None
        self.check_origin(scope["method"], headers, is_data=is_data)
        return self.check_token(scope, headers, is_data=is_data) if self.auth else None

    def check_host(self, headers: dict[bytes, bytes]) -> None:
        header = headers.get(b"host", b"")
        if header in self._allowed:
            return
        given = header.decode("latin-1")
        name = host_name(given)
        if name is None:
            raise HttpError(400, f"the Host header {given!r} is no host name")
        if not self.hosts.allows(name):
            raise HttpError(
                421,
                f"this server does not answer to the name {name!r}",
                hint=f"if it should, start it with --allowed-hosts {name}; otherwise open it by its address or as localhost",
            )
        if len(self._allowed) < MAX_ALLOWED:
            self._allowed.add(header)

    def check_origin(self, method: str, headers: dict[bytes, bytes], *, is_data: bool) -> None:
        """Only our own page, or a script outside any browser, may change something or ask for data."""
        site = headers.get(b"sec-fetch-site", b"").decode("latin-1")
        changes = method not in SAFE_METHODS
        if site in ("same-origin", "none"):
            return
        if site and (changes or (is_data and headers.get(b"sec-fetch-mode") != b"navigate")):
            raise HttpError(403, "requests from other sites' pages are not answered", hint="use the viewer's own page")
        origin = headers.get(b"origin")
        # Browsers send no Sec-Fetch-Site to a plain http address that is not this machine's own.
        if (changes or is_data) and origin is not None and not self.is_own_origin(origin, headers):
            raise HttpError(
                403,
                f"the page at {origin.decode('latin-1')} may not read or change anything here",
                hint="behind a proxy, let it pass the Host header on (or set X-Forwarded-Host)",
            )

    def is_own_origin(self, origin: bytes, headers: dict[bytes, bytes]) -> bool:
        authority = urlsplit(origin.decode("latin-1")).netloc.lower()
        # X-Forwarded-Host is a proxy's word for the Host it was called by; no page can make a browser send it unasked.
        own = {headers.get(name, b"").decode("latin-1").lower() for name in (b"host", b"x-forwarded-host")}
        return bool(authority) and authority in own

    def check_token(self, scope: Scope, headers: dict[bytes, bytes], *, is_data: bool) -> Response | None:
        assert self.auth is not None
        token, rest = take_token(scope["query_string"])
        if token is not None:
            right = self.auth.is_token(token)
            if right and is_data:
                scope["query_string"] = rest
                return None
            if right:
                secure = headers.get(b"x-forwarded-proto", b"") == b"https"
                location = same_page(self.base_path, scope["path"], rest)
                cookie = self.auth.set_cookie(secure=secure)
                return Response(status_code=303, headers={**_NOT_KEPT, "location": location, "set-cookie": cookie})
        elif self.auth.allows(headers):
            return None
        if is_data:
            raise HttpError(
                401,
                "the token is not the right one" if token is not None else "this server asks for a token",
                hint="send Authorization: Bearer TOKEN; the token is in the address that was printed at start",
            )
        # A same-site cookie does not come along when a link on another site was followed. Loading the page again from
        # itself brings it; if there is none, the second request is no longer cross-site and this page stays.
        refresh = token is None and headers.get(b"sec-fetch-site") == b"cross-site"
        return HTMLResponse(login_page(wrong=token is not None, refresh=refresh), 401, _NOT_KEPT)


def _error_page(error: HttpError) -> Response:
    problem = problem_for(error)
    body = f"<p>{escape(problem.detail)}.</p><p>{escape(problem.hint)}</p>"
    return HTMLResponse(message_page(problem.title, body), error.status, _NOT_KEPT)
