"""Many small segments become one, however many parts of the manifest name them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.runs import settle, write_relax

import rollscope
from rollscope.index.changes import plan
from rollscope.index.manifest import parts
from rollscope.lru import LruCache


def test_small_segments_become_one_and_every_row_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = settle(write_relax(tmp_path / "run", steps=80, samples=2))
    whole = rollscope.open(run, index_dir=str(tmp_path / "whole")).samples().rows
    monkeypatch.setattr(plan, "MAX_PIECES", 1)
    monkeypatch.setattr(parts, "PART_SIZE", 4)
    monkeypatch.setattr(parts, "_decoded", LruCache(max_entries=2))
    opened = rollscope.open(run, index_dir=str(tmp_path / "index"))
    opened.refresh()
    assert len(opened._index.snapshot.manifest.file_parts) >= 20
    assert len(opened._index.snapshot.manifest.segments) == 1
    assert opened.samples().rows == whole
    assert rollscope.open(run, index_dir=str(tmp_path / "index")).samples().rows == whole
