"""A local store that notes what was looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollscope.storage.local import LocalStore
from rollscope.storage.tracking_store import TrackingStore


@pytest.fixture
def store(tmp_path: Path) -> TrackingStore:
    (tmp_path / "inner").mkdir()
    for name in ("a", "b", "inner/c"):
        (tmp_path / name).write_text("x")
    return TrackingStore(LocalStore(tmp_path))


def test_every_way_to_look_at_a_file_is_noted_with_its_state(store: TrackingStore, tmp_path: Path) -> None:
    store.read("a", 0, 1)
    with store.open("b"):
        pass
    assert store.stat("none") is None
    assert store.files("inner") == ["c"]
    assert store.looked_at == {"a": LocalStore(tmp_path).stat("a"), "b": LocalStore(tmp_path).stat("b"), "none": None}
    assert list(store.listed) == ["inner"]
    assert store.complete


def test_the_state_is_that_of_the_first_look(store: TrackingStore, tmp_path: Path) -> None:
    before = store.stat("a")
    (tmp_path / "a").write_text("longer")
    store.read("a")
    assert store.looked_at["a"] == before != LocalStore(tmp_path).stat("a")


def test_what_cannot_be_noted_is_admitted(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for look in ("local_path", "sub", "parent", "fresh"):
        store = TrackingStore(LocalStore(tmp_path))
        getattr(store, look)(*(["inner"] if look in ("local_path", "sub") else []))
        assert not store.complete, look
