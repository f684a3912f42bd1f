"""The token: when it is asked for, how it is brought, and what one sees without it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.client import Server, eventually, serving
from tests.server.data import write_run

BARE: dict[str, str] = {"Authorization": ""}


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that other machines can reach."""
    run = write_run(tmp_path_factory.mktemp("open") / "run-a")
    index = tmp_path_factory.mktemp("index")
    with serving(run, host="0.0.0.0", env={"ROLLSCOPE_INDEX_DIR": str(index)}) as server:
        yield server


def cookie_of(server: Server, path: str = "/") -> str:
    reply = server.get(path, headers=BARE, token=server.token)
    assert reply.status == 303
    return reply.headers["set-cookie"]


def test_the_printed_address_has_a_token_that_cannot_be_guessed(open_server: Server) -> None:
    assert open_server.url.startswith(f"http://localhost:{open_server.port}/?token=")
    assert len(open_server.token or "") >= 32
    eventually(lambda: any("from other machines: http://" in line for line in open_server.said))


@pytest.mark.parametrize(
    "headers",
    [
        BARE,
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer "},
        {"Authorization": "Basic {token}"},
        {"Authorization": "", "Cookie": "rollscope_{port}={token}"},
        {"Authorization": "", "Cookie": "rollscope_{port}="},
        {"Authorization": "", "Cookie": "rollscope_1=x; other=y"},
    ],
)
def test_without_the_token_there_is_nothing(open_server: Server, headers: dict[str, str]) -> None:
    filled = {name: value.format(token=open_server.token, port=open_server.port) for name, value in headers.items()}
    for path in ("/api/runs", "/api/events", "/api/openapi.json", "/api/nothing"):
        reply = open_server.get(path, headers=filled)
        assert reply.status == 401
        assert reply.headers["content-type"] == "application/problem+json"
        assert reply.headers["www-authenticate"].startswith("Bearer")
        assert "Authorization: Bearer" in reply.json()["hint"]
    assert open_server.request("POST", "/api/cache/clear", headers=filled).status == 401
    for path in ("/", "/assets/x.js", "/run/train/1"):
        assert open_server.get(path, headers=filled).status == 401


def test_the_page_without_a_token_explains_and_takes_one(open_server: Server) -> None:
    reply = open_server.get("/run/x", headers=BARE)
    assert reply.headers["content-type"].startswith("text/html")
    assert "needs a token" in reply.text
    assert "?token=" in reply.text
    assert re.search(r'<form method="get"><input name="token"', reply.text)
    assert "<script" not in reply.text
    wrong = open_server.get("/", headers=BARE, token="wrong")
    assert wrong.status == 401
    assert "not the right one" in wrong.text
    assert "set-cookie" not in wrong.headers


def test_the_token_in_the_address_becomes_a_cookie_and_leaves_the_address(open_server: Server) -> None:
    reply = open_server.get("/run/x", headers=BARE, step=3, token=open_server.token, where="a = 'ü&='")
    assert reply.status == 303
    assert reply.headers["location"] == "./x?step=3&where=a+%3D+%27%C3%BC%26%3D%27"
    cookie = reply.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert (open_server.token or "") not in cookie
    assert open_server.get("/api/runs", headers={**BARE, "Cookie": cookie.split(";")[0]}).status == 200
    assert open_server.get("/", headers={**BARE, "Cookie": cookie.split(";")[0]}).status != 401


@pytest.mark.parametrize(
    "path", ["//evil.example", "//evil.example/x", "/\\evil.example", "/a:b", "/%2F%2Fevil.example"]
)
def test_the_redirect_leads_nowhere_else(open_server: Server, path: str) -> None:
    reply = open_server.get(path, headers=BARE, token=open_server.token)
    assert reply.status == 303
    assert reply.headers["location"].startswith("./")
    assert "//" not in reply.headers["location"]


def test_scripts_bring_the_token_in_a_header_or_in_the_address(open_server: Server) -> None:
    assert open_server.get("/api/runs").status == 200
    by_address = open_server.get("/api/runs", headers=BARE, token=open_server.token)
    assert by_address.status == 200
    assert "set-cookie" not in by_address.headers
    assert open_server.get("/api/runs", headers=BARE, token="wrong").status == 401


def test_a_wrong_token_in_the_address_is_not_saved_by_a_cookie(open_server: Server) -> None:
    cookie = cookie_of(open_server).split(";")[0]
    assert open_server.get("/api/runs", headers={**BARE, "Cookie": cookie}, token="wrong").status == 401


def test_health_asks_for_no_token(open_server: Server) -> None:
    assert open_server.get("/healthz", headers=BARE).status == 200


def test_behind_tls_the_cookie_is_for_tls_only(open_server: Server) -> None:
    headers = {**BARE, "X-Forwarded-Proto": "https"}
    assert "Secure" in open_server.get("/", headers=headers, token=open_server.token).headers["set-cookie"]
    assert "Secure" not in cookie_of(open_server)


def test_a_followed_link_from_another_site_is_tried_once_more_by_the_page_itself(open_server: Server) -> None:
    refresh = '<meta http-equiv="refresh" content="0">'
    assert refresh in open_server.get("/", headers={**BARE, "Sec-Fetch-Site": "cross-site"}).text
    assert refresh not in open_server.get("/", headers={**BARE, "Sec-Fetch-Site": "same-origin"}).text


def test_an_open_server_answers_to_addresses_and_to_no_strangers_name(open_server: Server) -> None:
    assert open_server.get("/api/runs", headers={"Host": f"10.1.2.3:{open_server.port}"}).status == 200
    assert open_server.get("/api/runs", headers={"Host": "evil.example"}).status == 421


def test_a_token_of_ones_own(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run-a", steps=1, samples=4)
    with serving(run, flags=["--token", "pass wörd;&"]) as server:
        assert server.url.endswith("/?token=pass%20w%C3%B6rd%3B%26")
        assert server.get("/api/runs", headers=BARE).status == 401
        cookie = server.get("/?token=pass%20w%C3%B6rd%3B%26", headers=BARE).headers["set-cookie"].split(";")[0]
        assert server.get("/api/runs", headers={**BARE, "Cookie": cookie}).status == 200


def test_no_token_is_asked_for_when_told_so_and_it_is_said(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run-a", steps=1, samples=4)
    with serving(
        run, host="0.0.0.0", flags=["--no-auth", "--allowed-hosts", "viewer.example, other.example"]
    ) as server:
        assert server.token is None
        eventually(lambda: any("without a token" in line for line in server.said))
        assert server.get("/api/runs").status == 200
        assert server.get("/api/runs", headers={"Host": "viewer.example"}).status == 200
        assert server.get("/api/runs", headers={"Host": "evil.example"}).status == 421


def test_a_loopback_server_asks_for_none(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run-a", steps=1, samples=4)
    with serving(run, host="localhost") as server:
        assert server.token is None
        assert server.get("/api/runs").status == 200
