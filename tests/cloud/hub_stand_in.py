"""As much of the Hugging Face Hub's HTTP interface as huggingface_hub speaks to read: a stand-in, not the Hub itself.

It has repositories with commits, their listings in pages, files that are answered by a redirect to a signed address, tokens,
and buckets, whose files are replaced in place."""

from __future__ import annotations

import http.server
import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from msgspec import Struct, field
from tests.cloud.in_thread import answering

Files = dict[str, bytes]
TOKEN = "hf_not-a-token-but-looked-for"
SIGNATURE = "a-signature-that-is-looked-for"
#: Files of so many bytes lie elsewhere, as the Hub's large files do.
LARGE_BYTES = 1_000
PAGE = 5
WRITTEN = "2026-11-01T10:00:00.000Z"


class Hub(Struct):
    address: str = ""
    #: `datasets/lab/runs` or `models/lab/runs` -> its commits, the newest last.
    commits: dict[str, list[tuple[str, Files]]] = field(default_factory=dict)
    #: `buckets/lab/runs` -> what is in it now.
    buckets: dict[str, Files] = field(default_factory=dict)
    private: bool = False
    #: So many requests are answered with this first.
    busy: int = 0
    busy_status: int = 429
    asked: list[str] = field(default_factory=list)

    def push(self, files: Files, repository: str = "datasets/lab/runs") -> str:
        made = self.commits.setdefault(repository, [])
        commit = sha256(f"{repository} {len(made)}".encode()).hexdigest()[:40]
        made.append((commit, dict(files)))
        return commit

    def at(self, repository: str, revision: str) -> tuple[str, Files] | None:
        made = self.commits.get(repository, [])
        if revision in ("main", "refs/pr/1"):
            return made[-1] if made else None
        return next((each for each in made if each[0] == revision), None)


class _Hub(http.server.BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"
    # An answer in one piece: else each waits for the client's delayed acknowledgement.
    wbufsize = 1 << 16

    def _answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _json(self, content: object, **headers: str) -> None:
        self._answer(200, json.dumps(content).encode(), Content_Type="application/json", **headers)

    def _missing(self, code: str, status: int = 404) -> None:
        self._answer(status, X_Error_Code=code, X_Error_Message=code)

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        parts = [unquote(part) for part in url.path.strip("/").split("/")]
        self.hub.asked.append(f"{self.command} {unquote(self.path)}")
        if parts[0] == "signed":
            self._bytes(next(c for files in self._all() for c in files.values() if sha256(c).hexdigest() == parts[1]))
        elif self.hub.busy > 0:
            self.hub.busy -= 1
            self._answer(self.hub.busy_status)
        elif self.hub.private and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._missing("RepoNotFound", 401)
        elif parts[0] == "api":
            self._information(parts[1:], parse_qs(url.query))
        else:
            self._file(parts)

    do_HEAD = do_GET  # noqa: N815  # the name that http.server looks for

    def do_POST(self) -> None:
        """What a bucket has under these paths."""
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        parts = urlsplit(self.path).path.strip("/").split("/")
        self.hub.asked.append(f"POST {self.path}")
        files = self.hub.buckets.get("/".join(parts[1:4]), {})
        self._json([_described(path, files[path], bucket=True) for path in body["paths"] if path in files])

    def _all(self) -> Iterator[Files]:
        yield from self.hub.buckets.values()
        yield from (files for made in self.hub.commits.values() for _, files in made)

    def _information(self, parts: list[str], query: dict[str, list[str]]) -> None:
        name, rest = "/".join(parts[:3]), parts[3:]
        if parts[0] == "buckets":
            files = self.hub.buckets.get(name)
            if files is None:
                self._missing("RepoNotFound")
            elif not rest:
                self._json({"id": name.removeprefix("buckets/"), "private": self.hub.private, "createdAt": WRITTEN,
                            "size": sum(map(len, files.values())), "totalFiles": len(files)})  # fmt: skip
            else:
                self._tree(files, "/".join(rest[1:]), query, bucket=True)
            return
        if name not in self.hub.commits:
            self._missing("RepoNotFound")
            return
        found = self.hub.at(name, rest[1] if len(rest) > 1 else "main")
        if found is None:
            self._missing("RevisionNotFound")
        elif rest and rest[0] == "tree":
            self._tree(found[1], "/".join(rest[2:]), query)
        else:
            self._json({"id": name.partition("/")[2], "sha": found[0], "siblings": [], "tags": []})

    def _tree(self, files: Files, folder: str, query: dict[str, list[str]], bucket: bool = False) -> None:
        below = {path for path in files if not folder or path.startswith(f"{folder}/")}
        if folder and not below and not bucket:
            self._missing("EntryNotFound")
            return
        start = len(folder) + 1 if folder else 0
        entries = [_described(path, files[path], bucket) for path in sorted(below)]
        if query.get("recursive", ["false"])[0].lower() != "true":
            folders = {path[: path.index("/", start)] for path in below if "/" in path[start:]}
            entries = [entry for entry in entries if "/" not in entry["path"][start:]]
            entries += [{"type": "directory", "path": path, "oid": "0" * 40, "size": 0} for path in sorted(folders)]
        first = int(query.get("cursor", ["0"])[0])
        headers = {}
        if first + PAGE < len(entries):
            page = f"{self.hub.address}{urlsplit(self.path).path}"
            given = f"recursive={query.get('recursive', ['false'])[0]}&cursor={first + PAGE}"
            headers["Link"] = f'<{page}?{given}>; rel="next"'
        self._json(entries[first : first + PAGE], **headers)

    def _file(self, parts: list[str]) -> None:
        if parts[0] not in ("datasets", "buckets"):
            parts = ["models", *parts]
        name, rest = "/".join(parts[:3]), parts[3:]
        if parts[0] == "buckets":
            content = self.hub.buckets.get(name, {}).get("/".join(rest[1:]))
        else:
            found = self.hub.at(name, rest[1])
            content = found[1].get("/".join(rest[2:])) if found else None
        if content is None:
            self._missing("EntryNotFound")
        elif len(content) >= LARGE_BYTES:
            self._answer(302, Location=f"{self.hub.address}/signed/{sha256(content).hexdigest()}?Signature={SIGNATURE}")
        else:
            self._bytes(content)

    def _bytes(self, content: bytes) -> None:
        asked = self.headers.get("Range")
        if asked is None:
            self._answer(200, content)
            return
        first, _, last = asked.removeprefix("bytes=").partition("-")
        part = content[int(first) : int(last) + 1]
        self._answer(206, part, Content_Range=f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}")

    def log_message(self, *_: Any) -> None:
        return


def _described(path: str, content: bytes, bucket: bool = False) -> dict[str, Any]:
    name = sha256(content).hexdigest()
    found: dict[str, Any] = {"type": "file", "path": path, "size": len(content)}
    if bucket:
        return {**found, "xetHash": name, "mtime": WRITTEN, "uploadedAt": WRITTEN}
    if len(content) < LARGE_BYTES:
        return {**found, "oid": name[:40]}
    # Its entry in git is a pointer, whose name says nothing to a reader.
    return {**found, "oid": "0" * 40, "lfs": {"oid": name, "size": len(content), "pointerSize": 134}}


@contextmanager
def hub_stand_in() -> Iterator[Hub]:
    hub = Hub()
    handler = type("_Here", (_Hub,), {"hub": hub})
    with answering(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)) as hub.address:
        yield hub
