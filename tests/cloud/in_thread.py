"""A server of this process that answers while a test asks it."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def answering(server: http.server.HTTPServer) -> Iterator[str]:
    """Its address. It answers in a thread, and is closed at the end."""
    with server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
