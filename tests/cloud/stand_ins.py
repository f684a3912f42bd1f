"""As much of Google's and Azure's protocols as obstore speaks with them, over a dict: no such server can be installed here.
It answers listings, ranges, If-Match, and puts that must not overwrite, and checks nobody's signature."""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from hashlib import md5
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from tests.cloud.in_thread import answering

Objects = dict[str, bytes]


class _Blobs(http.server.BaseHTTPRequestHandler):
    """`/[ACCOUNT/]CONTAINER/KEY`; a listing where there is no key."""

    objects: Objects
    lock: threading.Lock
    depth: int
    protocol_version = "HTTP/1.1"

    def _answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", headers.get("length", str(len(body))))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _key(self) -> tuple[str, dict[str, list[str]]]:
        url = urlsplit(self.path)
        return unquote("/".join(url.path.split("/")[self.depth :])), parse_qs(url.query)

    def do_GET(self) -> None:
        key, query = self._key()
        if not key:
            prefix = query.get("prefix", [""])[0]
            found = {name: content for name, content in sorted(self.objects.items()) if name.startswith(prefix)}
            folders: set[str] = set()
            if "delimiter" in query:
                start = len(prefix)
                folders = {name[: name.index("/", start) + 1] for name in found if "/" in name[start:]}
                found = {name: content for name, content in found.items() if "/" not in name[start:]}
            self._answer(200, self._listing(found, sorted(folders)).encode(), Content_Type="application/xml")
            return
        content = self.objects.get(key)
        if content is None:
            self._answer(404)
            return
        tag = etag(content)
        if self.headers.get("If-Match", tag) != tag:
            self._answer(412)
            return
        headers = {"ETag": tag, "Last_Modified": formatdate(1.79e9, usegmt=True), "x_goog_generation": "1"}
        if asked := self.headers.get("Range") or self.headers.get("x-ms-range"):
            first, _, last = asked.removeprefix("bytes=").partition("-")
            part = content[int(first) : int(last) + 1]
            headers["Content_Range"] = f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}"
            self._answer(206, part, **headers)
            return
        self._answer(200, content, **headers)

    do_HEAD = do_GET  # noqa: N815  # the name that http.server looks for

    def do_PUT(self) -> None:
        key, _ = self._key()
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        once = self.headers.get("x-goog-if-generation-match") == "0" or self.headers.get("If-None-Match") == "*"
        with self.lock:
            if once and key in self.objects:
                self._answer(412 if self.depth == 2 else 409)
                return
            self.objects[key] = content
        self._answer(201 if self.depth == 3 else 200, ETag=etag(content), x_goog_generation="1")

    def do_DELETE(self) -> None:
        self.objects.pop(self._key()[0], None)
        self._answer(202 if self.depth == 3 else 204)

    def do_POST(self) -> None:
        """Azure's batch of deletions: requests in a body, answers in another."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        answers = ""
        for number, path in enumerate(re.findall(r"^DELETE (\S+) HTTP", body, re.MULTILINE)):
            self.objects.pop(unquote("/".join(urlsplit(path).path.split("/")[self.depth :])), None)
            answers += f"--b\r\nContent-Type: application/http\r\nContent-ID: {number}\r\n\r\n"
            answers += "HTTP/1.1 202 Accepted\r\nx-ms-request-id: 1\r\nx-ms-version: 2023-11-03\r\n\r\n\r\n"
        self._answer(202, (answers + "--b--\r\n").encode(), Content_Type="multipart/mixed; boundary=b")

    def _listing(self, found: Objects, folders: list[str]) -> str:
        if self.depth == 2:
            items = "".join(
                f"<Contents><Key>{escape(name)}</Key><LastModified>2026-11-01T10:00:00.000Z</LastModified>"
                f"<ETag>{etag(content)}</ETag><Size>{len(content)}</Size></Contents>"
                for name, content in found.items()
            )
            items += "".join(f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>" for name in folders)
            return f"<ListBucketResult>{items}<IsTruncated>false</IsTruncated></ListBucketResult>"
        items = "".join(
            f"<Blob><Name>{escape(name)}</Name><Properties><Last-Modified>{formatdate(1.79e9, usegmt=True)}"
            f"</Last-Modified><Etag>{etag(content)}</Etag><Content-Length>{len(content)}</Content-Length>"
            "<Content-Type>application/octet-stream</Content-Type><ResourceType>file</ResourceType></Properties></Blob>"
            for name, content in found.items()
        )
        items += "".join(f"<BlobPrefix><Name>{escape(name)}</Name></BlobPrefix>" for name in folders)
        return f"<EnumerationResults><Blobs>{items}</Blobs><NextMarker/></EnumerationResults>"

    def log_message(self, *_: Any) -> None:
        return


def etag(content: bytes) -> str:
    return f'"{md5(content, usedforsecurity=False).hexdigest()}"'


@contextmanager
def blobs(depth: int) -> Iterator[tuple[str, Objects]]:
    """Its address, and what is in it. `depth`: words of a path before the key; 2 for Google, 3 for Azure."""
    objects: Objects = {}
    handler = type("_Here", (_Blobs,), {"objects": objects, "depth": depth, "lock": threading.Lock()})
    with answering(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        yield address, objects
