"""MLflow's tables of completions, where its traces are no rollouts."""

from __future__ import annotations

import json
from pathlib import Path

from tests.fixtures import copy_fixture, fixture_path
from tests.formats.opened import opened, texts

from rollscope.query.library import Library


def test_tables_are_read_where_no_traces_are_rollouts(tmp_path: Path) -> None:
    folder = copy_fixture("mlflow", tmp_path)
    (folder / "mlflow.db").unlink()
    (table,) = folder.rglob("completions.json")
    rows = [dict(zip(("step", "prompt", "completion", "reward"), row)) for row in json.loads(table.read_text())["data"]]
    for path in (folder, folder / "mlruns"):
        found = opened(path)
        assert [(s.step, s.reward) for s in found] == [(row["step"], row["reward"]) for row in rows]
        assert [texts(s) for s in found] == [
            [("user", row["prompt"]), ("assistant", row["completion"])] for row in rows
        ]


def test_traces_of_rollouts_come_before_tables() -> None:
    assert [run.format for run in Library([fixture_path("mlflow")]).runs()] == ["mlflow"]


def test_a_file_that_is_no_table_of_completions_is_passed_over(tmp_path: Path) -> None:
    artifacts = tmp_path / "mlruns" / "0" / ("a" * 32) / "artifacts"
    artifacts.mkdir(parents=True)
    (artifacts / "model.json").write_text('{"columns": ["x"], "data": [[1]]}')
    table = {"columns": ["prompt", "completion", "reward"], "data": [["q", "a", 1.0]]}
    (artifacts / "eval").mkdir()
    (artifacts / "eval" / "generations.json").write_text(json.dumps(table))
    (sample,) = opened(tmp_path)
    assert (sample.split, sample.reward) == ("eval/generations", 1.0)
