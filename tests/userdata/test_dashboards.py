"""Layouts on disk: names that cannot lead elsewhere, files that are whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollscope.errors import LimitError, NotFoundError, UsageError
from rollscope.userdata.dashboards import MAX_LAYOUT_BYTES, DashboardStore


@pytest.fixture
def store(tmp_path: Path) -> DashboardStore:
    return DashboardStore([str(tmp_path / "runs")], directory=tmp_path / "data")


def test_a_layout_comes_back_as_it_was_saved(store: DashboardStore) -> None:
    store.save("Loss & größe", {"sections": [{"charts": ["loss"]}]})
    assert store.load("Loss & größe").layout == {"sections": [{"charts": ["loss"]}]}
    assert [item.name for item in store.names()] == ["Loss & größe"]


def test_saving_again_replaces_and_deleting_removes(store: DashboardStore) -> None:
    store.save("a", {"version": 1})
    store.save("a", {"version": 2})
    assert store.load("a").layout == {"version": 2}
    store.delete("a")
    assert store.names() == []
    with pytest.raises(NotFoundError):
        store.load("a")
    with pytest.raises(NotFoundError):
        store.delete("a")


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "..", ".", "con", "x" * 100, "<script>", "%2e%2e%2f"])
def test_a_name_is_only_a_name(store: DashboardStore, tmp_path: Path, name: str) -> None:
    store.save(name, {})
    assert store.load(name).name == name
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 1
    assert files[0].parent == store.directory


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "a\nb", "a\0b", "\u202eabc", "\ud800"])
def test_a_name_must_be_one_that_people_can_read(store: DashboardStore, name: str) -> None:
    with pytest.raises(UsageError):
        store.save(name, {})


def test_a_layout_that_is_too_large_is_refused_and_the_old_one_stays(store: DashboardStore) -> None:
    store.save("a", {"old": True})
    with pytest.raises(LimitError) as error:
        store.save("a", {"text": "x" * MAX_LAYOUT_BYTES})
    assert error.value.status == 413
    assert store.load("a").layout == {"old": True}


def test_other_paths_have_other_layouts(tmp_path: Path, store: DashboardStore) -> None:
    other = DashboardStore([str(tmp_path / "other")], directory=tmp_path / "data")
    store.save("a", {})
    assert other.names() == []


def test_a_file_that_is_no_layout_is_not_listed(store: DashboardStore) -> None:
    store.save("a", {})
    (store.directory / "broken.json").write_text("{")
    assert [item.name for item in store.names()] == ["a"]
