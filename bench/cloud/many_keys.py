"""A bucket of a million keys: no server here takes so many in a reasonable time, so a stand-in makes them up as they are
asked for. It runs in a process of its own, and only what the reader does is counted."""

from __future__ import annotations

import http.server
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

from bench.cloud.place import Place, holds
from bench.measure import Row

PAGE = 1_000
BODY = (
    '{{"rollout_id": {step}, "sample_index": 0, "prompt": "What is {step}?", "response": "It is {step}.", "reward": 1.0, '
    '"response_length": 3, "total_length": 9, "status": "completed", "group_index": 0, "label": "1"}}\n'
)
#: What every file is padded to, so that a listing can say its size.
SIZE = 256


class Handler(http.server.BaseHTTPRequestHandler):
    """S3's listings, a page at a time, and ranges of objects; checks nobody's signature."""

    keys: ClassVar[int] = 0
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = parse_qs(url.query)
        if "list-type" in query:
            self._answer(200, self._listed(int(query.get("continuation-token", ["0"])[0])).encode())
            return
        step = url.path.rpartition("/")[2].removesuffix(".jsonl")
        body = BODY.format(step=step).rstrip().ljust(SIZE - 1).encode() + b"\n"
        first, _, last = self.headers.get("Range", f"bytes=0-{SIZE - 1}").removeprefix("bytes=").partition("-")
        part = body[int(first) : int(last) + 1]
        self._answer(206, part, ("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{SIZE}"))

    def _listed(self, start: int) -> str:
        end = min(start + PAGE, self.keys)
        items = "".join(
            f"<Contents><Key>run/train/{step}.jsonl</Key><LastModified>2026-11-01T10:00:00.000Z</LastModified>"
            f'<ETag>"{step}"</ETag><Size>{SIZE}</Size></Contents>'
            for step in range(start, end)
        )
        more = f"<NextContinuationToken>{end}</NextContinuationToken>" if end < self.keys else ""
        cut = "true" if more else "false"
        return f"<ListBucketResult>{items}{more}<IsTruncated>{cut}</IsTruncated></ListBucketResult>"

    def _answer(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (*headers, ("ETag", f'"{urlsplit(self.path).path.rpartition("/")[2].partition(".")[0]}"')):
            self.send_header(name, value)
        self.send_header("Last-Modified", "Sun, 01 Nov 2026 10:00:00 GMT")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


def serve(keys: int) -> None:
    Handler.keys = keys
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever()


READER = """
import os, sys, time
import rollscope
from bench.measure import private_megabytes
from rollscope.storage.open_store import open_store
url, step = sys.argv[1:]
start = time.process_time()
count = len(open_store(url).files("train"))
listing = time.process_time() - start, private_megabytes(os.getpid())
run = rollscope.open(url)
said = run.raw(f"train/{step}/0")
print(count, *listing, time.process_time() - start, private_megabytes(os.getpid()), f"It is {step}." in said)
"""


def many_keys(place: Place) -> Iterator[Row]:
    """Read by a process of its own, as if it had just been started."""
    code = f"from bench.cloud.many_keys import serve; serve({place.sizes.keys})"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            environment = {**os.environ, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.stdout.readline().strip()}"}
            command = [sys.executable, "-c", READER, "s3://lab/run", str(place.sizes.keys // 2)]
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        finally:
            server.kill()
    count, listing, listing_megabytes, whole, megabytes, right = done.stdout.split()
    what = f"{float(listing):.1f} s CPU, {float(listing_megabytes):.0f} MB"
    yield holds(f"a listing of {place.sizes.keys:,} keys: all are seen", what, int(count) == place.sizes.keys)
    what = f"{float(whole):.1f} s CPU, {float(megabytes):.0f} MB"
    yield holds("… the run and a sample of it open", what, right == "True")
