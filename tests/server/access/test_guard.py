"""Who may ask: Host, Origin, and what the headers of every answer forbid."""

from __future__ import annotations

import pytest
from tests.server.client import Server

from rollscope.server.access.guard import PAGE_POLICY

CROSS = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:{port}", "127.0.0.1:{port}", "127.0.0.1", "[::1]:{port}"])
def test_a_loopback_server_answers_to_its_own_names(server: Server, host: str) -> None:
    reply = server.get("/api/runs", headers={"Host": host.format(port=server.port)})
    assert reply.status == 200, reply.text


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example:80", "10.0.0.1", "rollscope", "127.0.0.1.nip.io"]
)
def test_a_name_pointed_at_this_machine_by_others_is_refused(server: Server, host: str) -> None:
    for path in ("/api/runs", "/healthz"):
        reply = server.get(path, headers={"Host": host})
        assert reply.status == 421
        assert "--allowed-hosts" in reply.json()["hint"]
    page = server.get("/", headers={"Host": host})
    assert page.status == 421
    assert page.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("host", ["", "a b", "<script>", "localhost:80:80", "localhost/"])
def test_a_host_that_is_no_name(server: Server, host: str) -> None:
    assert server.get("/api/runs", headers={"Host": host}).status == 400


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "file://"},
        {"Origin": "http://127.0.0.1.evil.example"},
        CROSS,
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_other_sites_pages_change_nothing(server: Server, headers: dict[str, str]) -> None:
    for method, path in (("POST", "/api/cache/clear"), ("PUT", "/api/dashboards/x"), ("DELETE", "/api/dashboards/x")):
        reply = server.request(
            method, path, headers={"Content-Type": "application/json", **headers}, body=b'{"layout":{}}'
        )
        assert reply.status == 403, (method, reply.text)
    assert server.json("/api/dashboards") == []


def test_the_page_itself_and_scripts_may(server: Server) -> None:
    own = f"http://127.0.0.1:{server.port}"
    for headers in ({}, {"Origin": own}, {"Origin": own, "Sec-Fetch-Site": "same-origin"}):
        assert server.request("POST", "/api/cache/clear", headers=headers).status == 200


def test_behind_a_proxy_the_origin_is_the_host_that_the_proxy_was_called_by(server: Server) -> None:
    headers = {"Origin": "https://viewer.example", "X-Forwarded-Host": "viewer.example"}
    assert server.request("POST", "/api/cache/clear", headers=headers).status == 200


def test_other_sites_pages_get_no_data(server: Server) -> None:
    assert server.get("/api/runs", headers=CROSS).status == 403
    assert server.get("/api/runs", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}).status == 403
    assert server.get("/api/runs", headers={"Origin": "http://evil.example"}).status == 403
    own = {"Origin": f"http://127.0.0.1:{server.port}"}
    assert server.get("/api/runs", headers=own).status == 200
    # A link that is followed is no page reading an answer.
    assert server.get("/api/runs", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}).status == 200


def test_there_is_no_cors(server: Server) -> None:
    preflight = {"Origin": "http://evil.example", "Access-Control-Request-Method": "PUT"}
    for reply in (
        server.request("OPTIONS", "/api/dashboards/x", headers=preflight),
        server.get("/api/runs", headers={"Origin": "http://evil.example"}),
        server.get("/", headers={"Origin": "http://evil.example"}),
    ):
        assert not [name for name in reply.headers if name.startswith("access-control-")]
    assert server.request("OPTIONS", "/api/dashboards/x", headers=preflight).status in (403, 405)


@pytest.mark.parametrize("path", ["/", "/run/x", "/api/runs", "/api/nothing", "/healthz", "/assets/none.js"])
def test_every_answer_carries_the_headers(server: Server, path: str) -> None:
    headers = server.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "server" not in headers


def test_the_policy_allows_no_inline_script_and_nothing_from_elsewhere() -> None:
    policy = dict(item.split(" ", 1) for item in PAGE_POLICY.split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert "unsafe" not in policy["style-src"]
    assert policy["connect-src"] == "'self'"
    assert "http" not in PAGE_POLICY
    assert "*" not in PAGE_POLICY
    assert "unsafe-eval" not in PAGE_POLICY


def test_an_answer_opened_as_a_page_can_do_nothing(server: Server, run: str) -> None:
    for path in (f"{run}/raw?address=train/0/0", f"{run}/sample?address=train/0/0", "/api/runs"):
        headers = server.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert "sandbox" in headers["content-security-policy"]
        assert "html" not in headers["content-type"]
