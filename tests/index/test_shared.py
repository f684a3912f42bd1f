"""What a shared index removes; tests/cloud/test_shared.py has real stores and several processes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from rollscope.index import shared
from rollscope.index.manifest.root import Manifest
from rollscope.index.shared import GARBAGE_SECONDS, KEPT_ROOTS, SharedIndex


class Folder:
    """A `SharedFolder` in memory."""

    def __init__(self, address: str) -> None:
        self.files: dict[str, float] = {}

    def check_writers(self) -> None:
        pass

    def create(self, name: str, content: bytes) -> bool:
        if name in self.files:
            return False
        self.files[name] = time.time()
        return True

    def names(self, folder: str, after: str = "") -> list[str]:
        return sorted(name.partition("/")[2] for name in self.files if name.startswith(f"{folder}/"))

    def ages(self, folder: str, after: str = "") -> list[tuple[str, float]]:
        return [(name, self.files[f"{folder}/{name}"]) for name in self.names(folder)]

    def delete(self, names: list[str]) -> None:
        for name in names:
            del self.files[name]


def test_old_roots_and_files_that_nobody_names_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "SharedFolder", Folder)
    index = SharedIndex("s3://bucket", "run", str(tmp_path), readonly=False)
    folder = index._shared
    assert isinstance(folder, Folder)
    folder.files |= {"files/young": time.time(), "files/old": time.time() - GARBAGE_SECONDS - 60}
    manifest = Manifest(b"run", "relax")
    for _ in range(2 * KEPT_ROOTS):
        assert index.commit(manifest)
    assert folder.names("roots") == [f"{number:012}" for number in range(KEPT_ROOTS + 1, 2 * KEPT_ROOTS + 1)]
    assert folder.names("files") == ["young"]
