"""Under which names the server may be called."""

from __future__ import annotations

import socket

import pytest

from rollscope.server.access.hosts import Hosts, host_name, is_loopback


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.4.5", "::1", "localhost", "LOCALHOST"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.com", "", "localhost.example.com"])
def test_not_loopback(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost", "localhost"),
        ("LocalHost:8080", "localhost"),
        ("[::1]:8080", "::1"),
        ("node17.cluster.example.:80", "node17.cluster.example"),
        ("", None),
        ("a b", None),
        ("evil.example/localhost", None),
        ("user@localhost", None),
        ("localhost:port", None),
    ],
)
def test_the_name_in_a_host_header(header: str, name: str | None) -> None:
    assert host_name(header) == name


def test_a_loopback_server_answers_to_loopback_names_only() -> None:
    hosts = Hosts.of("127.0.0.1", (), token=False)
    assert all(map(hosts.allows, ["localhost", "127.0.0.1", "127.0.0.2", "::1"]))
    assert not any(map(hosts.allows, ["10.0.0.1", "evil.example", socket.gethostname() + ".evil.example"]))


def test_an_open_server_answers_to_addresses_and_its_own_names() -> None:
    own = socket.gethostname()
    hosts = Hosts.of("0.0.0.0", ("viewer.example",), token=True)
    assert all(map(hosts.allows, ["10.0.0.1", "fe80::1", "localhost", own.lower(), "viewer.example"]))
    assert not hosts.allows("evil.example")
    # Behind a token it may be called by its full name, which it does not know itself; without one, anyone could own it.
    full = own.lower().partition(".")[0] + ".cluster.example"
    assert hosts.allows(full)
    assert not Hosts.of("0.0.0.0", (), token=False).allows(full)


def test_a_star_allows_any_name() -> None:
    assert Hosts.of("127.0.0.1", ("*",), token=False).allows("anything.example")
