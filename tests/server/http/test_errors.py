"""What a client is told when a request is wrong: problem+json, one sentence of what and one of what to do."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import socket

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message
from tests.server.client import Reply, Server

from rollscope.server.http.errors import EXCEPTION_HANDLERS
from rollscope.server.http.protocol import MAX_HEAD_BYTES
from rollscope.server.options import MAX_BODY_BYTES, MAX_QUERY_BYTES

JSON = {"Content-Type": "application/json"}


def is_problem(reply: Reply, status: int) -> str:
    """All that is said, in one text."""
    assert reply.status == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.headers["cache-control"] == "no-store"
    problem = reply.json()
    assert problem["status"] == status
    assert problem["title"]
    assert problem["detail"]
    assert "Traceback" not in reply.text
    return f"{problem['detail']} {problem.get('hint', '')}"


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/nothing", "/api/runs/", "/api/runs/x/y/z", "/api/../etc/passwd"]
)
def test_addresses_below_api_that_are_none(server: Server, path: str) -> None:
    assert "openapi.json" in is_problem(server.get(path), 404)


def test_a_run_that_is_not_there_names_those_that_are(server: Server) -> None:
    assert "run-a" in is_problem(server.get("/api/runs/run-b"), 404)


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("train/1/24", 404, "0 to 23"),
        ("train/9/0", 404, "train"),
        ("eval/none/0/0", 404, "aime24"),
        ("train/1/-1", 404, "train/1"),
        ("twelve", 400, "train/12/37"),
        ("../../etc/passwd", 400, "train/12/37"),
        ("train/1/1/../../../x", 400, "train/12/37"),
    ],
)
def test_samples_that_are_not_there(server: Server, run: str, address: str, status: int, said: str) -> None:
    assert said in is_problem(server.get(f"{run}/sample", address=address), status)
    assert said in is_problem(server.get(f"{run}/raw", address=address), status)


def test_a_filter_that_does_not_parse_says_where(server: Server, run: str) -> None:
    reply = server.get(f"{run}/samples", step=0, where="reward < ")
    is_problem(reply, 400)
    assert reply.json()["position"] >= 8


def test_an_unknown_field_names_the_nearest(server: Server, run: str) -> None:
    assert "reward" in is_problem(server.get(f"{run}/samples", step=0, where="rewrad < 1"), 400)


def test_unknown_parameters_name_the_known_ones(server: Server, run: str) -> None:
    said = is_problem(server.get(f"{run}/samples", stpe=1), 400)
    assert "'stpe'" in said
    assert "step" in said
    assert "where" in said
    is_problem(server.get("/api/cache/stats", x=1), 400)


def test_values_that_are_none(server: Server, run: str) -> None:
    assert "'step'" in is_problem(server.get(f"{run}/samples", step="one"), 400)
    assert "10000" in is_problem(server.get(f"{run}/samples", limit=10_001), 400)
    assert "'address'" in is_problem(server.get(f"{run}/sample"), 400)


@pytest.mark.parametrize("query", ["%ff=1", "a=%ff%fe", "&".join("a=1" for _ in range(2_000))])
def test_query_strings_that_cannot_be_read(server: Server, run: str, query: str) -> None:
    is_problem(server.get(f"{run}/samples?{query}"), 400)


def test_an_unknown_series_and_a_sql_error(server: Server, run: str) -> None:
    is_problem(server.get(f"{run}/series", name="no/such/metric"), 404)
    is_problem(server.get(f"{run}/distribution", field="nothing"), 404)
    is_problem(server.get(f"{run}/sql", query="SELEC 1"), 400)
    assert "nosuch" in is_problem(server.get(f"{run}/sql", query="SELECT nosuch FROM samples"), 400)


def test_a_search_that_cannot_start_is_an_error_and_no_stream(server: Server, run: str) -> None:
    is_problem(server.get(f"{run}/search", q="(", regex=1), 400)
    is_problem(server.get(f"{run}/search", q="x", where="reward <"), 400)
    is_problem(server.get(f"{run}/search"), 400)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_methods_that_are_not_for_an_address(server: Server, method: str) -> None:
    reply = server.request(method, "/api/runs")
    assert "GET" in is_problem(reply, 405)
    assert set(reply.headers["allow"].split(", ")) == {"GET", "HEAD"}


def test_all_methods_of_an_address_are_allowed(server: Server) -> None:
    allowed = server.request("POST", "/api/dashboards/a").headers["allow"]
    assert set(allowed.split(", ")) == {"GET", "HEAD", "PUT", "DELETE"}


def test_a_mistake_of_ours_is_told_in_one_sentence_and_logged_whole() -> None:
    def broken(_request: Request) -> Response:
        raise UnicodeError("the traceback's own words")

    app = Starlette(routes=[Route("/broken", broken)], exception_handlers=EXCEPTION_HANDLERS)
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError("no body is read")

    scope = {"type": "http", "method": "GET", "path": "/broken", "query_string": b"", "headers": []}
    with pytest.raises(UnicodeError, match="own words"):  # which uvicorn prints with its traceback
        asyncio.run(app(scope, receive, send))
    assert sent[0]["status"] == 500
    problem = json.loads(sent[1]["body"])
    assert problem["detail"] == "UnicodeError while answering"
    assert "report" in problem["hint"]


def test_a_body_that_is_too_long_is_refused_before_it_is_read(server: Server) -> None:
    body = b'{"layout": {"a": "' + b"x" * MAX_BODY_BYTES + b'"}}'
    assert f"{MAX_BODY_BYTES:,}" in is_problem(server.request("PUT", "/api/dashboards/a", headers=JSON, body=body), 413)


def test_a_body_of_unknown_length_is_refused_when_it_gets_too_long(server: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    pieces = (b"x" * 65_536 for _ in range(32))
    try:
        connection.request("PUT", "/api/dashboards/a", headers=JSON, body=pieces, encode_chunked=True)
        status = connection.getresponse().status
    except (BrokenPipeError, ConnectionResetError):
        # It answered and closed while we were still sending: read what it said.
        status = connection.getresponse().status
    finally:
        connection.close()
    assert status == 413


def test_a_body_of_another_kind_is_refused(server: Server) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert "JSON" in is_problem(server.request("PUT", "/api/dashboards/a", headers=form, body=b"a=1"), 415)
    assert "JSON" in is_problem(server.request("PUT", "/api/dashboards/a", body=b"{}"), 415)


def test_an_address_that_is_too_long(server: Server, run: str) -> None:
    said = is_problem(server.get(f"{run}/samples", where="x" * MAX_QUERY_BYTES), 414)
    assert f"{MAX_QUERY_BYTES:,}" in said


def test_a_head_without_end_is_ended(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ")
        sent = 0
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while sent < 64 * MAX_HEAD_BYTES:
                sent += raw.send(b"x" * 65_536)
    assert sent < 64 * MAX_HEAD_BYTES
    assert server.get("/healthz").status == 200


def test_a_connection_may_ask_many_times(server: Server) -> None:
    """The limit is one request's, not a connection's."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for _ in range(40):
        connection.request("GET", "/healthz", headers={"X-Long": "x" * 50_000})
        response = connection.getresponse()
        assert (response.status, response.read()) == (200, b"ok\n")
    connection.close()


def test_a_request_that_is_no_http_does_not_stop_the_server(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
        raw.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        raw.recv(1_000)
    assert server.get("/healthz").status == 200
