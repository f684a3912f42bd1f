"""The page: its files, and its one HTML document for every address that is not one of them."""

from __future__ import annotations

from html import escape
from pathlib import Path

from starlette.types import Receive, Scope, Send

from rollscope.server.access.auth import message_page
from rollscope.server.http.encoding import COMPRESS_FROM, accepted_encoding, compress, content_tag, tag_matches

#: Where Vite puts the built page: `server/static`, beside this module's folder.
STATIC = Path(__file__).parents[1] / "static"

#: Vite names these by their content, so a name never means other bytes.
HASHED = "assets/"

#: Not left to the machine's own table, which may call scripts anything.
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".woff2": "font/woff2",
    ".woff": "font/woff",
    ".ttf": "font/ttf",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}
COMPRESSED = frozenset({".html", ".js", ".css", ".svg", ".json", ".ttf", ".txt", ".webmanifest"})

NOT_BUILT = message_page(
    "The page is not built",
    "<p>This copy of Rollscope runs from its sources, and its page has not been made yet. With Node 20 or newer:</p>"
    "<p><code>cd web &amp;&amp; npm ci &amp;&amp; npm run build</code></p>"
    "<p>Then load this page again. The API answers already, below <code>api/</code>.</p>",
)


class File:
    """A file of the page as it was when ``stamp`` was taken, and its compressed forms once they were asked for."""

    def __init__(self, path: Path, stamp: tuple[int, int], body: bytes) -> None:
        suffix = path.suffix.lower()
        self.stamp = stamp
        self.body = body
        self.media_type = MEDIA_TYPES.get(suffix, "application/octet-stream")
        self.compressible = suffix in COMPRESSED and len(body) > COMPRESS_FROM
        self.tag = content_tag(body)
        self.compressed: dict[str, bytes] = {}

    def in_encoding(self, encoding: str) -> bytes:
        if encoding not in self.compressed:
            self.compressed[encoding] = compress(self.body, encoding)
        return self.compressed[encoding]


class StaticPage:
    """Serves the built page below ``base_path``, as an ASGI application."""

    def __init__(self, base_path: str, directory: Path = STATIC) -> None:
        self.base_path = base_path
        self.directory = directory.resolve()
        self.files: dict[str, File] = {}

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            await _send(send, 405, b"only GET and HEAD\n", [("content-type", "text/plain"), ("allow", "GET, HEAD")])
            return
        name = scope["path"].lstrip("/")
        file = self.read(name) if name else None
        if file is None and name.startswith(HASHED):
            # An asset of an earlier build: the page's document would be no answer to that.
            await _send(send, 404, b"no such file\n", [("content-type", "text/plain"), ("cache-control", "no-store")])
            return
        page = file or self.read("index.html")
        if page is None:
            headers = [("content-type", MEDIA_TYPES[".html"]), ("cache-control", "no-store")]
            await _send(send, 503, NOT_BUILT, headers)
            return
        cache = "public, max-age=31536000, immutable" if name.startswith(HASHED) else "no-cache"
        await _send_file(scope["rollscope.headers"], send, page, cache)

    def read(self, name: str) -> File | None:
        """The file ``name`` of the page as it is now, or None if the page has no such file."""
        try:
            path = (self.directory / name).resolve(strict=True)
            if not path.is_file() or not path.is_relative_to(self.directory):
                return None
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            known = self.files.get(name)
            if known is None or known.stamp != stamp:
                body = path.read_bytes()
                known = File(path, stamp, with_base(body, self.base_path) if name == "index.html" else body)
                self.files[name] = known
        except (OSError, ValueError):  # no such file, a name that is none, a file that a build just replaced
            return None
        return known


def with_base(document: bytes, base_path: str) -> bytes:
    """The document with the place it is served from, so that its relative addresses hold at any depth of address.

    An element, not a script: the content security policy allows no inline script."""
    return document.replace(b"<head>", f'<head>\n    <base href="{escape(base_path)}/" />'.encode(), 1)


async def _send_file(asked: dict[bytes, bytes], send: Send, file: File, cache: str) -> None:
    headers = [("etag", file.tag), ("cache-control", cache), ("vary", "Accept-Encoding")]
    if tag_matches(asked.get(b"if-none-match", b"").decode("latin-1"), file.tag):
        await _send(send, 304, b"", headers)
        return
    headers.append(("content-type", file.media_type))
    encoding = accepted_encoding(asked.get(b"accept-encoding", b"").decode("latin-1")) if file.compressible else None
    if encoding is None:
        await _send(send, 200, file.body, headers)
    else:
        await _send(send, 200, file.in_encoding(encoding), [*headers, ("content-encoding", encoding)])


async def _send(send: Send, status: int, body: bytes, headers: list[tuple[str, str]]) -> None:
    raw = [(name.encode(), value.encode()) for name, value in headers]
    if status != 304:
        raw.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
