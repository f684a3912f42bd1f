"""The work of one task: the texts of rows, here and in workers."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from tests.index.features.test_feature_index import values
from tests.runs import relax_record, settle, write_relax

import rollscope
from rollscope.features.registry import registry
from rollscope.formats.lines.flat import FlatFormat
from rollscope.index.features import feature_rows


def test_workers_compute_what_this_process_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = settle(write_relax(tmp_path / "run"))
    here = values(rollscope.open(root, index_dir=str(tmp_path / "a")))
    monkeypatch.setattr(feature_rows, "INLINE_BYTES", 0)
    monkeypatch.setattr(feature_rows, "TASK_BYTES", 3000)
    assert values(rollscope.open(root, index_dir=str(tmp_path / "b"))) == here


def test_odd_records_have_the_texts_that_search_sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most lines are read in one go; what is no plain text in them is looked at as anywhere."""
    chat = [{"role": "user", "content": "Why?"}]
    odd: list[dict[str, object]] = [
        {"prompt": ""}, {"prompt": None}, {"prompt": chat}, {"response": ""}, {"response": None}, {"label": None},
        {"response": [{"role": "assistant", "content": "So."}]}, {"label": 7}, {"label": ["a", "b"]}, {"label": ""},
        {"response": "lone \ud800 surrogate"}, {"response": float("nan")}, {"prompt": {"text": "?"}},
    ]  # fmt: skip
    root = tmp_path / "run"
    write_relax(root)
    lines = [json.dumps({**relax_record(9, place), **some}) for place, some in enumerate(odd)]
    (root / "train" / "9.jsonl").write_text("\n".join([*lines, ""]))
    names = registry().names()

    def found(place: str) -> list[object]:
        run = rollscope.open(root, index_dir=str(tmp_path / place))
        return [row.features for row in run.samples(features=names, discarded=None)]

    quick = found("quick")
    monkeypatch.setattr(FlatFormat, "text_reader", lambda self: None)
    assert quick == found("slow")
    assert len(quick) > len(odd)


@pytest.mark.parametrize("name", ["samples.parquet", "samples.csv"])
def test_rows_of_a_table_have_features_like_lines(name: str, tmp_path: Path) -> None:
    rows = [{"step": 0, "prompt": "Why?", "response": f"Because of {count}.", "reward": 1.0} for count in range(9)]
    root = tmp_path / "run"
    root.mkdir()
    table = pa.Table.from_pylist(rows)
    (pq.write_table if name.endswith("parquet") else csv.write_csv)(table, root / name)
    found = rollscope.open(root, index_dir=str(tmp_path / "index")).samples(features=["text.chars"])
    assert [row.features["text.chars"] for row in found] == [len(str(row["response"])) for row in rows]
