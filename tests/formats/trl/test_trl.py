"""TRL completions of both generations, and what their columns are taken for."""

from __future__ import annotations

import contextlib
import json
import math
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pyarrow.parquet as pq
import pytest
from tests.fixtures import fixture_path
from tests.formats.data_rows import ReadRun, assert_row_matches_sample
from tests.formats.data_trl import CHAT_PROMPT, write_completions

from rollscope.errors import NotFoundError
from rollscope.formats.trl import TrlFormat
from rollscope.storage import open_files as kept_open
from rollscope.storage.open_store import open_store

GENERATIONS = pytest.mark.parametrize("name", ["trl_1.14", "trl_1.16"])


def naive(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for file in sorted((path / "completions").iterdir()):
        rows += pq.read_table(file, use_threads=False).to_pylist()
    return rows


@GENERATIONS
def test_every_row_is_a_sample_with_its_rewards(name: str) -> None:
    path = fixture_path(name)
    run, wanted = ReadRun(TrlFormat(), path), naive(path)
    assert run.skipped == []
    assert len(run.rows) == len(wanted) == 12
    for row, record in zip(run.rows, wanted, strict=True):
        assert (row["split"], row["step"]) == ("train", record["step"])
        assert row["rewards.correct"] == record["correct"]
        assert row["rewards.length_reward"] == record["length_reward"]
        assert row["reward"] == record["correct"] + record["length_reward"]
        assert row["advantage"] == record["advantage"]
        sample = run.load(row)
        assert_row_matches_sample(row, sample)
        assert sample.record == record
        assert sample.golden_answers == {"solution": record["solution"]}
        assert any("unweighted sum of correct, length_reward; the advantages agree" in note for note in sample.notes)


@GENERATIONS
def test_texts_are_those_of_the_file(name: str) -> None:
    path = fixture_path(name)
    run = ReadRun(TrlFormat(), path)
    for row, record in zip(run.rows, naive(path), strict=True):
        messages = run.load(row).messages
        prompt, response = record["prompt"], record["completion"]
        if isinstance(prompt, str):
            assert "".join(message.text for message in messages) == prompt + response
            assert [message.role for message in messages if message.text.strip()][:2] == ["system", "user"]
            assert all(message.guessed for message in messages)
        else:
            assert [(m.role, m.text) for m in messages] == [(m["role"], m["content"]) for m in prompt + response]
            assert [message.turn for message in messages] == [None, None, 0]
        texts = dict(run.texts(row))
        assert texts["golden"] == record["solution"]
        assert texts["response"] == (response if isinstance(response, str) else response[0]["content"])


@GENERATIONS
def test_a_groups_samples_share_a_prompt_hash(name: str) -> None:
    run = ReadRun(TrlFormat(), fixture_path(name))
    hashes = {row["step"]: {other["prompt_hash"] for other in run.where(step=row["step"])} for row in run.rows}
    assert [len(found) for found in hashes.values()] == [1, 1, 1]
    assert len(set.union(*hashes.values())) == 3
    assert TrlFormat.grouping == "consecutive_prompt"


@GENERATIONS
def test_the_output_folder_and_its_completions_folder_are_the_same_run(name: str) -> None:
    path = fixture_path(name)
    for folder, named in ((path, None), (path / "completions", name)):
        store = open_store(folder)
        claim = TrlFormat().detect(store)
        assert claim is not None
        assert claim.confidence > 0.9
        assert TrlFormat().run_name(store) == named
        assert [source.step for source in TrlFormat().sources(store)] == [1, 2, 3]


def test_steps_are_ordered_by_number_and_other_files_are_left_alone(tmp_path: Path) -> None:
    columns = {"prompt": ["p"], "completion": ["c"], "score": [1.0], "advantage": [0.0]}
    for step in (100_000, 9, 20):
        write_completions(tmp_path, step, columns)
    (tmp_path / "completions" / "completions_x.parquet").write_bytes(b"")
    assert [source.step for source in TrlFormat().sources(open_store(tmp_path))] == [9, 20, 100_000]


def test_many_rows_in_small_row_groups(tmp_path: Path) -> None:
    count = 600
    columns = {
        "prompt": [f"p{i // 4}" for i in range(count)],
        "completion": [f"c{i}" for i in range(count)],
        "good": [float(i) for i in range(count)],
        "advantage": [0.0] * count,
    }
    write_completions(tmp_path, 1, columns, row_group_size=37)
    run = ReadRun(TrlFormat(), tmp_path)
    assert [row["reward"] for row in run.rows] == columns["good"]
    for number in (599, 0, 300, 299):
        assert dict(run.texts(run.rows[number])) == {"prompt": f"p{number // 4}", "response": f"c{number}"}


def test_a_cut_file_is_named_and_the_others_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_open, "PAUSE_SECONDS", 0.0)
    columns = {"prompt": ["p"], "completion": ["c"], "good": [1.0], "advantage": [0.0]}
    for step in (1, 2):
        path = write_completions(tmp_path, step, columns)
    path.write_bytes(path.read_bytes()[:-20])
    run = ReadRun(TrlFormat(), tmp_path)
    assert [row["step"] for row in run.rows] == [1]
    assert [skip.file for skip in run.skipped] == ["completions/completions_00002.parquet"]


@cache
def small_file() -> bytes:
    columns = {
        "prompt": [CHAT_PROMPT] * 8,
        "completion": [[{"role": "assistant", "content": "x" * i}] for i in range(8)],
        "good": [1.0] * 8,
        "advantage": [0.0] * 8,
    }
    with tempfile.TemporaryDirectory() as folder:
        return write_completions(Path(folder), 1, columns).read_bytes()


@hypothesis.given(
    edits=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=8),
    keep=st.floats(0.0, 1.0),
)
def test_no_bytes_are_fatal(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[float, int]], keep: float
) -> None:
    run_path = tmp_path_factory.mktemp("run")
    (run_path / "completions").mkdir()
    data = bytearray(small_file())
    for place, value in edits:
        data[int(place * len(data))] = value
    # Half of the cases are cut.
    path = run_path / "completions" / "completions_00001.parquet"
    path.write_bytes(data[: int(len(data) * min(1.0, 2 * keep))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_open, "PAUSE_SECONDS", 0.0)
        run = ReadRun(TrlFormat(), run_path)
        assert run.rows or run.skipped
        for row in run.rows:
            with contextlib.suppress(NotFoundError):
                run.load(row)


def test_other_parquet_of_that_name_is_not_claimed(tmp_path: Path) -> None:
    write_completions(tmp_path, 1, {"prompt": ["p"], "response": ["c"]})
    assert TrlFormat().detect(open_store(tmp_path)) is None
    assert TrlFormat().detect(open_store(tmp_path / "nothing")) is None


def test_metrics_and_checkpoints_come_from_the_newest_trainer_state(tmp_path: Path) -> None:
    columns = {"prompt": ["p"], "completion": ["c"], "good": [1.0], "advantage": [0.0]}
    write_completions(tmp_path, 1, columns)
    for step in (5, 10):
        folder = tmp_path / f"checkpoint-{step}"
        folder.mkdir()
        history = [{"step": i, "loss": i / 10, "note": "text"} for i in range(1, step + 1)]
        history.append({"step": step, "reward": math.nan})
        (folder / "trainer_state.json").write_text(json.dumps({"log_history": history}))
    form, store = TrlFormat(), open_store(tmp_path)
    rows = list(form.metrics(store))
    assert [row.step for row in rows] == [*range(1, 11), 10]
    assert rows[2].values == {"loss": 0.3}
    assert math.isnan(rows[-1].values["reward"])
    assert [(checkpoint.name, checkpoint.step) for checkpoint in form.checkpoints(store)] == [
        ("checkpoint-5", 5),
        ("checkpoint-10", 10),
    ]
    assert form.claims(store, "checkpoint-5/trainer_state.json")
    assert not form.claims(store, "notes.txt")


def test_a_run_that_ended_with_a_checkpoint_and_no_log_of_its_own_is_finished(tmp_path: Path) -> None:
    """`train()` alone leaves trainer_state.json in its checkpoints only."""
    write_completions(tmp_path, 6, {"prompt": ["p"], "completion": ["a"], "good": [1.0], "advantage": [0.0]})
    for step in (3, 6):
        path = tmp_path / f"checkpoint-{step}" / "trainer_state.json"
        path.parent.mkdir()
        path.write_text(json.dumps({"global_step": step, "max_steps": 6, "log_history": []}))
        assert TrlFormat().finished(open_store(tmp_path)) is (step == 6)
