"""ETags: what tells one version of an answer from another, and answers that a client can ask for again by them."""

from __future__ import annotations

import xxhash
from starlette.responses import Response

from rollscope.server.http.encoding import COMPRESS_FROM, accepted_encoding, compress

#: no-cache means: keep it, but ask each time whether it still holds.
_TAGGED = {"cache-control": "private, no-cache", "vary": "Accept-Encoding, Cookie, Authorization"}


def content_tag(body: bytes) -> str:
    """Weak, since a compressed and a plain body of the same answer share it."""
    return f'W/"{xxhash.xxh3_64_hexdigest(body)}"'


def version_tag(instance: str, run: str, version: int, request: bytes) -> str:
    return f'W/"{instance}-{xxhash.xxh3_64_hexdigest(run.encode() + request)}-{version:x}"'


def tag_matches(header: str, tag: str) -> bool:
    """Whether an If-None-Match header names ``tag``. Weak comparison, as RFC 9110 wants for it."""
    if not header:
        return False
    bare = tag.removeprefix("W/")
    return any(item.strip().removeprefix("W/") in (bare, "*") for item in header.split(","))


def tagged(
    body: bytes, tag: str, media_type: str, accept_encoding: str, compressed: dict[str, bytes] | None = None
) -> Response:
    """``body`` as an answer that can be asked for again by its tag, compressed if that is worth it and offered.
    ``compressed`` has its forms by encoding, and is added to."""
    headers = {**_TAGGED, "etag": tag, "content-type": media_type}
    encoding = accepted_encoding(accept_encoding) if len(body) > COMPRESS_FROM else None
    if encoding is not None:
        known = compressed.get(encoding) if compressed is not None else None
        body = known if known is not None else compress(body, encoding)
        if compressed is not None:
            compressed[encoding] = body
        headers["content-encoding"] = encoding
    return Response(body, headers=headers)


def not_modified(tag: str) -> Response:
    return Response(status_code=304, headers={**_TAGGED, "etag": tag})
