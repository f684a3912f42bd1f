"""Telescope archives: what the trainer's own writer wrote, and the hazards of archives that are rewritten in place."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import statistics
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from tests.fixtures import copy_fixture, fixture_path
from tests.formats.data_rows import ReadRun, Row, assert_row_matches_sample, same
from tests.formats.data_telescope import (
    EVALS,
    EVENTS,
    METRICS,
    STEPS,
    eval_completion,
    kept_sample,
    merged,
    parquet,
    write_archive,
)

import rollscope
from rollscope.errors import NotFoundError
from rollscope.formats.containers.parquet import Table
from rollscope.formats.telescope import TelescopeFormat
from rollscope.formats.telescope.inflate import STRETCH, Member
from rollscope.model import Sample
from rollscope.storage import open_files as kept_open
from rollscope.storage.open_store import open_store

RUN = "telescope/wandb/run-20261101_100000-abc123/files"


# What its own writer wrote ---------------------------------------------------------------------------------------


@cache
def expected() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(fixture_path("telescope_expected.json").read_text())
    return loaded


@cache
def the_run() -> ReadRun:
    return ReadRun(TelescopeFormat(), fixture_path(RUN))


def kept(run: ReadRun, step: int) -> list[Row]:
    return [row for row in run.where(split="train", step=step) if row["discard_reason"] is None]


def sample_id(run: ReadRun, row: Row) -> int:
    return int(run.load(row).record["samples_data"]["sample_id"])


def test_the_run_is_recognised_and_named_as_its_config_names_it() -> None:
    store = open_store(fixture_path(RUN))
    claim = TelescopeFormat().detect(store)
    assert claim is not None
    assert claim.confidence == 1.0
    assert TelescopeFormat().run_name(store) == expected()["name"]


@pytest.mark.parametrize(
    "config", [None, "wandb_run_name:\n    value: null\n", "wandb_run_name:\n    value: [\n", "\0"]
)
def test_a_run_that_nobody_named_has_the_name_of_its_wandb_folder(tmp_path: Path, config: str | None) -> None:
    folder = tmp_path / "run-7" / "files"
    folder.mkdir(parents=True)
    if config is not None:
        (folder / "config.yaml").write_text(config)
    assert TelescopeFormat().run_name(open_store(folder)) == "run-7"


def test_other_folders_are_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "steps").mkdir()
    (tmp_path / "steps" / "block_0.txt").write_text("x")
    with zipfile.ZipFile(tmp_path / "steps" / "block_0.zip", "w") as archive:
        archive.writestr("readme.md", "not an archive of tables")
    assert TelescopeFormat().detect(open_store(tmp_path)) is None


@pytest.mark.parametrize("step", range(12))
def test_each_step_has_exactly_its_kept_samples(step: int) -> None:
    run, wanted = the_run(), expected()["steps"][str(step)]
    rows = kept(run, step)
    assert len(rows) == wanted["kept_samples"]
    assert statistics.fmean(row["reward"] for row in rows) == pytest.approx(wanted["mean_reward"], abs=1e-12)
    assert [int(group) for group in dict.fromkeys(row["group"] for row in rows)] == wanted["groups"]
    assert {row["group"]: row["env"] for row in rows} == wanted["group_envs"]
    by_group = defaultdict(list)
    for row in rows:
        by_group[row["group"]].append(row["reward"])
    means = {group: statistics.fmean(rewards) for group, rewards in by_group.items()}
    assert means == pytest.approx(wanted["group_mean_reward"], abs=1e-12)
    assert all(len(rewards) == expected()["group_size"] for rewards in by_group.values())
    assert sum(row["status"] == "truncated" for row in rows) == wanted["truncated_samples"]
    assert sum(row["turns"] for row in rows) == wanted["model_turns"]


def test_step_metrics_come_from_all_archives() -> None:
    run = the_run()
    found: dict[int, dict[str, float]] = defaultdict(dict)
    for row in run.form.metrics(run.store):
        found[row.step].update(row.values)
        assert row.time is not None
    assert len(found) == expected()["trainer_steps_done"]
    for step, wanted in expected()["steps"].items():
        assert found[int(step)] == {name: float(value) for name, value in wanted["step_metrics"].items()}


def test_discarded_samples_are_at_the_trainers_step_with_their_reason() -> None:
    run = the_run()
    found: dict[str, dict[str, dict[str, int]]] = {}
    for step in range(12):
        counts = Counter((row["discard_reason"], row["group"]) for row in run.where(split="train", step=step))
        for (reason, _), samples in counts.items():
            if reason in ("zero_advantage", "max_async"):
                entry = found.setdefault(str(step), {}).setdefault(reason, {"groups": 0, "samples": 0})
                entry["groups"] += 1
                entry["samples"] += samples
    assert found == expected()["discarded_by_trainer_step"]
    for group in expected()["discarded_groups"]:
        rows = run.where(split="train", group=str(group["group_id"]))
        assert [sample_id(run, row) for row in rows] == group["sample_ids"]
        assert [row["reward"] for row in rows] == pytest.approx(group["rewards"])
        assert {(row["step"], row["discard_reason"], row["env"]) for row in rows} == {
            (group["trainer_step"], group["decision"], group["env"])
        }
        assert {run.load(row).record["samples_data"]["inference_step"] for row in rows} == {group["inference_step"]}


def test_cancelled_samples_keep_their_prompt_and_claim_no_reward() -> None:
    run = the_run()
    for group in expected()["cancelled_groups"]:
        rows = run.where(split="train", group=str(group["group_id"]))
        assert [sample_id(run, row) for row in rows] == group["sample_ids"]
        for row in rows:
            sample = run.load(row)
            assert (row["step"], row["env"]) == (group["trainer_step"], group["env"])
            assert (row["discard_reason"], row["status"]) == (group["reason"], "aborted")
            assert (row["reward"], row["advantage"], row["total_tokens"], row["turns"]) == (None,) * 4
            assert [message.text for message in sample.messages] == [group["problem"]]
    wanted = expected()["cancelled_by_trainer_step"]
    reasons = {
        step: Counter(row["discard_reason"] for row in run.where(split="train", step=int(step), status="aborted"))
        for step in wanted
    }
    assert reasons == {
        step: {reason: counts["samples"] for reason, counts in entry.items()} for step, entry in wanted.items()
    }


def test_groups_that_failed_or_were_in_flight_leave_no_sample() -> None:
    run = the_run()
    for group in [*expected()["error_groups"], expected()["inflight_at_end"]]:
        assert run.where(split="train", group=str(group["group_id"])) == []


def test_evals_during_training() -> None:
    run = the_run()
    for step, evals in expected()["evals"].items():
        for name, wanted in evals.items():
            rows = run.where(split=f"eval/{name}", step=int(step))
            assert len(rows) == wanted["completions"]
            assert len({row["group"] for row in rows}) == wanted["problems"]
            values = [row[f"metrics.{wanted['metric']}"] for row in rows]
            assert statistics.fmean(values) == pytest.approx(wanted["mean"])
            passed = {row["group"]: row[f"metrics.pass@2/{wanted['metric']}"] for row in rows}
            assert statistics.fmean(passed.values()) == pytest.approx(wanted["pass_at_2"])
            assert {row["reward"] for row in rows} == {None}
            assert {row["sampling_step"] for row in rows} == {int(step)}


def test_evals_after_training_are_a_split_of_their_own() -> None:
    run = the_run()
    for step, wanted in expected()["evals_after_training"].items():
        rows = run.where(split=f"eval/{wanted['eval']}@after_training", step=int(step))
        assert len(rows) == wanted["completions"]
        assert statistics.fmean(row["metrics.correct"] for row in rows) == pytest.approx(wanted["mean_correct"])
    assert {row["split"] for row in run.rows} == {
        *("train", "eval/math_holdout", "eval/city_tools", "eval/math_holdout@after_training")
    }


@pytest.mark.parametrize(
    "name",
    [
        *("discarded_zero_advantage", "math_latex", "kept_off_policy", "tools_multi_turn"),
        *("discarded_max_async", "truncated_cjk", "tools_truncated"),
    ],
)
def test_a_sample_opens_whole(name: str) -> None:
    run, wanted = the_run(), expected()["samples"][name]
    rows = run.where(split="train", group=str(wanted["group_id"]))
    sample = next(
        sample for row in rows if (sample := run.load(row)).record["samples_data"]["sample_id"] == wanted["sample_id"]
    )
    roles = {"tool": "environment"}
    assert [(roles.get(message.role, message.role), message.text) for message in sample.messages] == [
        (turn["role"], turn["text"]) for turn in wanted["turns"]
    ]
    assert [message.turn for message in sample.messages] == [turn.get("generation_idx") for turn in wanted["turns"]]
    assert sample.step == (wanted["trainer_step"] if wanted["step"] is None else wanted["step"])
    assert sample.discard_reason == (None if wanted["status"] == "kept" else wanted["status"])
    assert sample.env == wanted["env"]
    assert sample.reward == pytest.approx(wanted["reward"])
    assert sample.advantage == pytest.approx(wanted["advantage"])
    assert sample.metrics == wanted["metrics"]
    assert sample.golden_answers == wanted["golden_answers"]
    assert dict(tag.split("=", 1) for tag in sample.tags) == wanted["tags"]
    assert sample.stop_reason == wanted["sample_stop_reason"]
    assert (sample.status == "truncated") == wanted["truncated"]
    assert sample.staleness == wanted["off_policy_steps"]
    for info in wanted["info_turns"]:
        call = info["tool_call_idx"]
        key = info["info_key"] if call < 0 else f"{info['info_key']} (tool call {call})"
        assert sample.turns[info["generation_idx"]].logs[key] == info["info_value"]
    for call in wanted["tool_calls"]:
        logged = sample.turns[call["generation_idx"]].logs[f"tool call {call['tool_call_idx']}"]
        fields = {field: value for field, value in call.items() if not field.endswith("_idx") and value != ""}
        assert fields.items() <= logged.items()


def naive_table(run: Path, archive: str, table: str) -> list[dict[str, Any]]:
    with zipfile.ZipFile(run / archive) as opened:
        data = opened.read(f"{table}.parquet")
    rows: list[dict[str, Any]] = pq.read_table(io.BytesIO(data), use_threads=False).to_pylist()
    return rows


def test_every_sample_of_every_archive_is_there_once_with_its_reward() -> None:
    run, path = the_run(), fixture_path(RUN)
    wanted: dict[int, tuple[int, float]] = {}
    for archive in sorted(path.glob("*/*.zip")):
        name = str(archive.relative_to(path))
        for suffix, step in (("", "step"), ("_kept", "step"), ("_discarded", "trainer_step")):
            with zipfile.ZipFile(archive) as opened:
                there = f"samples_data{suffix}.parquet" in opened.namelist()
            for row in naive_table(path, name, f"samples_data{suffix}") if there else ():
                wanted[row["sample_id"]] = (row[step], row["reward"])
    found = [
        (sample_id(run, row), (row["step"], row["reward"]))
        for row in run.where(split="train")
        if row["status"] != "aborted"
    ]
    assert len(found) == len(wanted)
    assert dict(found) == wanted


def test_index_rows_agree_with_loaded_samples_and_search_texts_with_messages() -> None:
    run = the_run()
    for row in run.rows:
        sample = run.load(row)
        assert_row_matches_sample(row, sample)
        texts = dict(run.texts(row))
        assert texts["prompt"] == "\n".join(message.text for message in sample.messages if message.turn is None)
        assert texts.get("response", "") == "\n".join(m.text for m in sample.messages if m.turn is not None)
        assert sample.source["file"] == row["source"].path


def test_the_same_prompt_has_the_same_hash_over_the_steps() -> None:
    run = the_run()
    texts: dict[int, set[str]] = defaultdict(set)
    for row in run.where(split="train", status="completed"):
        texts[row["prompt_hash"]].add(dict(run.texts(row))["prompt"])
    assert all(len(prompts) == 1 for prompts in texts.values())
    assert len(texts) == len({prompt for prompts in texts.values() for prompt in prompts})
    assert len(texts) < len({(row["step"], row["group"]) for row in run.where(split="train", status="completed")})


def test_config_is_unwrapped_and_ranges_are_declared_per_environment() -> None:
    run = the_run()
    config = run.form.config(run.store)
    for key in ("group_size", "max_tokens", "number_of_steps"):
        assert config[key] == expected()[key]
    assert config["_custom_config"]["wandb_run_name"] == expected()["name"]
    assert "_wandb" not in config
    ranges = run.form.ranges(run.store)
    for env in expected()["envs"]:
        assert "reward" in ranges[env]
        assert ranges[env] == ranges[env.replace("_", "-")]
    assert (ranges["city_tools"]["reward"].min, ranges["city_tools"]["reward"].max) == (-0.5, 1.5)
    assert ranges["math_latex"]["metrics.think_chars"].higher_is_better is False
    assert ranges["math_holdout"]["metrics.pass@2/correct"].max == 1.0


# Hazards ---------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True, scope="module")
def _no_pauses() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_open, "PAUSE_SECONDS", 0.0)
        yield


def test_a_sample_in_several_archives_is_one_and_the_finished_block_counts(tmp_path: Path) -> None:
    block = kept_sample(5, step=2, group=1, reward=0.75, texts=["from the block"])
    write_archive(tmp_path / "steps" / "block_0.zip", block, suffixes=STEPS)
    for name in ("steps/block_live.zip", "steps/tail.zip"):
        late = merged(
            kept_sample(5, step=2, group=1, reward=0.75, texts=["from a later archive"]),
            kept_sample(6, step=3, group=2, reward=0.25, texts=[f"new in {name}"]),
        )
        write_archive(tmp_path / name, late, suffixes=STEPS)
    events = kept_sample(5, step=2, group=1, reward=0.75, texts=["from the events"], suffix="_kept")
    write_archive(tmp_path / "events" / "tail.zip", events, suffixes=EVENTS)
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert [(row["key"], row["source"].path) for row in run.rows] == [
        ("5", "steps/block_0.zip"),
        ("6", "steps/block_live.zip"),
    ]
    assert [run.load(row).messages[-1].text for row in run.rows] == ["from the block", "new in steps/block_live.zip"]


def test_blocks_are_ordered_by_number(tmp_path: Path) -> None:
    for number in (10, 9, 0):
        write_archive(tmp_path / "steps" / f"block_{number}.zip", {}, suffixes=STEPS)
    write_archive(tmp_path / "events" / "block_0.zip", {}, suffixes=EVENTS)
    write_archive(tmp_path / "steps" / "tail.zip", {}, suffixes=STEPS)
    sources = list(TelescopeFormat().sources(open_store(tmp_path)))
    assert [source.path for source in sources] == [
        *("steps/block_0.zip", "steps/block_9.zip", "steps/block_10.zip", "steps/tail.zip", "events/block_0.zip")
    ]
    assert [source.rank for source in sources] == sorted(source.rank for source in sources)
    assert not any(source.appendable for source in sources)


def test_samples_cancelled_before_they_had_an_id_are_counted_once_each(tmp_path: Path) -> None:
    common = {"group_id": 4, "trainer_step": 1, "inference_step": 2, "discard_reason": "eval_drain", "tail_idx": 9}
    tables = {
        "prompts_cancelled": [{**common, "env": "cities_qa", "prompt": "never answered"}],
        "samples_data_cancelled": [{**common, "sample_id": identity, "num_generations": 0} for identity in (8, -1, -1)],
    }
    for name in ("block_live", "tail"):
        write_archive(tmp_path / "events" / f"{name}.zip", tables, suffixes=EVENTS)
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert len(run.rows) == 3
    assert {(row["step"], row["discard_reason"], row["env"]) for row in run.rows} == {(1, "eval_drain", "cities_qa")}
    assert [row["staleness"] for row in run.rows][1:] == [None, None]
    assert [run.load(row).messages[0].text for row in run.rows] == ["never answered"] * 3


def test_evals_repeated_after_training_are_all_kept(tmp_path: Path) -> None:
    during = merged(*(eval_completion(0, c, step=6, correct=0.0, text="during", sample=c) for c in (0, 1)))
    write_archive(tmp_path / "events" / "block_0.zip", during, suffixes=EVENTS)
    for name in ("20260101_000000", "20260102_000000"):
        after = merged(*(eval_completion(0, c, step=6, correct=1.0, text=name) for c in (0, 1)))
        path = tmp_path / "evals_after_training" / f"evals_after_training_{name}.zip"
        write_archive(path, after, suffixes=EVALS)
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert Counter(row["split"] for row in run.rows) == {"eval/holdout": 2, "eval/holdout@after_training": 4}
    assert [row["metrics.correct"] for row in run.where(split="eval/holdout")] == [0.0, 0.0]
    assert len({row["key"] for row in run.rows}) == 6
    texts = [run.load(row).messages[-1].text for row in run.where(split="eval/holdout@after_training")]
    assert texts == ["20260101_000000"] * 2 + ["20260102_000000"] * 2
    assert {row["prompt_tokens"] for row in run.rows} == {None}


def one_sample(tmp_path: Path, tables: dict[str, Any]) -> Sample:
    write_archive(tmp_path / "steps" / "tail.zip", tables, suffixes=STEPS)
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert len(run.rows) == 1
    sample = run.load(run.rows[0])
    assert_row_matches_sample(run.rows[0], sample)
    return sample


def test_turns_tools_agents_and_their_numbers(tmp_path: Path) -> None:
    tables = kept_sample(1, step=0, group=0, reward=1.0, texts=["<think>a</think>call", "cut…"])
    key = {"step": 0, "group_id": 0, "sample_id": 1}
    tables["tool_calls"] = [
        {
            **key,
            "agent_id": 0,
            "generation_idx": 0,
            "tool_call_idx": 0,
            "tool_name": "lookup",
            "result": "42",
            "success": True,
        }
    ]
    tables["generations"].append(
        {
            **key,
            "agent_id": 1,
            "generation_idx": 0,
            "content": "helper",
            "tokens": 2,
            "prompt_tokens": 5,
            "stop_reason": "stop",
        }
    )
    tables["turn_metrics"] = [
        {"step": 0, "sample_id": 1, "agent_id": 0, "generation_idx": 1, "metric_name": "speed", "value": 2.5}
    ]
    tables["env_responses"].append(
        {**key, "agent_id": 1, "generation_idx": 0, "content": "well done", "turn_type": "feedback", "tokens": 2}
    )
    sample = one_sample(tmp_path, {**tables, "samples_data": [{**tables["samples_data"][0], "num_generations": 3}]})
    assert [(m.role, m.name, m.text, m.turn) for m in sample.messages] == [
        ("user", None, "question 0", None),
        ("assistant", None, "<think>a</think>call", 0),
        ("tool", None, "result 0", 0),
        ("assistant", None, "cut…", 1),
        ("assistant", "agent 1", "helper", 2),
        ("environment", "feedback", "well done", 2),
    ]
    assert sample.messages[1].parts[0].type == "thinking"
    assert sample.messages[2].parts[0].name == "lookup"
    assert sample.turns[0].logs["tool call 0"] == {
        "tool_name": "lookup",
        "result": "42",
        "success": True,
        "truncated": False,
    }
    assert sample.turns[0].timings == {"env_response": 0.25}
    assert sample.turns[1].metrics == {"speed": 2.5}
    assert (sample.status, sample.stop_reason) == ("truncated", "final_answer")
    assert (sample.prompt_tokens, sample.completion_tokens, sample.total_tokens) == (9, 10 + 11 + 2, 40)
    assert sample.golden_answers == {"correct": "answer 0"}


def test_a_metric_that_is_not_a_number_stays_so(tmp_path: Path) -> None:
    tables = kept_sample(1, step=0, group=0, reward=float("nan"), texts=["x"])
    sample = one_sample(tmp_path, tables)
    assert same(sample.reward, float("nan"))
    assert sample.record["samples_data"]["reward"] == "NaN"


def test_the_newest_metrics_of_a_step_come_last(tmp_path: Path) -> None:
    for name, value in (("block_0", 1.0), ("tail", 2.0)):
        rows = [{"step": 3, "section": "loss", "group": "policy", "metric": "kl/max", "value": value}]
        write_archive(tmp_path / "steps" / f"{name}.zip", {"metrics": rows}, suffixes=STEPS)
    event = {"event_type": "optimizer", "step": 3, "start_time": 10.0, "end_time": 12.5}
    write_archive(tmp_path / "events" / "tail.zip", {"trainer": [event]}, suffixes=EVENTS)
    found = [(row.step, row.time, row.values) for row in TelescopeFormat().metrics(open_store(tmp_path))]
    assert found == [(3, 12.5, {"loss/policy/kl/max": 1.0}), (3, 12.5, {"loss/policy/kl/max": 2.0})]


@pytest.mark.parametrize("keep", [0, 10, 2_000, -30], ids=["empty", "header", "half", "no directory"])
def test_a_half_written_archive_is_named_and_the_others_open(tmp_path: Path, keep: int) -> None:
    good = kept_sample(1, step=0, group=0, reward=1.0, texts=["good"])
    write_archive(tmp_path / "steps" / "block_0.zip", good, suffixes=STEPS)
    tail = write_archive(tmp_path / "steps" / "tail.zip", good, suffixes=STEPS)
    tail.write_bytes(tail.read_bytes()[:keep])
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert [run.load(row).messages[-1].text for row in run.rows] == ["good"]
    assert [skip.file for skip in run.skipped] == ["steps/tail.zip"]
    assert list(run.form.metrics(run.store)) == []


def test_an_archive_that_is_whole_a_moment_later_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = kept_sample(1, step=0, group=0, reward=1.0, texts=["whole"])
    path = write_archive(tmp_path / "steps" / "tail.zip", tables, suffixes=STEPS)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    monkeypatch.setattr("time.sleep", lambda _: path.write_bytes(whole))
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert run.skipped == []
    assert len(run.rows) == 1


def test_one_damaged_table_costs_only_its_samples(tmp_path: Path) -> None:
    path = tmp_path / "events" / "block_0.zip"
    write_archive(path, kept_sample(1, step=0, group=0, reward=1.0, texts=["x"], suffix="_kept"), suffixes=EVENTS)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["samples_data_eval.parquet"] = b"PAR1 not really"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert len(run.rows) == 1
    assert len(run.skipped) == 1
    assert "samples_data_eval" in run.skipped[0].reason


def test_a_rewritten_archive_is_never_served_from_memory(tmp_path: Path) -> None:
    path = tmp_path / "steps" / "tail.zip"
    write_archive(path, kept_sample(1, step=0, group=0, reward=1.0, texts=["before"]), suffixes=STEPS)
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert run.load(run.rows[0]).messages[-1].text == "before"
    write_archive(path, kept_sample(2, step=0, group=0, reward=0.0, texts=["after!"]), suffixes=STEPS)
    os.utime(path, ns=(1, 1))
    assert run.load(run.rows[0]).messages[-1].text == "after!"
    write_archive(path, kept_sample(3, step=7, group=9, reward=0.0, texts=["of another step"]), suffixes=STEPS)
    with pytest.raises(NotFoundError, match="rewritten"):
        run.load(run.rows[0])
    path.unlink()
    with pytest.raises(NotFoundError, match=r"steps/tail\.zip"):
        run.load(run.rows[0])


def test_the_real_run_opens_from_a_copy_whose_tail_is_cut(tmp_path: Path) -> None:
    run_path = copy_fixture(RUN, tmp_path)
    tail = run_path / "events" / "tail.zip"
    tail.write_bytes(tail.read_bytes()[:50_000])
    shutil.rmtree(run_path / "evals_after_training")
    run = ReadRun(TelescopeFormat(), run_path)
    assert len(run.rows) == len([row for row in the_run().rows if "@" not in row["split"]])
    assert [skip.file for skip in run.skipped] == ["events/tail.zip"]


def test_an_archive_of_something_else_is_named(tmp_path: Path) -> None:
    (tmp_path / "steps").mkdir()
    with zipfile.ZipFile(tmp_path / "steps" / "tail.zip", "w") as archive:
        archive.writestr("metadata.json", "{}")
    assert [skip.reason for skip in ReadRun(TelescopeFormat(), tmp_path).skipped] == [
        "this archive holds no table of samples"
    ]


@cache
def small_archive(compression: int) -> bytes:
    samples = (kept_sample(i, step=0, group=i // 2, reward=0.5, texts=["one", "two"]) for i in range(4))
    with tempfile.TemporaryDirectory() as folder:
        path = write_archive(Path(folder) / "tail.zip", merged(*samples), suffixes=STEPS, compression=compression)
        return path.read_bytes()


@hypothesis.given(
    compression=st.sampled_from([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED]),
    edits=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=8),
    keep=st.floats(0.0, 1.0),
)
def test_no_bytes_are_fatal(
    tmp_path_factory: pytest.TempPathFactory, compression: int, edits: list[tuple[float, int]], keep: float
) -> None:
    run_path = tmp_path_factory.mktemp("run")
    (run_path / "steps").mkdir()
    data = bytearray(small_archive(compression))
    for place, value in edits:
        data[int(place * len(data))] = value
    # Half of the cases are cut.
    (run_path / "steps" / "tail.zip").write_bytes(data[: int(len(data) * min(1.0, 2 * keep))])
    run = ReadRun(TelescopeFormat(), run_path)
    assert run.rows or run.skipped
    list(run.form.metrics(run.store))
    for row in run.rows:
        with contextlib.suppress(NotFoundError):
            run.load(row)


# Size ------------------------------------------------------------------------------------------------------------


def noise(seed: int, size: int) -> bytes:
    """Bytes that do not compress, so that stretches of the archive are as long as those of the member."""
    return np.random.default_rng(seed).bytes(size)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_a_member_reads_the_same_from_any_place(method: int) -> None:
    data = noise(1, 2 * STRETCH) + b"plain " * 500_000 + noise(2, STRETCH)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("first", b"something before it")
        archive.writestr("member", data)
        info = archive.getinfo("member")
    member = Member(buffer, info)
    assert member.read(3 * STRETCH) == data[: 3 * STRETCH]
    ends = [0, 1, len(data) - 1, len(data), STRETCH, STRETCH - 1, 3 * STRETCH + 7, 12, 2 * STRETCH + 3_000_000]
    for start in [*ends, *reversed(ends)]:
        member.seek(start)
        assert member.read(1000) == data[start : start + 1000]
    member.seek(-5, io.SEEK_END)
    assert member.read() == data[-5:]
    member.seek(0)
    assert member.readall() == data


def test_scanning_reads_no_texts_and_loading_only_a_stretch(tmp_path: Path) -> None:
    """A hundred megabytes of text in one table; neither a scan nor a walk over the samples holds them."""
    count, size = 12_800, 8 << 10
    block = kept_sample(0, step=0, group=0, reward=0.0, texts=["x"])
    data, compress = noise(1, count * size), zstandard.ZstdCompressor().compress
    block["samples_data"] = [{**block["samples_data"][0], "sample_id": i} for i in range(count)]
    block["generations"] = [
        {**block["generations"][0], "sample_id": i, "content": compress(data[i * size : (i + 1) * size])}
        for i in range(count)
    ]
    path = tmp_path / "steps" / "block_0.zip"
    write_archive(path, block, suffixes=STEPS, compression=zipfile.ZIP_STORED)
    block.clear()
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert len(run.rows) == count
    assert pa.total_allocated_bytes() < 4 << 20
    for row in run.rows[:: count // 8]:
        run.texts(row)
        assert pa.total_allocated_bytes() < 40 << 20


def test_rows_are_found_over_row_groups_of_any_size() -> None:
    rows = [{"step": i, "section": "a", "group": "", "metric": str(i), "value": float(i)} for i in range(1000)]
    table = Table(io.BytesIO(parquet(METRICS, rows, row_group_size=77)))
    for number in (999, 0, 76, 77, 255, 256, 512, 3):
        assert table.rows([number])[0]["step"] == number
    assert table.find("step", 613, metric="613") == [613]
    assert table.find("step", 613, metric="614") == []
    assert table.find("step", 5000) == []


def test_lists_and_samples_agree_on_how_old_the_weights_were() -> None:
    run = rollscope.open(fixture_path("telescope"))
    for split in run.splits:
        for row in run.samples(split=split, discarded=None, limit=40).rows:
            assert row.staleness == run.sample(row.address).staleness, row.address
