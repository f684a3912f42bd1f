"""The short way out for answers that are bytes already."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from rollscope.server.http.protocol import SEND_WHOLE, LimitedProtocol, whole_sender


def connection() -> tuple[LimitedProtocol, Any, list[bytes]]:
    written: list[bytes] = []
    protocol = cast("Any", LimitedProtocol.__new__(LimitedProtocol))
    protocol.flow = SimpleNamespace(write_paused=False)
    protocol.transport = SimpleNamespace(write=written.append)
    cycle = SimpleNamespace(
        disconnected=False, response_started=False, response_complete=False, keep_alive=True,
        default_headers=[(b"date", b"today")], message_event=SimpleNamespace(set=lambda: None), on_response=lambda: None,
        more_body=False,
    )  # fmt: skip
    return protocol, cycle, written


def test_an_answer_goes_out_in_one_piece_and_once() -> None:
    protocol, cycle, written = connection()
    assert protocol.send_whole(cycle, b"etag: x\r\n", b"body")
    assert written == [b"HTTP/1.1 200 OK\r\ndate: today\r\netag: x\r\n\r\nbody"]
    assert cycle.response_complete
    assert not protocol.send_whole(cycle, b"", b"")


@pytest.mark.parametrize(("name", "value"), [("disconnected", True), ("response_started", True), ("keep_alive", False)])
def test_the_long_way_is_taken_where_something_is_special(name: str, value: bool) -> None:
    protocol, cycle, written = connection()
    setattr(cycle, name, value)
    assert not protocol.send_whole(cycle, b"", b"body")
    assert written == []


def test_a_client_that_reads_slowly_is_not_written_to() -> None:
    protocol, cycle, _ = connection()
    cast("Any", protocol).flow.write_paused = True
    assert not protocol.send_whole(cycle, b"", b"body")


def test_a_connection_waits_for_a_request_until_it_has_come_whole() -> None:
    protocol, cycle, _ = connection()
    loose = cast("Any", protocol)
    loose.cycle = None
    assert protocol.awaits_request()
    loose.cycle = cycle
    assert not protocol.awaits_request()
    cycle.more_body = True
    assert protocol.awaits_request()
    cycle.response_complete = True
    assert not protocol.awaits_request()
    loose.head_bytes = 10
    assert protocol.awaits_request()


def test_under_another_server_there_is_no_short_way() -> None:
    assert whole_sender({}) is None
    assert whole_sender({"extensions": None}) is None
    assert whole_sender({"extensions": {"tls": {}}}) is None
    way: Any = object()
    assert whole_sender({"extensions": {SEND_WHOLE: way}}) is way
