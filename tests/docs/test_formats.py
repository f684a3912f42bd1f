"""What docs/formats.md says of values."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl

import rollscope


@pytest.mark.parametrize("field", ["env", "dataset", "status", "stop_reason", "discard_reason"])
def test_an_empty_word_counts_as_missing(tmp_path: Path, field: str) -> None:
    records = [{"prompt": "p", "response": "r", field: word} for word in ("", "told")]
    run = rollscope.open(write_jsonl(tmp_path / "run" / "0.jsonl", records).parent)
    assert [row.index for row in run.samples(where=f"{field} is missing", discarded=None).rows] == [0]
    assert getattr(run.sample("train/0/0"), field) is None
