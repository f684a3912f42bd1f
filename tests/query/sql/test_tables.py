"""SQL's answers and exported files keep every value."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record, write_relax

import rollscope
from rollscope.query.library import Library


def test_columns_of_one_name_keep_their_values(tmp_path: Path) -> None:
    run = rollscope.open(write_relax(tmp_path))
    answer = run.sql("SELECT 1 AS a, 2 AS a, 3 AS A, 4 AS a")
    assert (answer.columns, answer.rows) == (["a", "a_2", "A", "a_3"], [[1, 2, 3, 4]])
    joined = run.sql("SELECT x.reward, y.reward FROM samples x JOIN samples y ON x.address = y.address LIMIT 1")
    assert len(joined.rows[0]) == len(joined.columns) == 2


def test_two_runs_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for parent in ("one", "two"):
        write_relax(tmp_path / parent / "run", steps=1, samples=2)
    library = Library([tmp_path / "one" / "run", tmp_path / "two" / "run"])
    assert [run.name for run in library.runs()] == ["run", "run-2"]
    counted = library.sql_table("SELECT run, count(*) AS n FROM samples GROUP BY run ORDER BY run").to_pylist()
    assert counted == [{"run": "run", "n": 2}, {"run": "run-2", "n": 2}]
    assert library.run("run-2").root == str(tmp_path / "two" / "run")
    library.rescan()
    assert [run.name for run in library.runs()] == ["run", "run-2"]


def test_exported_lines_name_what_json_has_no_word_for(tmp_path: Path) -> None:
    rewards = [0.5, math.nan, math.inf, -math.inf]
    write_jsonl(tmp_path / "run" / "train" / "0.jsonl", [relax_record(0, i, reward=r) for i, r in enumerate(rewards)])
    rollscope.open(tmp_path / "run").export(str(tmp_path / "out.jsonl"))
    text = (tmp_path / "out.jsonl").read_text()
    lines = [json.loads(line, parse_constant=lambda word: word) for line in text.splitlines()]
    assert [line["reward"] for line in lines] == [0.5, None, None, None]
    named = [line.get("nonfinite") for line in lines]
    assert named == [None, {"reward": "NaN"}, {"reward": "Infinity"}, {"reward": "-Infinity"}]


def test_skipped_and_repaired_lines_are_counted_apart(tmp_path: Path) -> None:
    good = json.dumps(relax_record(0, 0))
    broken, repaired = b'{"prompt": ', good.replace("The answer", "\udcff answer").encode("utf-8", "surrogateescape")
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "0.jsonl").write_bytes(b"\n".join([good.encode(), broken, repaired, good.encode(), b""]))
    run = rollscope.open(tmp_path)
    (step,) = run.steps().steps
    assert (step.samples, step.skipped_lines, step.repaired_lines) == (3, 1, 1)
    assert run.sql("SELECT skipped_lines, repaired_lines FROM steps").rows == [[1, 1]]


@pytest.mark.parametrize("asked", ["SHOW TABLES", " show  all tables ;", "DESCRIBE"])
def test_the_tables_that_are_listed_are_those_of_the_documentation(tmp_path: Path, asked: str) -> None:
    table = rollscope.open(write_relax(tmp_path)).sql_table(asked)
    assert table["name"].to_pylist() == ["metrics", "runs", "samples", "steps"]
