"""ms-swift's completions: columns unfolded, the repeated last step once, Megatron's variants."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import fixture_path, write_jsonl
from tests.formats.expected import assert_as_expected
from tests.formats.opened import opened, texts

import rollscope
from rollscope.formats.ms_swift import MsSwiftFormat
from rollscope.query.library import Library
from rollscope.storage.open_store import open_store


def test_the_fixture_with_rewards_opens_with_exactly_its_samples() -> None:
    assert_as_expected("ms_swift_rewards")


def test_the_run_of_ms_swift_itself_opens_with_exactly_its_samples() -> None:
    path = fixture_path("ms_swift") / "v3-20261116-024927"
    lines = [json.loads(line) for line in (path / "completions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines[-1]["prompt"] == lines[-2]["prompt"]
    rows = [{key: column[i] for key, column in line.items()} for line in lines[:-1] for i in range(8)]
    found = opened(path)
    assert len(found) == len(rows) == 24
    for sample, row in zip(found, rows, strict=True):
        given = [row[name] for name in ("Brevity", "HasVowel") if not math.isnan(row[name])]
        assert sample.step == int(row["step"])
        assert sample.reward == pytest.approx(sum(given))
        assert (sample.rewards["Brevity"], sample.advantage) == (row["Brevity"], row["advantages"])
        assert (sample.metrics, sample.golden_answers) == ({"entropy": row["entropy"]}, {"solution": row["solution"]})
        assert "".join(message.text for message in sample.messages) == row["prompt"] + row["completion"]
        assert any("gives them no weights" in note for note in sample.notes)
    assert [sample.group for sample in found] == [0, 0, 0, 0, 1, 1, 1, 1] * 3
    (run,) = Library([path]).runs()
    assert run.doctor().skipped == []  # a NaN is no fault of the file


def test_equal_samples_of_one_line_each_count(tmp_path: Path) -> None:
    line = {
        "step": ["1", "1"],
        "prompt": ["p", "p"],
        "completion": ["a", "a"],
        "Good": [1.0, 1.0],
        "advantages": [0.0, 0.0],
    }
    write_jsonl(tmp_path / "completions.jsonl", [line, line])
    assert [sample.address for sample in opened(tmp_path)] == ["train/1/0", "train/1/1"]


def test_megatron_has_no_rewards_and_with_ray_a_sample_a_line(tmp_path: Path) -> None:
    table = {"gen_step": [0, 0], "prompt": ["p", "p"], "completion": ["a", "b"]}
    write_jsonl(tmp_path / "mega" / "completions.jsonl", [table])
    rows = [{"gen_step": 1, "prompt": "p", "completion": "a", "reward": reward} for reward in (1.0, 1.0, 0.0)]
    write_jsonl(tmp_path / "ray" / "completions.jsonl", rows)
    found = opened(tmp_path)
    assert [(s.address, s.reward) for s in found] == [
        ("train/0/0", None),
        ("train/0/1", None),
        ("train/1/0", 1.0),
        ("train/1/1", 1.0),
        ("train/1/2", 0.0),
    ]
    assert texts(found[1]) == [("user", "p"), ("assistant", "b")]


def test_torn_and_foreign_lines_are_told(tmp_path: Path) -> None:
    line = json.dumps({"step": ["1"], "prompt": ["p"], "completion": ["a"], "Good": [1.0], "advantages": [0.0]})
    (tmp_path / "completions.jsonl").write_text(f'{line}\n{{"loss": 1}}\n{line[:30]}')
    (run,) = Library([tmp_path]).runs()
    assert [row.address for row in run.samples().rows] == ["train/1/0"]
    assert [skip.line for skip in run.doctor().skipped] == [2]


def test_metrics_come_from_the_log() -> None:
    store = open_store(fixture_path("ms_swift_rewards") / "v0-20261103-101500")
    rows = list(MsSwiftFormat().metrics(store))
    assert [(row.step, row.values["loss"]) for row in rows] == [(1, 0.01), (2, 0.02), (3, 0.03)]
    assert MsSwiftFormat().config(store)["num_generations"] == 4


def test_rewards_are_told_by_their_place_where_there_are_no_advantages(tmp_path: Path) -> None:
    table = {"step": ["1", "1"], "prompt": ["Q", "Q"], "completion": ["a", "b"], "MathAccuracy": [1.0, 0.0]}
    write_jsonl(tmp_path / "completions.jsonl", [{**table, "Format": [0.5, None], "entropy": [0.1, 0.2]}])
    assert [(sample.reward, sample.metrics) for sample in opened(tmp_path)] == [
        (1.5, {"entropy": 0.1}),
        (0.0, {"entropy": 0.2}),
    ]


def call(step: int, *completions: str) -> dict[str, list[object]]:
    return {
        "step": [str(step)] * len(completions),
        "prompt": ["p"] * len(completions),
        "completion": list(completions),
        "Good": [1.0] * len(completions),
        "advantages": [0.0] * len(completions),
    }


def logged(step: int, **values: float) -> dict[str, object]:
    return {**values, "global_step/max_steps": f"{step}/3", "elapsed_time": "1s"}


def test_evaluations_are_told_by_the_log_also_where_the_last_step_is_logged_again(tmp_path: Path) -> None:
    lines = [call(0, "e0"), call(1, "t1"), call(2, "t2"), call(2, "e2"), call(3, "t3"), call(3, "e3"), call(3, "e3")]
    log = [logged(0, eval_loss=1.0), logged(1, loss=1.0), logged(2, loss=1.0), logged(2, eval_reward=1.0)]
    log += [logged(3, loss=1.0), logged(3, eval_loss=1.0), logged(3, train_runtime=9.0), {"global_step": 3}]
    write_jsonl(tmp_path / "completions.jsonl", lines)
    write_jsonl(tmp_path / "logging.jsonl", log)
    found = opened(tmp_path)
    assert [(sample.address, sample.messages[-1].text) for sample in found] == [
        *(("train/1/0", "t1"), ("train/2/0", "t2"), ("train/3/0", "t3")),
        *(("eval/0/0", "e0"), ("eval/2/0", "e2"), ("eval/3/0", "e3")),
    ]


def test_an_evaluation_that_is_appended_later_is_told_by_the_calls_before_it(tmp_path: Path) -> None:
    lines = [call(1, "t1"), call(2, "t2" * 200_000), call(2, "e2")]
    log = [logged(1, loss=1.0), logged(2, loss=1.0), logged(2, eval_loss=1.0)]
    write_jsonl(tmp_path / "completions.jsonl", lines[:2])
    write_jsonl(tmp_path / "logging.jsonl", log[:2])
    run = rollscope.open(tmp_path)
    assert run.splits == ["train"]
    write_jsonl(tmp_path / "logging.jsonl", log)
    write_jsonl(tmp_path / "completions.jsonl", lines)
    run.refresh()
    assert run.splits == ["train", "eval"]
    assert run.sample("eval/2/0").messages[-1].text == "e2"


def test_of_steps_that_a_resumed_run_logged_again_the_newest_count(tmp_path: Path) -> None:
    first = [call(step, f"a{step}" * 150_000) for step in (1, 2, 3)]
    write_jsonl(tmp_path / "completions.jsonl", first)
    write_jsonl(tmp_path / "logging.jsonl", [logged(step, loss=1.0) for step in (1, 2, 3)])
    run = rollscope.open(tmp_path)
    assert [row.step for row in run.samples().rows] == [1, 2, 3]
    again = [call(2, "b2"), call(2, "e2"), call(3, "b3"), call(4, "b4"), call(2, "c2")]
    log = [logged(2, loss=1.0), logged(2, eval_loss=1.0), *(logged(step, loss=1.0) for step in (3, 4, 2))]
    write_jsonl(tmp_path / "logging.jsonl", [*(logged(step, loss=1.0) for step in (1, 2, 3)), *log])
    write_jsonl(tmp_path / "completions.jsonl", [*first, *again])
    run.refresh()
    shown = [(row.split, row.step, row.attempt) for row in run.samples().rows]
    assert shown == [("train", 1, 0), ("train", 2, 2), ("train", 3, 1), ("train", 4, 1), ("eval", 2, 1)]
    assert run.sample("train/2/0").messages[-1].text == "c2"
    assert rollscope.open(tmp_path).sample("train/3/0").messages[-1].text == "b3"


WEIGHTED_LINE = {
    "step": ["1", "1"], "prompt": ["p", "p"], "completion": ["a", "b"],
    "Good": [1.0, 0.0], "Short": [1.0, 2.0], "advantages": [0.7, -0.7],
}  # fmt: skip


@pytest.mark.parametrize(
    ("weights", "totals", "says"),
    [
        ([2.0, 0.5], [2.5, 1.0], "weights in the run's configuration"),
        (None, [2.0, 2.0], "gives them no weights"),
        ([2.0], [None, None], "1 weights, and there are 2 reward columns"),
        ("none", [None, None], "the advantages contradict"),
    ],
)
def test_totals_are_weighted_as_the_arguments_say(tmp_path: Path, weights: Any, totals: list[Any], says: str) -> None:
    (tmp_path / "completions.jsonl").write_text(json.dumps(WEIGHTED_LINE) + "\n")
    told = {} if weights == "none" else {"reward_weights": weights}
    (tmp_path / "args.json").write_text(json.dumps({"rlhf_type": "grpo", **told}))
    samples = opened(tmp_path)
    assert [sample.reward for sample in samples] == totals
    assert [sample.rewards for sample in samples] == [{"Good": 1.0, "Short": 1.0}, {"Good": 0.0, "Short": 2.0}]
    assert all(says in " ".join(sample.notes) for sample in samples)


def table(step: int, *completions: str) -> dict[str, Any]:
    count = len(completions)
    told = {"step": [str(step)] * count, "prompt": [f"p{step}"] * count, "completion": list(completions)}
    return {**told, "Good": [1.0] * count, "advantages": [0.0] * count, "entropy": [len(completions[0]) / 7] * count}


#: Two evaluations that are smaller than a batch: the rest of the trainer's own rows stays in their tables.
SMALLER = [
    ({"reward": 1.0}, table(1, "a", "a", "b", "c")),
    ({"eval_reward": 1.0}, table(1, "b", "c", "c", "d")),
    ({"reward": 1.0}, table(2, "e", "f", "g", "h")),
    ({"eval_reward": 1.0}, table(2, "g", "h", "i", "j")),
    ({"train_runtime": 9.0}, table(2, "g", "h", "i", "j")),
]


@pytest.mark.parametrize("live", [False, True])
def test_what_training_left_in_an_evaluations_table_is_no_evaluation(tmp_path: Path, live: bool) -> None:
    lines = [json.dumps(line) + "\n" for _, line in SMALLER]
    calls = [json.dumps({**told, "global_step/max_steps": f"{line['step'][0]}/2"}) + "\n" for told, line in SMALLER]
    for count in range(1 if live else len(SMALLER), len(SMALLER) + 1):
        (tmp_path / "logging.jsonl").write_text("".join(calls[:count]))
        (tmp_path / "completions.jsonl").write_text("".join(lines[:count]))
        found = [(sample.address, sample.messages[-1].text) for sample in opened(tmp_path)]
    trained = [(f"train/{1 + place // 4}/{place % 4}", text) for place, text in enumerate("aabcefgh")]
    assert found == [*trained, *(("eval/1/0", "c"), ("eval/1/1", "d"), ("eval/2/0", "i"), ("eval/2/1", "j"))]


def test_a_step_that_is_repeated_word_for_word_after_a_resume_is_there_once(tmp_path: Path) -> None:
    rows = [table(1, "a"), table(2, "b"), table(3, "c"), table(2, "b"), table(3, "x")]
    (tmp_path / "completions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    calls = [{"reward": 1.0, "global_step/max_steps": f"{row['step'][0]}/3"} for row in rows]
    (tmp_path / "logging.jsonl").write_text("".join(json.dumps(call) + "\n" for call in calls))
    assert [sample.messages[-1].text for sample in opened(tmp_path)] == ["a", "b", "x"]
