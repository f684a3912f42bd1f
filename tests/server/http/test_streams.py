"""Answers that are sent while they are made."""

from __future__ import annotations

from collections.abc import AsyncIterator

from tests.server.asgi import ask

from rollscope.server.http.streams import Stream


async def pieces() -> AsyncIterator[bytes]:
    yield b"one\n"
    yield b"two\n"


def test_pieces_are_sent_and_nobody_holds_them_back() -> None:
    sent = ask(Stream(pieces(), "application/jsonl"), "/")
    assert (sent.status, sent.body) == (200, b"one\ntwo\n")
    assert sent.headers["content-type"] == "application/jsonl"
    assert (sent.headers["cache-control"], sent.headers["x-accel-buffering"]) == ("no-store", "no")
    assert "content-length" not in sent.headers
