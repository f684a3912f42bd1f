"""Answers that are sent while they are made. Starlette stops making them when the client goes away."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.responses import StreamingResponse


class Stream(StreamingResponse):
    def __init__(self, pieces: AsyncIterator[bytes], media_type: str) -> None:
        # nginx would otherwise hold pieces back until it has a buffer full.
        headers = {"cache-control": "no-store", "x-accel-buffering": "no", "content-type": media_type}
        super().__init__(pieces, headers=headers)
