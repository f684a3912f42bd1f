"""The page: its files, and its one HTML document for every address that is not one of them."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from rollscope.server.access.login_page import message_page
from rollscope.server.http.encoding import COMPRESS_FROM
from rollscope.server.http.etag import content_tag, tag_matches

#: Where Vite puts the built page: the folder `server/static`, not this module.
STATIC = Path(__file__).parents[1] / "static"

#: Vite names these by their content, so a name never means other bytes.
HASHED = "assets/"

#: Not left to the machine's own table, which may call scripts anything.
MEDIA_TYPES = {
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

NOT_BUILT = message_page(
    "The page is not built",
    "<p>This copy of Rollscope runs from its sources, and its page has not been made yet. With Node 20 or newer:</p>"
    "<p><code>cd web &amp;&amp; npm ci &amp;&amp; npm run build</code></p>"
    "<p>Then load this page again. The API answers already, below <code>api/</code>.</p>",
)


def static_page(base_path: str, directory: Path = STATIC) -> ASGIApp:
    """The built page, compressed for those who take it. Its large files are fetched once per browser and build."""
    return GZipMiddleware(Page(base_path, directory), minimum_size=COMPRESS_FROM, compresslevel=4)


class Page(StaticFiles):
    def __init__(self, base_path: str, directory: Path) -> None:
        super().__init__(directory=directory, check_dir=False)
        # The folder may be missing until the page is built; that is answered, and not raised.
        self.config_checked = True
        self.base_path = base_path

    async def get_response(self, path: str, scope: Scope) -> Response:
        if scope["path"] == "/api" or scope["path"].startswith("/api/"):
            raise HTTPException(404)
        try:
            if path not in (".", "index.html"):
                return await super().get_response(path, scope)
        except HTTPException as error:
            # An asset of an earlier build: the page's document would be no answer to that.
            if error.status_code != 404 or path.startswith(HASHED):
                raise
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        return self.document(scope)

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        hashed = scope["path"].startswith("/" + HASHED)
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if hashed else "no-cache"
        if "content-type" in response.headers:
            suffix = os.path.splitext(full_path)[1].lower()
            response.headers["content-type"] = MEDIA_TYPES.get(suffix, "application/octet-stream")
        return response

    def document(self, scope: Scope) -> Response:
        """Read each time: it is 2 KB, and a new build is then served at once."""
        try:
            body = with_base((Path(str(self.directory)) / "index.html").read_bytes(), self.base_path)
        except OSError:
            return HTMLResponse(NOT_BUILT, 503, {"cache-control": "no-store"})
        tag = content_tag(body)
        headers = {"etag": tag, "cache-control": "no-cache"}
        asked: dict[bytes, bytes] = dict(scope["headers"])
        if tag_matches(asked.get(b"if-none-match", b"").decode("latin-1"), tag):
            return Response(status_code=304, headers=headers)
        return HTMLResponse(body, headers=headers)


def with_base(document: bytes, base_path: str) -> bytes:
    """The document with the place it is served from, so that its relative addresses hold at any depth of address.

    An element, not a script: the content security policy allows no inline script."""
    return document.replace(b"<head>", f'<head>\n    <base href="{escape(base_path)}/" />'.encode(), 1)
