"""A look at all files against what is indexed of them."""

from __future__ import annotations

import pytest

from rollscope.formats.base import Source
from rollscope.index.changes import unchanged_parts
from rollscope.index.changes.unchanged_parts import stretches
from rollscope.index.manifest.entries import FileEntry
from rollscope.index.manifest.parts import FilePart, file_parts
from rollscope.storage.memory import MemoryStore

NAMES = [f"{number}.jsonl" for number in range(8)]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollscope.index.manifest.parts.PART_SIZE", 4)
    monkeypatch.setattr(unchanged_parts, "PART_SIZE", 4)


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore.of("look", dict.fromkeys([*NAMES, "new.jsonl"], b"{}\n"))


def parts_of(store: MemoryStore, names: list[str]) -> list[FilePart]:
    return list(
        file_parts((), [FileEntry(Source(path=name), store.stat(name), 0, [], complete=True) for name in names])
    )


def sources(names: list[str]) -> list[Source]:
    return [Source(path=name) for name in names]


def told(found: list[unchanged_parts.Stretch]) -> list[tuple[int, bool]]:
    return [(len(stretch.sources), stretch.untouched) for stretch in found]


def test_parts_that_nothing_happened_to_are_untouched(store: MemoryStore) -> None:
    parts = parts_of(store, NAMES)
    assert told(stretches(parts, sources(NAMES), store)) == [(4, True), (4, True)]
    store.write("5.jsonl", b"{}\n{}\n")
    assert told(stretches(parts, sources(NAMES), store)) == [(4, True), (4, False)]
    assert told(stretches(parts, sources(NAMES), store, distrusted={"0.jsonl"})) == [(4, False), (4, False)]


def test_of_files_that_nobody_asked_about_nothing_is_looked_at(store: MemoryStore) -> None:
    parts = parts_of(store, NAMES)
    store.write("0.jsonl", b"{}\n{}\n")
    found = stretches(parts, sources(NAMES), store, only=lambda source: source.path == "6.jsonl")
    assert told(found) == [(4, True), (4, True)]


def test_files_added_and_removed_stay_with_their_neighbours(store: MemoryStore) -> None:
    parts = parts_of(store, NAMES)
    gone = stretches(parts, sources(NAMES[:2] + NAMES[3:]), store)
    assert told(gone) == [(3, False), (4, True)]
    between = stretches(parts, sources([*NAMES[:4], "new.jsonl", *NAMES[4:]]), store)
    assert told(between) == [(5, False), (4, True)]
    behind = stretches(parts, sources([*NAMES, "new.jsonl"]), store)
    assert [(stretch.part is None, len(stretch.sources)) for stretch in behind] == [(False, 4), (False, 4), (True, 1)]


def test_all_sources_are_in_one_stretch_each_whatever_their_order(store: MemoryStore) -> None:
    parts = parts_of(store, NAMES)
    for names in (NAMES[::-1], NAMES[4:] + NAMES[:4], [], NAMES[3:5], ["new.jsonl"]):
        found = stretches(parts, sources(names), store)
        assert [source.path for stretch in found for source in stretch.sources] == names
    assert stretches([], [], store) == []
