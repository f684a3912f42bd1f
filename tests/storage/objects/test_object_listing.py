"""A listing of an object store: its folders, and how long it counts."""

from __future__ import annotations

import time

import pytest

from rollscope.storage.objects.object_listing import POLL_SECONDS, ObjectListing, folders_of, poll_seconds


def listing(age: float, cost: float = 0.0) -> ObjectListing:
    return ObjectListing({}, {}, False, time.monotonic() - age, cost)


def test_folders_are_those_that_keys_lie_in() -> None:
    assert folders_of(["runs/a/1", "runs/a/2", "runs/b/c/3", "top"]) == {
        "": ({"top"}, {"runs"}),
        "runs": (set(), {"a", "b"}),
        "runs/a": ({"1", "2"}, set()),
        "runs/b": (set(), {"c"}),
        "runs/b/c": ({"3"}, set()),
    }
    assert folders_of([]) == {}


@pytest.mark.parametrize(
    ("setting", "seconds"), [("", POLL_SECONDS), ("0.5", 0.5), ("0", 0.0), ("often", POLL_SECONDS)]
)
def test_how_often_to_look_is_a_setting(monkeypatch: pytest.MonkeyPatch, setting: str, seconds: float) -> None:
    monkeypatch.setenv("ROLLSCOPE_POLL", setting)
    assert poll_seconds() == seconds


def test_a_listing_counts_for_a_while_and_longer_where_it_took_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLSCOPE_POLL", "60")
    assert listing(age=10).is_fresh()
    assert not listing(age=100).is_fresh()
    assert listing(age=100, cost=10).is_fresh()
    monkeypatch.setenv("ROLLSCOPE_POLL", "0")
    assert not listing(age=0.001, cost=10).is_fresh(), "each question looks anew"
