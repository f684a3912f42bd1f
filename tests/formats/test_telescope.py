"""Telescope archives: what the trainer's own writer wrote, and the hazards of archives that are rewritten in place."""

from __future__ import annotations

import contextlib
import io
import json
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
import pyarrow.parquet as pq
import pytest
from tests.fixtures import copy_fixture, fixture_path
from tests.formats.data_rows import ReadRun, Row, assert_row_matches_sample
from tests.formats.data_telescope import (
    STEPS,
    kept_sample,
    merged,
    write_archive,
)

import rollscope
from rollscope.errors import NotFoundError
from rollscope.formats.telescope import TelescopeFormat
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


@pytest.mark.parametrize("folder", ["steps", "events", "evals_after_training"])
def test_one_folder_of_archives_opens_by_itself(tmp_path: Path, folder: str) -> None:
    """What is there of a run that was copied in part, and what people open who look for the files."""
    shutil.copytree(fixture_path(RUN) / folder, tmp_path / folder)
    whole = {row["key"].rpartition("/")[2] for row in the_run().rows}
    for path in (tmp_path, tmp_path / folder):
        assert TelescopeFormat().detect(open_store(path)) is not None
        keys = {row["key"].rpartition("/")[2] for row in ReadRun(TelescopeFormat(), path).rows}
        assert keys
        assert keys <= whole


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


# Hazards ---------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True, scope="module")
def _no_pauses() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_open, "PAUSE_SECONDS", 0.0)
        yield


def test_the_real_run_opens_from_a_copy_whose_tail_is_cut(tmp_path: Path) -> None:
    run_path = copy_fixture(RUN, tmp_path)
    tail = run_path / "events" / "tail.zip"
    tail.write_bytes(tail.read_bytes()[:50_000])
    shutil.rmtree(run_path / "evals_after_training")
    run = ReadRun(TelescopeFormat(), run_path)
    assert len(run.rows) == len([row for row in the_run().rows if "@" not in row["split"]])
    assert [skip.file for skip in run.skipped] == ["events/tail.zip"]


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


def test_lists_and_samples_agree_on_how_old_the_weights_were() -> None:
    run = rollscope.open(fixture_path("telescope"))
    for split in run.splits:
        for row in run.samples(split=split, discarded=None, limit=40).rows:
            assert row.staleness == run.sample(row.address).staleness, row.address
