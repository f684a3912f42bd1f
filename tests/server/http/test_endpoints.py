"""Requests as declarations."""

from __future__ import annotations

import pytest

from rollscope.server.http.endpoints import Endpoints


def test_a_decorated_function_is_a_request_and_stays_itself() -> None:
    endpoints = Endpoints()

    @endpoints.get("/api/apples", answer=int)
    def apples() -> int:
        """How many apples
        there are."""
        return 3

    @endpoints.add("PUT", "/api/apples", answer=None, place="loop")
    def keep_apples() -> None:
        pass

    first, second = endpoints
    assert apples() == 3
    assert (first.method, first.path, first.name, first.summary) == (
        "GET", "/api/apples", "apples", "How many apples there are.",
    )  # fmt: skip
    assert (second.method, second.place, second.media) == ("PUT", "loop", "json")
    with pytest.raises(AssertionError, match="keep_apples says nothing about itself"):
        _ = second.summary
