"""xtuner's rollouts: a summary first, then samples; agents with their messages."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tests.fixtures import fixture_path, write_jsonl
from tests.formats.expected import assert_as_expected
from tests.formats.opened import opened, texts

from rollscope.formats.xtuner import XtunerFormat
from rollscope.query.library import Library
from rollscope.storage.open_store import open_store

ASKED = [{"role": "user", "content": "2 + 2?"}]
SUMMARY = {"reward_mean": 0.5, "total_len": 2}


def record(**more: Any) -> dict[str, Any]:
    return {
        "rollout_id": 1,
        "group_id": 7,
        "prompt": [{"role": "user", "content": "q"}],
        "response": "a",
        "reward": 1.0,
        **more,
    }


def test_the_fixture_opens_with_exactly_its_samples() -> None:
    assert_as_expected("xtuner")


def test_every_value_of_a_record_is_there() -> None:
    run = fixture_path("xtuner")
    records = []
    for path in [*sorted(run.rglob("train_rollout_*.jsonl")), *sorted(run.rglob("eval_rollout_*.jsonl"))]:
        records += [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    found = opened(run)
    assert len(found) == len(records) == 36
    for sample, told in zip(found, records, strict=True):
        assert (sample.group, sample.env, sample.dataset) == (told["group_id"], told["task_name"], told["data_source"])
        assert (sample.reward, sample.golden_answers) == (told["reward"], {"label": told["label"]})
        assert (sample.prompt_tokens, sample.completion_tokens) == (told["prompt_len"], told["response_len"])
        assert sample.stop_reason == told["finish_reason"]
        messages = told["agent"]["messages"] or [*told["prompt"], {"role": "assistant", "content": told["response"]}]
        assert [message.role for message in sample.messages] == [message["role"] for message in messages]
        assert sample.messages[-1].text == told["response"]
    calls = [
        part for sample in found for message in sample.messages for part in message.parts if part.type == "tool_call"
    ]
    assert {part.name for part in calls} == {"bash"}


def test_parts_of_rewards_errors_and_outcomes(tmp_path: Path) -> None:
    rows = [
        record(
            reward_payload={"score": 1.0, "acc": True, "judge": {"exact": False}},
            status="completed",
            finish_reason="length",
        ),
        record(status="failed", error_msg="timed out", reward=None, response=None),
        record(status="filtered", data_source={"a": 1}),
    ]
    write_jsonl(tmp_path / "train_rollout" / "train_rollout_4.jsonl", [SUMMARY, *rows])
    first, second, third = opened(tmp_path)
    assert (first.rewards, first.status) == ({"acc": 1.0, "judge/exact": 0.0}, "truncated")
    assert (second.status, second.reward, second.notes) == ("failed", None, ["Error: timed out"])
    assert (third.discard_reason, third.dataset) == ("filtered", "a")


def test_evaluations_are_split_by_dataset_and_summaries_are_metrics(tmp_path: Path) -> None:
    rows = [SUMMARY, record(data_source="aime"), record(task_name="gpqa")]
    write_jsonl(tmp_path / "eval_rollout" / "eval_rollout_0.jsonl", rows)
    assert [sample.address for sample in opened(tmp_path)] == ["eval/aime/0/0", "eval/gpqa/0/0"]
    (row,) = XtunerFormat().metrics(open_store(tmp_path))
    assert (row.step, row.values) == (0, {"eval_rollout/reward_mean": 0.5, "eval_rollout/total_len": 2.0})


def test_the_dataset_of_a_sample_whose_judgers_are_weighted_is_their_names(tmp_path: Path) -> None:
    rows = [record(data_source={"aime24": 1.0}), record(data_source={"math": 0.5, "style": 0.5})]
    write_jsonl(tmp_path / "eval_rollout" / "eval_rollout_4.jsonl", [SUMMARY, *rows])
    assert [(sample.split, sample.dataset) for sample in opened(tmp_path)] == [
        ("eval/aime24", "aime24"),
        ("eval/math, style", "math, style"),
    ]


def test_empty_and_torn_files(tmp_path: Path) -> None:
    folder = tmp_path / "train_rollout"
    write_jsonl(folder / "train_rollout_1.jsonl", [SUMMARY, record()])
    (folder / "train_rollout_2.jsonl").write_text("")
    (folder / "train_rollout_3.jsonl").write_text(json.dumps(SUMMARY) + "\n" + json.dumps(record())[:50])
    write_jsonl(folder / "train_rollout_4.jsonl", [{"hello": 1}])
    (run,) = Library([tmp_path]).runs()
    assert [row.address for row in run.samples().rows] == ["train/1/0"]
    assert [skip.file for skip in run.doctor().skipped] == ["train_rollout/train_rollout_4.jsonl"]


def test_records_over_several_lines_as_they_were_before_1_0(tmp_path: Path) -> None:
    summary = {"reward_mean": 0.5, "reward_std": 0.5, "total_len": 2, "versions": {"0": 2}}
    told = [
        {"action_id": 7, "prompt": ASKED, "response": f"{{\n}}\nit is {n}",
         "versioned_response": [], "response_len": 3, "label": "4", "reward": float(n == 4),
         "version": 1, "finish_reason": reason}
        for n, reason in ((4, "stop"), (5, "length"))
    ]  # fmt: skip
    text = "\n".join(json.dumps(item, indent=2, ensure_ascii=False) for item in (summary, *told))
    (tmp_path / "rollout_idx_3_trajectory.jsonl").write_text(f"{text}\n" + '{\n  "action_id": 8')
    (tmp_path / "eval_0_trajectory.jsonl").write_text(f"{text}\n")
    found = opened(tmp_path)
    assert [(s.address, s.group, s.reward, s.status) for s in found] == [
        ("train/3/0", 7, 1.0, "completed"),
        ("train/3/1", 7, 0.0, "truncated"),
        ("eval/all/0/0", 7, 1.0, "completed"),
        ("eval/all/0/1", 7, 0.0, "truncated"),
    ]
    assert texts(found[0]) == [("user", "2 + 2?"), ("assistant", "{\n}\nit is 4")]
    assert (found[0].golden_answers, found[0].completion_tokens) == ({"label": "4"}, 3)
    (run,) = Library([tmp_path]).runs()
    assert [hit.address for hit in run.search("it is 5")] == ["train/3/1", "eval/all/0/1"]
    assert "rollout/reward_mean" in [series.name for series in run.metrics()]


def test_records_over_several_lines_in_the_folders_of_today(tmp_path: Path) -> None:
    told = [{"prompt": ASKED, "raw_prompt": None, "response": "it is 4", "response_len": 3, "label": "4", "reward": 1.0,
             "finish_reason": "stop"}]  # fmt: skip
    text = "".join(json.dumps(item, indent=2) + "\n" for item in (SUMMARY, *told))
    for kind in ("train", "eval"):
        path = tmp_path / f"{kind}_rollout" / f"{kind}_rollout_5.jsonl"
        path.parent.mkdir()
        path.write_text(text)
    found = opened(tmp_path)
    assert [(s.address, s.reward, s.stop_reason) for s in found] == [
        ("train/5/0", 1.0, "stop"),
        ("eval/all/5/0", 1.0, "stop"),
    ]
    assert texts(found[1]) == [("user", "2 + 2?"), ("assistant", "it is 4")]


def test_records_over_several_lines_that_were_compressed(tmp_path: Path) -> None:
    told = [record(reward=0.5), record(reward=0.0)]
    text = "".join(json.dumps(item, indent=2) + "\n" for item in (SUMMARY, *told))
    (tmp_path / "train_rollout").mkdir()
    (tmp_path / "train_rollout" / "train_rollout_1.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    assert [sample.reward for sample in opened(tmp_path)] == [item["reward"] for item in told]
