"""An answer that is kept as bytes: everything but its `progress`, which changes while the rest does not."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from rollscope.query.answers import Progress
from rollscope.server.http.encoding import json_body
from rollscope.server.http.etag import content_tag

#: Stands where the progress goes. Within a string of JSON its quotes would be escaped: it occurs nowhere else.
_MARK = b'{"\\u0000progress\\u0000":0}'


class Sent(NamedTuple):
    """The whole answer as it was sent last, and its compressed forms as far as somebody wanted them."""

    progress: Progress
    body: bytes
    tag: str
    compressed: dict[str, bytes]


class CachedAnswer:
    def __init__(self, answer: Any) -> None:
        """`answer` is a struct with a field `progress`."""
        body = json_body(msgspec.structs.replace(answer, progress=msgspec.Raw(_MARK)))
        self._before, _, self._after = body.partition(_MARK)
        self.progress: Progress = answer.progress
        self._sent: Sent | None = None

    @property
    def size(self) -> int:
        sent = self._sent
        whole = len(sent.body) + sum(map(len, sent.compressed.values())) if sent is not None else 0
        return len(self._before) + len(self._after) + whole

    def sent(self, progress: Progress) -> Sent:
        """The whole answer as of now. Made again only if the progress has changed."""
        sent = self._sent
        if sent is None or sent.progress != progress:
            body = b"".join((self._before, json_body(progress), self._after))
            sent = self._sent = Sent(progress, body, content_tag(body), {})
        return sent
