"""What lies beside runs and in none of them is named, and nothing of a run is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import write_relax

from rollscope.query.library import Library, outside_runs

HOUSE = [{"ask": "6 × 7?", "said": "42", "points": 1.0}]


def test_records_that_no_format_knows_are_named_with_their_keys(tmp_path: Path) -> None:
    write_relax(tmp_path / "known", steps=1)
    write_jsonl(tmp_path / "known" / "house.jsonl", HOUSE)
    write_jsonl(tmp_path / "deep" / "er" / "house.jsonl", HOUSE)
    write_jsonl(tmp_path / ".hidden" / "house.jsonl", HOUSE)
    (tmp_path / "deep" / "notes.txt").write_text("beach")
    (line,) = Library([tmp_path]).outside_runs()
    assert line == f"{tmp_path}/deep/er: 1 file of records; house.jsonl has records with ask, points, said"
    assert Library([tmp_path / "known"]).outside_runs() == []


def test_many_folders_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside_runs, "MAX_NAMED", 2)
    write_relax(tmp_path / "known", steps=1)
    for number in range(5):
        write_jsonl(tmp_path / f"house{number}" / "x.jsonl", HOUSE)
    assert Library([tmp_path]).outside_runs()[2:] == ["3 more folders"]
