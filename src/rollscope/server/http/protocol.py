"""What reads and writes the socket: uvicorn's, with a limit on the length of a request's head, and a short way out for
answers that are bytes already."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

#: Far above any real head; it only has to be an end. What is counted may include the start of a body, since both may
#: come in one piece (uvloop reads 256 KB at a time).
MAX_HEAD_BYTES = 1_000_000

#: The name of the ASGI extension below.
SEND_WHOLE = "rollscope.send_whole"
#: (headers as they go over the wire, body) -> whether it was sent.
SendWhole = Callable[[bytes, bytes], bool]


class LimitedProtocol(HttpToolsProtocol):
    """One connection. A head without end would otherwise be kept in memory as it comes."""

    head_bytes = 0
    in_head = True
    #: All that came from the client.
    received = 0

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        if self.in_head:
            self.head_bytes += len(data)
            if self.head_bytes > MAX_HEAD_BYTES:
                self.send_400_response(f"The request's head is longer than {MAX_HEAD_BYTES:,} bytes.\n")
                return
        super().data_received(data)

    def on_headers_complete(self) -> None:
        self.in_head = False
        super().on_headers_complete()
        # ASGI says that an extension is a dictionary; this one stays in the house.
        self.scope["extensions"] = {SEND_WHOLE: partial(self.send_whole, self.cycle)}  # type: ignore[dict-item]

    def on_message_complete(self) -> None:
        self.in_head = True
        self.head_bytes = 0
        super().on_message_complete()

    def awaits_request(self) -> bool:
        """The client has connected and asked nothing yet, or has not come to the end of its request. Between requests it
        is uvicorn that closes the connection."""
        if self.cycle is None or self.head_bytes:
            return True
        return self.cycle.more_body and not self.cycle.response_complete

    def send_whole(self, cycle: RequestResponseCycle, headers: bytes, body: bytes) -> bool:
        """Answer 200 with these lines of headers. uvicorn's way through ASGI's messages looks at every header with two
        regular expressions and writes twice: 20 µs of the 70 that a warm sample takes. False where that way is needed."""
        if cycle.disconnected or cycle.response_started or not cycle.keep_alive or self.flow.write_paused:
            return False
        cycle.response_started = cycle.response_complete = True
        today = b"".join([b"%b: %b\r\n" % header for header in cycle.default_headers])
        self.transport.write(b"".join((b"HTTP/1.1 200 OK\r\n", today, headers, b"\r\n", body)))
        cycle.message_event.set()
        cycle.on_response()
        return True


def whole_sender(scope: Scope) -> SendWhole | None:
    """The short way out for the answer to this request; None under another server than ours."""
    extensions = scope.get("extensions")
    return extensions.get(SEND_WHOLE) if extensions else None
