"""Which store an address means."""

from __future__ import annotations

from pathlib import Path

from rollscope.storage.local import LocalStore
from rollscope.storage.memory import MemoryStore
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Kind


def test_paths_are_local_and_need_not_exist(tmp_path: Path) -> None:
    for address in (tmp_path / "none", str(tmp_path / "none")):
        store = open_store(address)
        assert isinstance(store, LocalStore)
        assert (store.kind(), store.files()) == (Kind.MISSING, [])


def test_names_in_memory_lead_to_what_was_written_there() -> None:
    MemoryStore.of("open_store", {"a/b.txt": b"x"})
    assert open_store("memory://open_store").read("a/b.txt") == b"x"
    assert open_store("memory://open_store/a").files() == ["b.txt"]
