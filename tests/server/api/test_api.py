"""All requests of the server: each has a path of its own below `/api`, a sentence, and says what it answers."""

from __future__ import annotations

from collections import Counter

from rollscope.server.api import ENDPOINTS


def test_no_two_requests_have_one_path_and_method() -> None:
    counts = Counter((endpoint.method, endpoint.path) for endpoint in ENDPOINTS)
    assert [key for key, count in counts.items() if count > 1] == []
    assert all(endpoint.path.startswith("/api/") for endpoint in ENDPOINTS)


def test_every_request_is_described_by_a_sentence() -> None:
    for endpoint in ENDPOINTS:
        assert endpoint.handler.__doc__, endpoint.path
        assert endpoint.handler.__doc__.strip().endswith((".", ".)")), endpoint.path
