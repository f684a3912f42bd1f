"""trackio's databases: every trace is a sample of its run, while others write and whatever the rows hold."""

from __future__ import annotations

import json
import math
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import copy_fixture, fixture_path
from tests.formats.opened import opened, texts

import rollscope
from rollscope.errors import NotFoundError
from rollscope.formats.trackio import TrackioFormat
from rollscope.query.library import Library
from rollscope.storage.open_store import open_store

TRACES = (
    "CREATE TABLE traces (id TEXT PRIMARY KEY, run_id TEXT, timestamp TEXT, run_name TEXT, step INTEGER, key TEXT, "
    "trace_index INTEGER, messages TEXT, metadata TEXT, search_text TEXT, spans TEXT)"
)
METRICS = (
    "CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_id TEXT, timestamp TEXT, run_name TEXT, step INTEGER, metrics)"
)
CHAT = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4"}]


class Project:
    """A database as trackio writes it."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path)
        self.connection.execute("PRAGMA journal_mode=wal")
        self.connection.execute(TRACES)
        self.connection.execute(METRICS)
        self.count = 0

    def trace(self, run: str, step: int, metadata: Any, key: str = "rollouts", messages: Any = CHAT) -> None:
        self.count += 1
        row = (f"t{self.count}", f"id-{run}", "2026-11-16T03:02:43+00:00", run, step, key, 0, json.dumps(messages))
        told = metadata if isinstance(metadata, str) else json.dumps(metadata)
        self.connection.execute("INSERT INTO traces VALUES (?,?,?,?,?,?,?,?,?,'','[]')", (*row, told))
        self.connection.commit()

    def log(self, run: str, step: int, metrics: Any) -> None:
        row = (f"id-{run}", "2026-11-16T03:02:43+00:00", run, step, json.dumps(metrics))
        self.connection.execute(
            "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES (?,?,?,?,?)", row
        )
        self.connection.commit()


@pytest.fixture
def project(tmp_path: Path) -> Any:
    made = Project(tmp_path / "maths.db")
    yield made
    made.connection.close()


def test_the_fixture_opens_with_exactly_its_samples() -> None:
    path = fixture_path("trackio_traces")
    connection = sqlite3.connect(f"file:{path / 'rollouts.db'}?immutable=1", uri=True)
    rows = connection.execute("SELECT step, messages, metadata FROM traces ORDER BY step, rowid").fetchall()
    connection.close()
    found = opened(path)
    assert len(found) == len(rows) == 12
    for sample, (step, messages, metadata) in zip(found, rows, strict=True):
        told, chat = json.loads(metadata), json.loads(messages)
        assert (sample.split, sample.step, sample.reward) == ("train", step, told["reward"])
        assert (sample.advantage, sample.group) == (told["advantage"], told["group"])
        assert [message.role for message in sample.messages] == [message["role"] for message in chat]
        assert sample.messages[-1].text == "done"
        assert [part.type for part in sample.messages[2].parts] == ["thinking", "text", "tool_call"]
        assert sample.messages[3].tool_call_id == "c1"
    rows_logged = list(TrackioFormat().metrics(open_store(path)))
    assert [(row.step, row.values) for row in rows_logged] == [(step, {"reward": 0.5}) for step in range(3)]


def test_a_project_holds_many_runs_and_each_is_one(project: Project, tmp_path: Path) -> None:
    for run, reward in (("first", 1.0), ("second", 0.0), ("first", 0.5)):
        project.trace(run, 3, {"reward": reward})
    runs = Library([tmp_path]).runs()
    assert [run.name.rpartition("maths/")[2] for run in runs] == ["first", "second"]
    assert [[row.reward for row in run.samples().rows] for run in runs] == [[1.0, 0.5], [0.0]]
    # The same addresses in one file, opened one after the other: neither is answered with the other's sample.
    assert [json.loads(run.sample_json("train/3/0"))["reward"] for run in runs] == [1.0, 0.0]
    assert len({run.id for run in runs}) == 2
    project.trace("third", 0, {"reward": 2.0})
    assert len(Library([tmp_path]).runs()) == 3


def test_what_is_written_while_it_is_open_is_seen(project: Project, tmp_path: Path) -> None:
    project.trace("live", 0, {"reward": 1.0})
    run = rollscope.open(tmp_path)
    assert len(run.samples().rows) == 1
    project.trace("live", 1, {"reward": 0.0})
    run.refresh()
    assert [row.address for row in run.samples().rows] == ["train/0/0", "train/1/0"]
    assert run.sample("train/1/0").reward == 0.0


def test_trl_and_verl_say_what_they_know(project: Project, tmp_path: Path) -> None:
    trl = {"reward": 1.5, "reward_std": 0.5, "rewards/correct": 1.0, "rewards/short": 0.5, "advantage": -0.25}
    project.trace("a", 1, {**trl, "group_id": 7, "model_version": 3, "prompt_tokens": 5, "completion_tokens": 9})
    verl = {"op": "agent_loop", "step": 1, "sample_index": 4, "rollout_n": 1, "status": "success"}
    asked = {"inputs": [{"role": "user", "content": "q"}], "output": "a"}
    project.trace("a", 1, {**verl, **asked, "validate": False}, "rollout_trace/agent_loop", [])
    project.trace("a", 1, {**verl, "validate": True, "solution": "4"}, "rollout_trace/agent_loop")
    first, second, third = opened(tmp_path)
    assert (first.reward, first.rewards) == (1.5, {"correct": 1.0, "short": 0.5})
    assert (first.group, first.sampling_step, first.metrics) == (7, 3, {"reward_std": 0.5})
    assert (first.prompt_tokens, first.completion_tokens) == (5, 9)
    assert (second.split, second.group, second.env, second.status) == ("train", 4, "agent_loop", "completed")
    assert texts(second) == [("user", "q"), ("assistant", "a")]
    assert (third.split, third.golden_answers, third.reward) == ("eval/validation", {"solution": "4"}, None)


def test_a_table_of_completions_that_was_logged_as_a_metric(project: Project, tmp_path: Path) -> None:
    row = {"step": "2", "prompt": "2 + 2?", "completion": "4", "correct": 1.0, "advantage": 0.5}
    other = {**row, "completion": "5", "correct": 0.0}
    project.log("a", 2, {"loss": 0.5, "completions": {"_type": "trackio.table", "_value": [row, other]}})
    project.log("a", 3, {"completions": {"_type": "trackio.table", "_value": [row, other]}})
    found = opened(tmp_path)
    assert [(sample.address, sample.reward, sample.messages[-1].text) for sample in found] == [
        ("train/2/0", 1.0, "4"),
        ("train/2/1", 0.0, "5"),
    ]


@pytest.mark.parametrize("change", ["", "ALTER TABLE metrics ADD COLUMN run_id TEXT"])
def test_tables_from_before_there_were_traces_and_run_ids(tmp_path: Path, change: str) -> None:
    row = {"step": 2, "prompt": "2 + 2?", "completion": "4", "correct": 1.0, "advantage": 0.5}
    told = json.dumps({"loss": 0.5, "completions": {"_type": "trackio.table", "_value": [row]}})
    with sqlite3.connect(tmp_path / "maths.db") as database:
        database.execute(
            "CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INTEGER, metrics)"
        )
        database.execute("INSERT INTO metrics VALUES (1, '2026-01-01T00:00:00', 'old', 2, ?)", (told,))
        database.execute(change)
    database.close()
    (sample,) = opened(tmp_path)
    assert (sample.address, sample.reward, sample.advantage) == ("train/2/0", 1.0, 0.5)
    (run,) = Library([tmp_path]).runs()
    assert "loss" in [series.name for series in run.metrics()]


def test_bad_rows_and_bad_files_are_told(project: Project, tmp_path: Path) -> None:
    project.trace("a", 1, "no json", messages=[])
    project.trace("a", 1, '{"reward": NaN}')
    assert [sample.address for sample in opened(tmp_path)] == ["train/1/0", "train/1/1"]
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)
    (tmp_path / "other.db").write_bytes(b"hello")
    assert len(Library([tmp_path]).runs()) == 1


def test_a_database_that_is_cut_is_no_traceback(tmp_path: Path) -> None:
    run = copy_fixture("trackio_traces", tmp_path)
    path = run / "rollouts.db"
    path.write_bytes(path.read_bytes()[:20_000])
    for extra in (run / "traces").rglob("*.jsonl"):
        extra.unlink()
    with pytest.raises(NotFoundError, match="no run found"):
        Library([run])


def test_numbers_that_are_words_are_numbers(project: Project, tmp_path: Path) -> None:
    """trackio writes NaN as a word: a reward function that gave nothing for one row made a text of its column."""
    rows = [
        {"step": "1", "prompt": "2 + 2?", "completion": said, "accuracy": accuracy, "advantage": 0.5}
        for said, accuracy in (("4", 1.0), ("5", "NaN"))
    ]
    project.log("a", 1, {"loss": "Infinity", "completions": {"_type": "trackio.table", "_value": rows}})
    project.trace("a", 1, {"reward": "NaN", "rewards/format": "-Infinity", "kl": "NaN"})
    (run,) = Library([tmp_path]).runs()
    traced, right, unknown = (run.sample(row.address) for row in run.samples().rows)
    assert (right.reward, right.rewards) == (1.0, {"accuracy": 1.0})
    assert [str(sample.reward) for sample in (unknown, traced)] == ["nan", "nan"]
    assert traced.rewards == {"format": -math.inf}
    assert math.isnan(traced.metrics["kl"])
    assert [row.values["loss"] for row in run.detection.format.metrics(run.store)] == [math.inf]


def test_an_agent_loop_of_verl_shows_what_was_asked_and_not_what_fills_its_place(
    project: Project, tmp_path: Path
) -> None:
    """As `_log_trackio_trace` of verl 0.9.1 writes them, with `token2text` and without."""
    op = "ToolAgentLoop.run"
    filler = [
        {"role": "system", "content": f"verl rollout trace operation: {op}"},
        {"role": "user", "content": '{"inputs": {}}'},
    ]
    made = {"prompt_ids": [1, 2, 3], "response_ids": [4, 5, 6], "response_mask": [1, 0, 1], "reward_score": 0.5}
    texts_of = {"prompt_text": "<|im_start|>user\n2 + 2?<|im_end|>\n<|im_start|>assistant\n", "response_text": "4"}
    about = {"op": op, "backend": "trackio", "step": 3, "sample_index": 1, "rollout_n": 0, "status": "success"}
    asked = {"sampling_params": {}, "kwargs": {"raw_prompt": CHAT[:1]}}
    traced = [*filler, {"role": "assistant", "content": "4"}]
    whole = {**about, "inputs": asked, "output": {**made, **texts_of}}
    project.trace("a", 3, whole, f"rollout_trace/{op}", traced)
    untold = [*filler, {"role": "assistant", "content": '{"output": "AgentLoopOutput()"}'}]
    project.trace("a", 3, {**about, "inputs": asked, "output": made}, f"rollout_trace/{op}", untold)
    project.trace("a", 3, {**about, "inputs": {}, "output": made}, f"rollout_trace/{op}", untold)
    (run,) = Library([tmp_path]).runs()
    decoded, ids_only, nothing = (run.sample(row.address) for row in run.samples().rows)
    assert [message.role for message in decoded.messages] == ["user", "assistant", "assistant"]
    assert (decoded.reward, decoded.prompt_tokens, decoded.completion_tokens) == (0.5, 3, 2)
    assert [message.text for message in ids_only.messages] == ["2 + 2?", '{"output": "AgentLoopOutput()"}']
    assert [message.role for message in nothing.messages] == ["system", "user", "assistant"]


def test_validations_that_verl_logs_have_scores_and_are_grouped_by_prompt(project: Project, tmp_path: Path) -> None:
    asked = [{"role": "user", "content": "2 + 2?"}]
    for number, score in enumerate((1.0, 0.0)):
        told = {"source": "validation_generations", "sample_index": number, "score": score}
        said = {"role": "assistant", "content": f"answer {number}"}
        project.trace("a", 10, told, "val/generations", [*asked, said])
    found = opened(tmp_path)
    assert [(sample.split, sample.step, sample.reward) for sample in found] == [
        ("eval/generations", 10, 1.0),
        ("eval/generations", 10, 0.0),
    ]
    assert found[0].group == found[1].group
    assert found[0].metrics == {}
