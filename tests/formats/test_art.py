from __future__ import annotations

import json

import pyarrow.parquet as pq
from tests.fixtures import fixture_path
from tests.formats.rows_and_samples import only_run, opened, records, said

MODEL = ".art/demo/models/demo-model"


def test_parquet_trajectories_are_as_written() -> None:
    path = fixture_path("art") / MODEL
    run = only_run(path)
    ours = [
        (row.split, row.step, row.group, row.reward, row.metrics, sample.golden_answers, said(sample)[-12:])
        for row, sample in opened(run)
    ]
    theirs = []
    for split, name in (("train", "train"), ("eval/val", "val")):
        for step in (0, 1):
            for row in pq.read_table(path / "trajectories" / name / f"{step:04d}.parquet").to_pylist():
                answer = {"answer": json.loads(row["metadata"])["answer"]}
                metrics = {key: float(value) for key, value in json.loads(row["metrics"]).items()}
                text = row["messages"][-1]["content"][-12:]
                theirs.append((split, step, row["group_index"], row["reward"], metrics, answer, text))
    assert sorted(map(repr, ours)) == sorted(map(repr, theirs))
    assert "train/reward" in [series.name for series in run.metrics()]


def test_a_call_has_only_the_arguments_it_was_given() -> None:
    _, sample = opened(only_run(fixture_path("art") / MODEL))[0]
    (call,) = [part for message in sample.messages for part in message.parts if part.type == "tool_call"]
    assert call.text == 'calc({"x": "17 + 25"})'


def test_older_lines_are_groups() -> None:
    path = fixture_path("art") / "legacy" / MODEL
    rows = [row for row, _ in opened(only_run(path))]
    lines = list(records(path, "trajectories/train/*.jsonl"))
    assert [row.reward for row in rows] == [item["reward"] for line in lines for item in line["trajectories"]]
    sizes = [sum(row.group == group for row in rows) for group in dict.fromkeys(row.group for row in rows)]
    assert sizes == [len(line["trajectories"]) for line in lines]


def test_runs_are_found_in_the_hidden_folder() -> None:
    assert only_run(fixture_path("art") / ".art").format == "art"
