"""Samples written to files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.runs import relax_record

from rollscope.errors import UsageError
from rollscope.query.run import Run


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "csv"])
def test_exports_hold_the_selection(run: Run, tmp_path: Path, kind: str) -> None:
    import pandas as pd

    target = tmp_path / f"out.{kind}"
    assert run.export(str(target), where="step = 1", text=True) == 12
    readers: dict[str, Any] = {
        "parquet": pd.read_parquet,
        "csv": pd.read_csv,
        "jsonl": lambda path: pd.read_json(path, lines=True),
    }
    frame = readers[kind](target)
    assert frame["address"].tolist() == [f"train/1/{index}" for index in range(12)]
    assert frame["reward"].tolist() == pytest.approx([relax_record(1, index)["reward"] for index in range(12)])
    assert frame["response"].tolist() == [relax_record(1, index)["response"] for index in range(12)]


def test_an_export_to_an_unknown_kind_is_refused(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot export"):
        run.export(str(tmp_path / "out.xlsx"))
