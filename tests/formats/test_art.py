from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.fixtures import fixture_path, write_jsonl
from tests.formats.expected import assert_as_expected
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


def test_examples_in_the_prompt_are_no_answers_and_an_empty_first_file_hides_nothing(tmp_path: Path) -> None:
    examples = [
        {"role": "user", "content": "1?"},
        {"role": "assistant", "content": "1"},
        {"role": "user", "content": "2?"},
    ]
    choice = {"finish_reason": "stop", "index": 0, "message": {"role": "assistant", "content": "2"}}
    trajectory = {"reward": 1.0, "messages_and_choices": [*examples, choice], "metadata": {}}
    (tmp_path / "trajectories/train").mkdir(parents=True)
    (tmp_path / "trajectories/train/0000.jsonl").touch()
    write_jsonl(tmp_path / "trajectories/train/0001.jsonl", [{"trajectories": [trajectory]}])
    ((row, sample),) = opened(only_run(tmp_path))
    assert [message.turn for message in sample.messages] == [None, None, None, 0]
    assert (row.step, row.status, sample.messages[-1].trainable) == (1, "completed", True)


def test_the_whole_trajectory_beside_the_columns_is_what_was_said(tmp_path: Path) -> None:
    asked = {"role": "user", "content": [{"type": "text", "text": "6 x 7?"}]}
    answer = {"role": "assistant", "content": "42", "tool_calls": None}
    logprobs = {"content": [{"token": "token_id:7", "logprob": -0.5, "bytes": None, "top_logprobs": []}]}
    choice = {"finish_reason": "stop", "index": 0, "message": answer, "logprobs": logprobs}
    exchange = {
        "request": {"messages": [asked]},
        "response": {"choices": [choice]},
        "start_time": "2026-11-01T00:00:01",
    }
    earlier = exchange | {"request": {"messages": []}, "start_time": "2026-11-01T00:00:00"}
    wholes = [
        {"messages_and_choices": [asked, choice], "additional_histories": [{"messages_and_choices": []}]},
        {"exchanges": {"chat_completions": [exchange, earlier]}},
    ]
    base: dict[str, Any] = {
        "format_version": 2,
        "group_metadata": None,
        "metrics": '{"m":1}',
        "metadata": '{"answer":"42"}',
    }
    rows: list[dict[str, Any]] = [
        # A group all of whose trajectories failed.
        base | {"group_index": 0, "trajectory_index": None, "trajectory_json": None, "reward": None},
        *(
            base | {"group_index": 1, "trajectory_index": i, "trajectory_json": json.dumps(whole), "reward": float(i)}
            for i, whole in enumerate(wholes)
        ),
    ]
    folder = tmp_path / "trajectories" / "train"
    folder.mkdir(parents=True)
    schema = pa.Table.from_pylist(rows).schema.append(
        pa.field("messages", pa.list_(pa.struct([("role", pa.string())])))
    )
    pq.write_table(
        pa.Table.from_pylist([row | {"messages": None} for row in rows], schema=schema), folder / "0003.parquet"
    )
    found = opened(only_run(tmp_path))
    assert [(row.step, row.group, row.reward, said(sample)) for row, sample in found] == [
        (3, 1, 0.0, "42"),
        (3, 1, 1.0, "42"),
    ]
    for _, sample in found:
        assert sample.tokens is not None
        assert (sample.tokens.ids, sample.tokens.logprobs, sample.stop_reason) == ([7], [-0.5], "stop")
    assert [len(sample.notes) for _, sample in found] == [1, 0]


def test_every_protocol_s_recorded_calls_are_a_conversation() -> None:
    assert_as_expected("art_v2")
    run = only_run(fixture_path("art_v2"))
    said = {sample.reward: [(m.role, m.turn) for m in sample.messages] for row, sample in opened(run) if row.group == 2}
    assert said == {
        0.25: [("user", None), ("assistant", 0), ("user", 0), ("assistant", 1)],
        0.5: [("user", None), ("assistant", 0)],
        0.75: [("system", None), ("user", None), ("assistant", 0)],
        1.0: [("system", None), ("user", None), ("assistant", 0)],
    }


def test_files_that_are_being_written_are_no_split() -> None:
    run = only_run(fixture_path("art_v2"))
    assert run.splits == ["train", "eval/val"]
