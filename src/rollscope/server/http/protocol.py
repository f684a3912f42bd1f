"""HTTP from the socket, with a limit that uvicorn does not have: on the length of a request's head."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

#: Far above any real head; it only has to be an end. What is counted may include the start of a body, since both may
#: come in one piece (uvloop reads 256 KB at a time).
MAX_HEAD_BYTES = 1_000_000


class LimitedProtocol(HttpToolsProtocol):
    """One connection. A head without end would otherwise be kept in memory as it comes."""

    head_bytes = 0
    in_head = True

    def data_received(self, data: bytes) -> None:
        if self.in_head:
            self.head_bytes += len(data)
            if self.head_bytes > MAX_HEAD_BYTES:
                self.send_400_response(f"The request's head is longer than {MAX_HEAD_BYTES:,} bytes.\n")
                return
        super().data_received(data)

    def on_headers_complete(self) -> None:
        self.in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self.in_head = True
        self.head_bytes = 0
        super().on_message_complete()
