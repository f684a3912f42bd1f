"""What the server says about itself."""

from __future__ import annotations

from tests.server.client import Server

from rollscope.server.api import ENDPOINTS


def test_the_cache_counts_and_can_be_emptied(server: Server, run: str) -> None:
    server.request("POST", "/api/cache/clear")
    before = server.json("/api/cache/stats")
    assert before["entries"] == 0
    for _ in range(2):
        server.json(f"{run}/sample", address="train/2/1")
    after = server.json("/api/cache/stats")
    assert after["misses"] == before["misses"] + 1
    assert after["hits"] == before["hits"] + 1
    assert 0 < after["memory_mb"] <= after["max_memory_mb"]
    assert server.request("POST", "/api/cache/clear").json()["entries"] == 0


def test_the_version_says_the_limits(server: Server) -> None:
    version = server.json("/api/version")
    assert version["max_rows"] == 10_000
    assert version["base_path"] == ""


def test_the_openapi_document_is_served(server: Server) -> None:
    served = server.json("/api/openapi.json")
    assert {endpoint.path for endpoint in ENDPOINTS} == set(served["paths"])


def test_health_is_told(server: Server) -> None:
    assert (server.get("/healthz").status, server.get("/healthz").text) == (200, "ok\n")


def test_head_has_the_headers_and_no_body(server: Server) -> None:
    got, asked = server.get("/api/runs"), server.request("HEAD", "/api/runs")
    assert asked.status == 200
    assert asked.body == b""
    assert asked.headers["etag"] == got.headers["etag"]
