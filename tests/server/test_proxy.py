"""Behind a real nginx, below a prefix of two segments: one that takes the prefix away, and one that leaves it."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.server.client import Events, Server, eventually, serving
from tests.server.data import append, record, write_run

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
PREFIX = "/absproxy/8080"

CONFIG = """
daemon off;
master_process off;
pid {home}/nginx.pid;
error_log stderr;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {home}/body;
    proxy_temp_path {home}/proxy;
    fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi;
    scgi_temp_path {home}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location {prefix}/ {{
            proxy_pass http://127.0.0.1:{upstream}{path};
            proxy_http_version 1.1;
            {host}
        }}
        location / {{ return 418; }}
    }}
}}
"""


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@contextmanager
def nginx(upstream: int, home: Path, *, strips: bool, passes_host: bool) -> Iterator[int]:
    if NGINX is None:
        pytest.skip("nginx is not installed (apt install nginx-light)")
    port = free_port()
    home.mkdir()
    config = home / "nginx.conf"
    config.write_text(
        CONFIG.format(
            home=home,
            port=port,
            prefix=PREFIX,
            upstream=upstream,
            path="/" if strips else "",
            host="proxy_set_header Host $http_host;" if passes_host else "",
        )
    )
    process = subprocess.Popen([NGINX, "-c", str(config), "-p", str(home), "-e", "stderr"], stderr=subprocess.PIPE)

    def listening() -> bool:
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        with socket.socket() as sock:
            return sock.connect_ex(("127.0.0.1", port)) == 0

    try:
        eventually(listening)
        yield port
    finally:
        process.terminate()
        process.wait(30)
        if process.stderr:
            process.stderr.close()


@pytest.fixture(params=["strips the prefix", "leaves the prefix"])
def strips(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "strips the prefix")


@pytest.fixture(params=["passes Host on", "sets its own Host"])
def passes_host(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "passes Host on")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run-a", steps=2, samples=8)


@pytest.fixture
def proxied(path: Path, tmp_path: Path, strips: bool, passes_host: bool) -> Iterator[Server]:
    """The server as it is seen through the proxy."""
    with (
        serving(path, flags=["--base-path", PREFIX]) as server,
        nginx(server.port, tmp_path / "nginx", strips=strips, passes_host=passes_host) as port,
    ):
        assert server.url == f"http://127.0.0.1:{server.port}{PREFIX}/"
        yield replace(server, url=f"http://127.0.0.1:{port}{PREFIX}/")


def test_page_and_api_work_below_the_prefix(proxied: Server) -> None:
    for inner in ("/", "/run-a/train/1", ""):
        page = proxied.get(f"{PREFIX}{inner}" if inner else f"{PREFIX}/x/..")
        assert page.status in (200, 503), page.text
        assert page.headers["content-type"].startswith("text/html")
    (run,) = proxied.json(f"{PREFIX}/api/runs")
    assert run["name"] == "run-a"
    sample = proxied.json(f"{PREFIX}/api/runs/{run['id']}/sample", address="train/1/3")
    assert sample["address"] == "train/1/3"
    missing = proxied.get(f"{PREFIX}/api/nothing")
    assert missing.headers["content-type"] == "application/problem+json"


def test_the_page_s_own_addresses_lead_back_through_the_proxy(proxied: Server) -> None:
    page = proxied.get(f"{PREFIX}/run-a/train/1")
    assert page.status == 200, "make page builds it"
    base = re.search(r'<base href="([^"]*)"', page.text)
    assert base is not None
    assert base[1] == f"{PREFIX}/"
    assets = re.findall(r'(?:src|href)="\./(assets/[^"]+)"', page.text)
    assert assets
    for asset in assets:
        reply = proxied.get(base[1] + asset)
        assert reply.status == 200
        assert "immutable" in reply.headers["cache-control"]


def test_changes_are_accepted_from_the_proxied_page_only(proxied: Server) -> None:
    own = {"Origin": f"http://127.0.0.1:{proxied.port}", "Sec-Fetch-Site": "same-origin"}
    assert proxied.request("POST", f"{PREFIX}/api/cache/clear", headers=own).status == 200
    other = {"Origin": "http://evil.example"}
    assert proxied.request("POST", f"{PREFIX}/api/cache/clear", headers=other).status == 403


def test_events_and_searches_are_not_held_back(proxied: Server, path: Path) -> None:
    run = proxied.json(f"{PREFIX}/api/runs")[0]["id"]
    with Events(proxied, f"{PREFIX}/api/events") as events:
        eventually(lambda: events.named("hello"))
        proxied.json(f"{PREFIX}/api/runs/{run}/steps", wait=30)
        append(path / "train" / "1.jsonl", record(1, 8))
        eventually(lambda: [e for e in events.named("run") if e["splits"] and e["splits"][0]["samples"] == 17])
    found = proxied.get(f"{PREFIX}/api/runs/{run}/search", q="answer", limit=3).text.splitlines()
    assert len(found) == 4


def test_the_token_becomes_a_cookie_below_the_prefix(path: Path, tmp_path: Path, strips: bool) -> None:
    with (
        serving(path, flags=["--base-path", PREFIX, "--token", "abcdefgh"]) as server,
        nginx(server.port, tmp_path / "nginx", strips=strips, passes_host=True) as port,
    ):
        bare = {"Authorization": ""}
        for page in ("/", "/run-a/train/1"):
            reply = server.get(f"{PREFIX}{page}?token=abcdefgh&step=2", headers=bare, port=port)
            assert reply.status == 303
            assert reply.headers["location"] == f"{PREFIX}{page}?step=2"
            assert f"Path={PREFIX}" in reply.headers["set-cookie"].split("; ")
        cookie = reply.headers["set-cookie"].split(";")[0]
        assert server.get(f"{PREFIX}/api/runs", headers={**bare, "Cookie": cookie}, port=port).status == 200
        assert server.get(f"{PREFIX}/api/runs", headers=bare, port=port).status == 401
