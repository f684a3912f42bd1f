"""Stored features: damaged, deleted or stopped half-way, they are computed again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.index.features.test_feature_index import values
from tests.runs import settle, write_relax

import rollscope


def test_damaged_or_deleted_features_are_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", str(tmp_path / "index"))
    root = settle(write_relax(tmp_path / "run"))
    first = rollscope.open(root)
    wanted = values(first)
    (folder,) = (tmp_path / "index").glob("*/features")
    for segment in folder.glob("*.arrow"):
        segment.write_bytes(segment.read_bytes()[:-20])
    assert values(rollscope.open(root)) == wanted
    shutil.rmtree(folder)
    assert values(rollscope.open(root)) == wanted
