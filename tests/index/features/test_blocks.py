"""Stored features: damaged, deleted or stopped half-way, they are computed again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from tests.index.features.test_feature_index import values
from tests.runs import settle, write_relax

import rollscope
from rollscope.index.features.blocks import StoredRows, joined


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


def test_rows_that_lie_behind_each_other_are_one_piece() -> None:
    one, other = pa.table({"row": [0, 1, 2, 3, 4]}), pa.table({"row": [9]})
    pieces = [(one, 0, 2), (one, 2, 1), (one, 4, 1), (other, 0, 1), (one, 0, 1)]
    found = [table["row"].to_pylist() for table in joined(StoredRows(*piece) for piece in pieces)]
    assert found == [[0, 1, 2], [4], [9], [0]]
