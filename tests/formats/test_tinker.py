"""Tinker Cookbook runs: every line is a sample; a transcript is shown with one only where that is certain."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import fixture_path, write_jsonl
from tests.formats.data_rows import ReadRun, assert_row_matches_sample, same
from tests.formats.data_tinker import (
    Node,
    Record,
    answered,
    asked,
    conversation,
    group,
    problem,
    said,
    section,
    step,
    summary,
    write_iteration,
)

import rollscope
from rollscope.formats.tinker import TinkerFormat
from rollscope.model import Sample
from rollscope.storage.open_store import open_store

RUNS = ("tinker_flat", "tinker_iteration_dirs_crashed")
BOTH = pytest.mark.parametrize("name", RUNS)


# What its own writer wrote ---------------------------------------------------------------------------------------


@cache
def the_run(name: str) -> ReadRun:
    return ReadRun(TinkerFormat(), fixture_path(name))


def naive_lines(path: Path) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """(split, iteration, record) of every line of every summaries file, by what the lines say themselves."""
    for file in sorted(path.rglob("*_rollout_summaries.jsonl")):
        for line in file.read_text().splitlines():
            record = json.loads(line)
            yield record["split"], record["iteration"], record


@BOTH
def test_every_line_is_a_sample_with_its_numbers(name: str) -> None:
    run = the_run(name)
    wanted = {
        (split, iteration, str(record["group_idx"]), record["traj_idx"]): record
        for split, iteration, record in naive_lines(fixture_path(name))
    }
    assert run.skipped == []
    found = {}
    for row in run.rows:
        sample = run.load(row)
        assert_row_matches_sample(row, sample)
        found[row["split"], row["step"], row["group"], sample.record["traj_idx"]] = sample
    assert len(run.rows) == len(found)
    assert found.keys() == wanted.keys()
    for key, sample in found.items():
        record = wanted[key]
        assert same(sample.reward, record["total_reward"])
        assert same(sample.final_reward, record["final_reward"])
        assert sample.tags == record["tags"]
        assert sample.sampling_step == record["sampling_client_step"]
        assert sample.completion_tokens == sum(turn["ac_len"] for turn in record["steps"])
        assert sample.prompt_tokens == record["steps"][0]["ob_len"]
        assert [turn.reward for turn in sample.turns] == [turn["reward"] for turn in record["steps"]]
        for name_, value in record["trajectory_metrics"].items():
            assert same(sample.metrics[name_], float(value))
        for name_, value in record["steps"][-1]["metrics"].items():
            assert same(sample.turns[-1].metrics[name_], float(value))
            if len(record["steps"]) == 1 and name_ not in record["trajectory_metrics"]:
                assert same(sample.metrics[name_], float(value))


@BOTH
def test_splits_and_steps(name: str) -> None:
    steps = defaultdict(set)
    for row in the_run(name).rows:
        steps[row["split"]].add(row["step"])
    evaluated = {0, 5, 10} if name == "tinker_flat" else {0, 5}
    assert steps == {
        "train": {0, 2, 5, 10} if name == "tinker_flat" else {0, 5, 8},
        "eval/test": evaluated,
        "eval/AIME_2025_avg_2": evaluated,
    }


@BOTH
def test_metrics_of_steps_run_again_end_with_the_last(name: str) -> None:
    wanted: dict[tuple[int, str], float] = {}
    for line in (fixture_path(name) / "metrics.jsonl").read_text().splitlines():
        row = json.loads(line)
        wanted.update({(row["step"], key): float(value) for key, value in row.items() if key != "step"})
    found: dict[tuple[int, str], float] = {}
    run = the_run(name)
    for logged in run.form.metrics(run.store):
        found.update({(logged.step, key): value for key, value in logged.values.items()})
    assert found.keys() == wanted.keys()
    assert all(same(found[key], wanted[key]) for key in wanted)
    assert any(math.isnan(value) for value in found.values())
    assert run.form.metric_files(run.store) == ["metrics.jsonl"]


@BOTH
def test_config_checkpoints_and_reports(name: str) -> None:
    run, path = the_run(name), fixture_path(name)
    assert run.form.config(run.store) == json.loads((path / "config.json").read_text())
    checkpoints = run.form.checkpoints(run.store)
    lines = [json.loads(line) for line in (path / "checkpoints.jsonl").read_text().splitlines()]
    assert [(c.name, c.step, c.paths["state_path"]) for c in checkpoints] == [
        (line["name"], line["batch"], line["state_path"]) for line in lines
    ]
    reports = run.form.reports(run.store)
    assert sorted(reports) == sorted(str(file.relative_to(path)) for file in path.rglob("*_logtree.json"))
    assert any("eval_1" in report for report in reports), "an evaluator without summaries still has its report"
    unclaimed = [
        str(file.relative_to(path))
        for file in path.rglob("*")
        if file.is_file() and not run.form.claims(run.store, str(file.relative_to(path)))
    ]
    assert all(path.endswith("_rollout_summaries.jsonl") for path in unclaimed)


@BOTH
def test_the_run_is_recognised(name: str) -> None:
    claim = TinkerFormat().detect(open_store(fixture_path(name)))
    assert claim is not None
    assert claim.confidence == 0.9


def plain_text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def whole_text(message: dict[str, Any]) -> str:
    """With its thoughts."""
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("thinking", part.get("text")) for part in content)


def naive_rewards(logtree: Path) -> list[list[tuple[str, str]]]:
    """Per logged group that finished: (response as JSON, reward text) of each single-turn transcript, in order."""
    groups: list[list[tuple[str, str]]] = []

    def walk(node: Any, out: list[str | dict[str, Any]]) -> None:
        if isinstance(node, str):
            out.append(node)
            return
        if node.get("data"):
            out.append(node["data"])
        for child in node["children"]:
            walk(child, out)

    for child in json.loads(logtree.read_text())["root"]["children"]:
        flat: list[str | dict[str, Any]] = []
        walk(child, flat)
        if "Group Rollout" not in flat[:1] or "Trajectory Details" not in flat:
            continue
        found = []
        for position, item in enumerate(flat):
            if item == "Reward components":
                data = next(entry for entry in reversed(flat[:position]) if isinstance(entry, dict))
                value = flat.index("reward", position) + 1
                found.append((json.dumps(data["messages"][-1]), str(flat[value])))
        groups.append(found)
    return groups


def response_text(sample: Sample) -> str:
    parts = [part for message in sample.messages if message.turn is not None for part in message.parts]
    return "".join(part.text for part in parts if part.type != "thinking")


@BOTH
def test_single_turn_transcripts_are_shown_only_with_the_one_sample_of_their_reward(name: str) -> None:
    run, checked, unmatched = the_run(name), 0, 0
    for source in run.form.sources(run.store):
        logtree = fixture_path(name) / source.path.replace("_rollout_summaries.jsonl", "_logtree.json")
        logged = naive_rewards(logtree)
        for row in [row for row in run.rows if row["source"] == source and row["tags"] == ["arithmetic"]]:
            transcripts = logged[int(row["group"])] if int(row["group"]) < len(logged) else []
            if not transcripts:
                continue
            sample = run.load(row)
            alike = {text for text, reward in transcripts if reward == f"{row['reward']:.3f}"}
            if sample.unmatched:
                assert len(alike) > 1
                assert response_text(sample) == ""
                assert {message.role for message in sample.messages} == {"system", "user"}
                unmatched += 1
            else:
                shown = "".join(message.text for message in sample.messages if message.turn is not None)
                assert [whole_text(json.loads(message)) for message in alike] == [shown]
                checked += 1
            assert sample.golden_answers.keys() == {"reference_answer"}
    assert checked > 8
    assert unmatched > 5


@BOTH
def test_agents_transcripts_say_what_their_sample_logged(name: str) -> None:
    run, shown = the_run(name), Counter[bool]()
    for row in [row for row in run.rows if "agent" in row["tags"]]:
        sample = run.load(row)
        joined = any("carries no index" in note for note in sample.notes)
        shown[joined] += 1
        for turn in sample.turns:
            spoken = [m for m in sample.messages if m.role == "assistant" and m.turn == turn.index]
            words = "".join(part.text for m in spoken for part in m.parts if part.type not in ("thinking", "tool_call"))
            calls = [part.text for m in spoken for part in m.parts if part.type == "tool_call"]
            logged = [turn.logs[key] for key in sorted(turn.logs) if key.startswith("tool_call_")]
            assert words == turn.logs.get("assistant_content", "")
            assert [call for call in calls if "<tool_call>" not in call] == logged
            results = [m.text for m in sample.messages if m.role == "tool" and m.turn == turn.index]
            assert results == [turn.logs[key] for key in sorted(turn.logs) if key.startswith("tool_result_")]
        if joined:
            assert [m.role for m in sample.messages[:2]] == ["system", "user"]
            assert sample.messages[-1].tokens == sample.turns[-1].completion_tokens
    assert shown[True] > 15
    assert shown[False] > 15


@BOTH
def test_numbered_completions_are_those_of_their_trajectory(name: str) -> None:
    run = the_run(name)
    for row in [row for row in run.where(split="train") if row["tags"] == ["pair_pref"]]:
        sample = run.load(row)
        if not sample.messages:
            continue
        logtree = fixture_path(name) / row["source"].path.replace("_rollout_summaries.jsonl", "_logtree.json")
        heading = f"Completion {sample.record['traj_idx']}"
        texts = [
            plain_text(messages[0])
            for title, messages in headed_conversations(json.loads(logtree.read_text())["root"])
            if title == heading
        ]
        assert response_text(sample) in texts
        assert sample.unmatched == []


def headed_conversations(node: Any, heading: str = "") -> Iterator[tuple[str, list[dict[str, Any]]]]:
    if isinstance(node, str):
        return
    if node.get("data"):
        yield heading, node["data"]["messages"]
    for child in node["children"]:
        if isinstance(child, dict) and re.fullmatch(r"h\d", child["tag"]):
            heading = child["children"][0]
        yield from headed_conversations(child, heading)


# Whose transcript ------------------------------------------------------------------------------------------------


def samples(run: Path, records: list[Record], *groups: Node) -> list[Sample]:
    write_iteration(run, records, *groups)
    read = ReadRun(TinkerFormat(), run)
    return [read.load(row) for row in read.rows]


def answers(found: list[Sample]) -> list[str]:
    return [response_text(sample) for sample in found]


def test_numbered_completions_need_no_proof(tmp_path: Path) -> None:
    records = [summary(0, i, [step()], final_reward=0.0) for i in range(2)]
    logged = section(
        "compute_group_rewards",
        section("Prompt", conversation(asked("q")), level=4),
        section("Completion 1", conversation(said("second")), level=4),
        section("Completion 0", conversation(said("first")), level=4),
        level=3,
    )
    found = samples(tmp_path, records, group([logged], records))
    assert answers(found) == ["first", "second"]
    assert found[0].messages[0].text == "q"
    assert found[0].notes == []


def test_a_failed_group_shifts_the_numbering(tmp_path: Path) -> None:
    records = [answered(0, 0, 1.0, ac=5), answered(1, 0, 1.0, ac=6)]
    found = samples(
        tmp_path,
        records,
        group(problem("q", "of the first", 1.0), records[:1]),
        group(problem("q", "of the failed one", 1.0), None),
        group(problem("q", "of the second", 1.0), records[1:]),
    )
    assert answers(found) == ["of the first", "of the second"]


def test_groups_filtered_out_of_training_are_recognised_by_their_numbers(tmp_path: Path) -> None:
    dropped, kept = answered(0, 0, 0.0, ac=5), answered(0, 0, 1.0, ac=6)
    found = samples(
        tmp_path,
        [kept],
        group(problem("q", "dropped", 0.0), [dropped]),
        group(problem("q", "kept", 1.0), [kept]),
    )
    assert answers(found) == ["kept"]


def test_a_search_sees_the_transcripts(tmp_path: Path) -> None:
    records = [answered(0, 0, 1.0)]
    write_iteration(tmp_path, records, group(problem("the question", "the reply", 1.0), records))
    run = ReadRun(TinkerFormat(), tmp_path)
    texts = run.texts(run.rows[0])
    assert texts == [("prompt", "the question"), ("response", "hmthe reply"), ("golden", "x < 4 & y")]


def test_a_search_sees_transcripts_that_may_be_the_samples(tmp_path: Path) -> None:
    records = [answered(0, 0, 0.0), answered(0, 1, 0.0)]
    logged = [*problem("q", "one", 0.0), *problem("q", "other", 0.0)]
    write_iteration(tmp_path, records, group(logged, records))
    run = ReadRun(TinkerFormat(), tmp_path)
    assert [dict(run.texts(row))["unmatched"] for row in run.rows] == ["hmone\nhmother"] * 2


# Numbers ---------------------------------------------------------------------------------------------------------


def one(tmp_path: Path, record: Record) -> Sample:
    write_iteration(tmp_path, [record], iteration=record["iteration"])
    run = ReadRun(TinkerFormat(), tmp_path)
    sample = run.load(run.rows[0])
    assert_row_matches_sample(run.rows[0], sample)
    return sample


# Layouts ---------------------------------------------------------------------------------------------------------


def test_both_layouts_in_one_run_and_the_newer_counts(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train_iteration_000000_rollout_summaries.jsonl", [answered(0, 0, 0.0)])
    write_jsonl(tmp_path / "train_iteration_000001_rollout_summaries.jsonl", [answered(0, 0, 0.25)])
    write_jsonl(tmp_path / "eval_a_iteration_x_iteration_000001_rollout_summaries.jsonl", [answered(0, 0, 0.5)])
    write_iteration(tmp_path, [answered(0, 0, 0.75)], iteration=1)
    write_iteration(tmp_path, [answered(0, 0, 1.0)], iteration=1_000_000, split="eval_b.c-d")
    run = ReadRun(TinkerFormat(), tmp_path)
    assert [(row["split"], row["step"], row["reward"]) for row in run.rows] == [
        ("train", 0, 0.0),
        ("train", 1, 0.75),
        ("eval/a_iteration_x", 1, 0.5),
        ("eval/b.c-d", 1_000_000, 1.0),
    ]


def test_a_file_without_records_and_bad_lines_are_no_trouble(tmp_path: Path) -> None:
    write_iteration(tmp_path, [], iteration=0)
    path = write_iteration(tmp_path, [answered(0, 0, 1.0)], iteration=1)
    path.write_text(path.read_text() + "not JSON\n" + json.dumps({**answered(0, 1, 0.5), "steps": "gone"}) + "\n")
    run = ReadRun(TinkerFormat(), tmp_path)
    assert [row["reward"] for row in run.rows] == [1.0, 0.5]
    assert [(skip.file, skip.line) for skip in run.skipped] == [("iteration_000001/train_rollout_summaries.jsonl", 2)]
    assert run.load(run.rows[1]).turns == []


@pytest.mark.parametrize(
    ("files", "confidence"),
    [
        ({"iteration_000000/train_rollout_summaries.jsonl": json.dumps(answered(0, 0, 1.0))}, 0.9),
        ({"iteration_000000/train_rollout_summaries.jsonl": ""}, 0.5),
        ({"eval_1_iteration_000000_logtree.json": "{}"}, 0.5),
        ({"metrics.jsonl": '{"step": 0, "progress/batch": 0}\n'}, 0.4),
        ({"metrics.jsonl": '{"step": 0, "loss": 0}\n'}, None),
        ({"0.jsonl": "{}"}, None),
    ],
)
def test_how_sure_it_is(tmp_path: Path, files: dict[str, str], confidence: float | None) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    claim = TinkerFormat().detect(open_store(tmp_path))
    assert (claim.confidence if claim else None) == confidence


def test_a_sample_that_was_read_before_its_transcript_was_written_gets_it(tmp_path: Path) -> None:
    files = ["train_iteration_000000_rollout_summaries.jsonl", "train_iteration_000000_logtree.json"]
    for name in files:
        shutil.copy(fixture_path("tinker_flat") / name, tmp_path / name)
    os.utime(tmp_path / files[0], (0, 0))
    (tmp_path / files[1]).rename(tmp_path / "later")
    run = rollscope.open(tmp_path)
    before = json.loads(run.sample_json("train/0/0"))
    (tmp_path / "later").rename(tmp_path / files[1])
    run.refresh()
    after = json.loads(run.sample_json("train/0/0"))
    assert not before.get("messages")
    assert after["messages"]
