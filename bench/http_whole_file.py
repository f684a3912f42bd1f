"""What many viewers do: parse the whole step and send it to the page. Thirty lines, nothing kept out of unfairness."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

root = Path(sys.argv[1])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        step = int(self.path.rpartition("/")[2])
        with (root / "train" / f"{step}.jsonl").open(encoding="utf-8") as file:
            samples = [json.loads(line) for line in file]
        body = json.dumps(samples).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name in the base class
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
