"""TRL's rewards and their total: as the trainer logged them, or none with the reason."""

from __future__ import annotations

import io
import json
import math
import tracemalloc
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.fixtures import fixture_path
from tests.formats.data_rows import ReadRun, assert_row_matches_sample
from tests.formats.data_trl import write_completions

import rollscope
from rollscope.formats.containers.parquet import Table
from rollscope.formats.trl import TrlFormat
from rollscope.formats.trl.rewards import read_numbers

MORE = pytest.mark.parametrize("name", ["extra_w", "conv_eval", "evafter"])


def log_of(path: Path) -> list[dict[str, Any]]:
    state: dict[str, Any] = json.loads((path / "trainer_state.json").read_text())
    return list(state["log_history"])


def mean(values: list[float | None]) -> float:
    given = [value for value in values if value is not None and not math.isnan(value)]
    return sum(given) / len(given)


@MORE
def test_rewards_are_those_that_the_trainer_logged(name: str) -> None:
    path = fixture_path("trl_more") / name
    run = ReadRun(TrlFormat(), path)
    files = sorted((path / "completions").glob("*.parquet"))
    wanted = [row for file in files for row in pq.read_table(file, use_threads=False).to_pylist()]
    assert len(run.rows) == len(wanted)
    for row, record in zip(run.rows, wanted, strict=True):
        sample = run.load(row)
        assert_row_matches_sample(row, sample)
        given = {key: record[key] for key in ("brevity", "has_vowel") if record[key] is not None}
        assert sample.rewards == given
        assert sample.metrics == ({"length": record["length"]} if "length" in record else {})
        assert sample.advantage == record["advantage"]


@MORE
def test_totals_have_the_mean_that_the_trainer_logged(name: str) -> None:
    path = fixture_path("trl_more") / name
    run = ReadRun(TrlFormat(), path)
    compared = 0
    for entry in log_of(path):
        rows = run.where(step=entry["step"], split="train")
        if rows and "reward" in entry:
            # TRL counts a sample that no function scored as 0; it has no total here.
            total = sum(row["reward"] or 0.0 for row in rows) / len(rows)
            assert total == pytest.approx(entry["reward"], rel=1e-4)
            compared += 1
    assert compared == {"extra_w": 3, "conv_eval": 2, "evafter": 1}[name]


def test_weights_are_found_and_said() -> None:
    run = ReadRun(TrlFormat(), fixture_path("trl_more") / "extra_w")
    for row in run.rows:
        sample = run.load(row)
        parts = 2.0 * sample.rewards["brevity"] + 0.5 * sample.rewards.get("has_vowel", 0.0)
        assert sample.reward == pytest.approx(parts)
        assert any("2 × brevity, 0.5 × has_vowel" in note for note in sample.notes)


def test_completions_of_evaluations_are_eval() -> None:
    splits = {
        name: {row["step"]: row["split"] for row in ReadRun(TrlFormat(), fixture_path("trl_more") / name).rows}
        for name in ("extra_w", "conv_eval", "evafter")
    }
    assert splits == {
        "extra_w": {1: "train", 2: "train", 3: "train"},
        "conv_eval": {1: "train", 2: "eval", 3: "train", 4: "eval"},
        "evafter": {0: "eval", 1: "train", 2: "eval"},
    }


def test_distillation_has_texts_and_no_numbers() -> None:
    path = fixture_path("trl_distillation")
    claim = TrlFormat().detect(ReadRun(TrlFormat(), path).store)
    assert claim is not None
    assert claim.confidence > 0.9
    run = ReadRun(TrlFormat(), path)
    files = sorted((path / "completions").glob("*.parquet"))
    wanted = [row for file in files for row in pq.read_table(file, use_threads=False).to_pylist()]
    assert len(run.rows) == len(wanted) == 8
    for row, record in zip(run.rows, wanted, strict=True):
        sample = run.load(row)
        assert_row_matches_sample(row, sample)
        assert (sample.reward, sample.rewards, sample.advantage) == (None, {}, None)
        assert sample.messages[-1].text == record["completion"][0]["content"]


# Runs made here, with totals that are known ----------------------------------------------------------------------


def write_run(run: Path, steps: list[dict[str, Any]], weights: list[float], **more: Any) -> None:
    """Files and log as TRL writes them: `steps` are the rewards by function, groups of four."""
    history = []
    for step, rewards in enumerate(steps, start=1):
        names = list(rewards)
        columns = np.array([[math.nan if value is None else value for value in rewards[name]] for name in names])
        total = np.nansum(columns * np.array(weights)[:, None], axis=0)
        if not more.get("unscored_is_0", True):
            total[np.isnan(columns).all(axis=0)] = math.nan
        groups = total.reshape(-1, 4)
        spread = np.nanstd(groups, axis=1, ddof=1, keepdims=True)
        advantage = (groups - np.nanmean(groups, axis=1, keepdims=True)) / (spread + 1e-4)
        advantage = np.nan_to_num(advantage).reshape(-1)
        if more.get("apart"):
            each = (columns * np.array(weights)[:, None]).reshape(len(names), -1, 4)
            scaled = (each - each.mean(axis=2, keepdims=True)) / (each.std(axis=2, ddof=1, keepdims=True) + 1e-4)
            added = (scaled * np.array(weights)[:, None, None]).sum(axis=0).reshape(-1)
            advantage = (added - added.mean()) / (added.std(ddof=1) + 1e-4)
        count = len(total)
        frame = {
            "prompt": [f"question {step}.{i // 4}" for i in range(count)],
            "completion": [f"answer {i}" for i in range(count)],
            **{name: [None if value is None else float(value) for value in rewards[name]] for name in names},
            **more.get("extra", lambda _: {})(count),
            "advantage": advantage.tolist(),
        }
        write_completions(run, step, frame)
        means = {f"rewards/{name}/mean": mean(rewards[name]) for name in names}
        history.append({"step": step, "reward": float(np.nanmean(total)), **means})
    if more.get("state", True):
        (run / "trainer_state.json").write_text(json.dumps({"global_step": len(steps), "log_history": history}))


def random_steps(count: int, names: list[str], seed: int = 0) -> list[dict[str, Any]]:
    chance = np.random.default_rng(seed)
    return [{name: chance.normal(size=8).round(3).tolist() for name in names} for _ in range(count)]


@hypothesis.settings(max_examples=25)
@hypothesis.given(
    weights=st.lists(st.sampled_from([0.1, 0.5, 1.0, 2.0, 3.0]), min_size=1, max_size=3),
    count=st.integers(1, 5),
    seed=st.integers(0, 1000),
)
def test_a_total_is_the_trainers_or_missing(
    tmp_path_factory: pytest.TempPathFactory, weights: list[float], count: int, seed: int
) -> None:
    path = tmp_path_factory.mktemp("run")
    names = ["good", "short", "polite"][: len(weights)]
    steps = random_steps(count, names, seed)
    write_run(path, steps, weights)
    for row in ReadRun(TrlFormat(), path).rows:
        values = [steps[row["step"] - 1][name][row["offset"]] for name in names]
        total = sum(weight * value for weight, value in zip(weights, values))
        assert row["reward"] is None or row["reward"] == pytest.approx(total, abs=1e-3)
        if count > len(weights):
            assert row["reward"] is not None


@pytest.mark.parametrize("state", [True, False])
@pytest.mark.parametrize("unscored_is_0", [True, False])
def test_samples_that_no_function_scored_hide_no_total(tmp_path: Path, state: bool, unscored_is_0: bool) -> None:
    steps = random_steps(2, ["good", "short"])
    for rewards in steps:
        rewards["good"][1] = rewards["good"][6] = rewards["short"][6] = None
    extra = None if state else floats
    write_run(
        tmp_path, steps, [1.0, 1.0], state=state, unscored_is_0=unscored_is_0, **({"extra": extra} if extra else {})
    )
    for row in ReadRun(TrlFormat(), tmp_path).rows:
        values = [steps[row["step"] - 1][name][row["offset"]] for name in ("good", "short")]
        given = [value for value in values if value is not None]
        assert row["reward"] == (pytest.approx(sum(given)) if given else None), row["offset"]


@pytest.mark.parametrize(("weights", "known"), [([1.0, 1.0], True), ([2.0, 0.5], False)])
def test_rewards_that_were_normalised_one_by_one_have_a_total_where_none_is_weighted(
    tmp_path: Path, weights: list[float], known: bool
) -> None:
    steps = random_steps(2, ["good", "short"])
    write_run(tmp_path, steps, weights, state=False, apart=True)
    for row in ReadRun(TrlFormat(), tmp_path).rows:
        total = sum(steps[row["step"] - 1][name][row["offset"]] for name in ("good", "short"))
        assert row["reward"] == (pytest.approx(total) if known else None)


def floats(count: int) -> dict[str, list[float]]:
    return {"temperature": [0.1 * i for i in range(count)]}


@pytest.mark.parametrize("state", [True, False])
def test_a_float_that_was_logged_beside_the_rewards_is_none_of_them(tmp_path: Path, state: bool) -> None:
    steps = random_steps(3, ["good", "short"])
    write_run(tmp_path, steps, [1.0, 1.0], extra=floats, state=state)
    for row in ReadRun(TrlFormat(), tmp_path).rows:
        good, short = (steps[row["step"] - 1][name][row["offset"]] for name in ("good", "short"))
        assert row["reward"] == pytest.approx(good + short)
        assert row["metrics.temperature"] == pytest.approx(0.1 * row["offset"])
        assert "rewards.temperature" not in row


@pytest.mark.parametrize("weights", [[2.0, -1.0], [1.0, 0.1]])
@pytest.mark.parametrize("idle", [False, True], ids=["at once", "after a step in which all were equal"])
def test_without_a_log_weights_that_the_advantages_contradict_leave_no_total(
    tmp_path: Path, weights: list[float], idle: bool
) -> None:
    # In the same order as their plain sum: only that they are not on a line speaks against it.
    telling = {"good": [0.0, 0.0, 1.0, 1.0] * 2, "short": [0.1, 0.9, 0.3, 0.8] * 2}
    write_run(tmp_path, [{"good": [0.0] * 8, "short": [0.5] * 8}] * idle + [telling], weights, state=False)
    run = ReadRun(TrlFormat(), tmp_path)
    assert {row["reward"] for row in run.rows} == {None}
    sample = run.load(run.rows[0])
    assert sample.rewards.keys() == {"good", "short"}
    assert any("advantages contradict" in note for note in sample.notes)


def test_a_log_that_no_weights_explain_leaves_no_total(tmp_path: Path) -> None:
    write_run(tmp_path, random_steps(4, ["good", "short"]), [1.0, 1.0])
    state = json.loads((tmp_path / "trainer_state.json").read_text())
    for entry, wrong in zip(state["log_history"], (7.0, -3.0, 11.0, 0.5)):
        entry["reward"] = wrong
    (tmp_path / "trainer_state.json").write_text(json.dumps(state))
    run = ReadRun(TrlFormat(), tmp_path)
    assert {row["reward"] for row in run.rows} == {None}
    assert any("do not add up to those in trainer_state.json" in note for note in run.load(run.rows[0]).notes)


def test_an_evaluation_that_is_not_logged_yet_is_told_by_those_before(tmp_path: Path) -> None:
    write_run(tmp_path, random_steps(6, ["good"]), [1.0], state=False)
    history = [{"step": 1, "reward": 0.0}, {"step": 2, "eval_math_runtime": 1.0, "eval_reward": 0.0}]
    state = {"global_step": 3, "eval_steps": 2, "log_history": history}
    (tmp_path / "checkpoint-3").mkdir()
    (tmp_path / "checkpoint-3" / "trainer_state.json").write_text(json.dumps(state))
    splits = {row["step"]: row["split"] for row in ReadRun(TrlFormat(), tmp_path).rows}
    named = "eval/math"
    assert splits == {1: "train", 2: named, 3: "train", 4: named, 5: "train", 6: named}


@pytest.mark.parametrize("logged_as_trained", [True, False])
def test_what_an_evaluation_left_after_training_is_told_by_its_rewards(tmp_path: Path, logged_as_trained: bool) -> None:
    """It is in no log. Where the log never has the rewards of just one file, nothing can be told."""
    write_run(tmp_path, random_steps(3, ["good"]), [1.0])
    state = json.loads((tmp_path / "trainer_state.json").read_text())
    evaluation = tmp_path / "evaluation"
    write_run(evaluation, random_steps(3, ["good"], seed=9), [1.0])
    (evaluation / "completions" / "completions_00003.parquet").replace(
        tmp_path / "completions" / "completions_00003.parquet"
    )
    if not logged_as_trained:
        state["log_history"] = [{**entry, "reward": 0.5, "rewards/good/mean": 0.5} for entry in state["log_history"]]
    (tmp_path / "trainer_state.json").write_text(json.dumps(state))

    run = rollscope.open(tmp_path)

    assert [(row.step, row.split) for row in run.samples().rows if row.index == 0] == (
        [(1, "train"), (2, "train"), (3, "eval")] if logged_as_trained else [(1, "train"), (2, "train"), (3, "train")]
    )
    assert any("evaluation after it" in guess for guess in run.guessed()) == logged_as_trained


def test_no_arguments_are_shown_that_nobody_wrote(tmp_path: Path) -> None:
    def calling(name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"role": "assistant", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}]

    completions = [calling("get_weather", {"city": "Bern"}), calling("add", {"a": 1, "b": 2}), calling("now", {})]
    frame = {"prompt": ["q"] * 3, "completion": completions, "good": [1.0] * 3, "advantage": [0.0] * 3}
    write_completions(tmp_path, 1, frame)
    run = ReadRun(TrlFormat(), tmp_path)
    calls = [run.load(row).messages[-1].parts[0] for row in run.rows]
    assert [json.loads(call.content) for call in calls] == [{"city": "Bern"}, {"a": 1, "b": 2}, {}]
    assert "null" not in "".join(text for row in run.rows for _, text in run.texts(row))


def test_a_logged_plain_sum_is_the_total_and_weighted_advantages_are_told(tmp_path: Path) -> None:
    """Some of TRL's versions before 1.0 log the plain sum, and train on the weighted one."""
    good, short = [1.0, 0.0, 1.0, 0.5], [1.0, 2.0, 0.0, 1.0]
    weighted = [2 * a + 0.5 * b for a, b in zip(good, short, strict=True)]
    advantage = [value - sum(weighted) / 4 for value in weighted]
    columns = {"prompt": ["p"] * 4, "completion": list("abcd"), "good": good, "short": short, "advantage": advantage}
    write_completions(tmp_path, 1, columns)
    entry = {"step": 1, "reward": 1.625, "rewards/good/mean": 0.625, "rewards/short/mean": 1.0}
    (tmp_path / "trainer_state.json").write_text(json.dumps({"global_step": 1, "log_history": [entry]}))
    run = ReadRun(TrlFormat(), tmp_path)
    assert [row["reward"] for row in run.rows] == [2.0, 2.0, 1.0, 1.5]
    (note,) = {note for row in run.rows for note in run.load(row).notes}
    assert note.endswith("The advantages do not follow from it: training weighted or normalised the rewards otherwise.")


def test_a_step_without_any_advantage_is_no_trouble(tmp_path: Path) -> None:
    columns = {"prompt": ["q", "q"], "completion": ["a", "b"], "right": [1.0, 0.0]}
    write_completions(tmp_path, 0, {**columns, "advantage": [math.nan, math.nan]})
    run = ReadRun(TrlFormat(), tmp_path)
    assert [run.load(row).reward for row in run.rows] == [1.0, 0.0]


def test_prompts_of_a_file_are_never_in_memory_together() -> None:
    """A few kilobytes of parquet may hold gigabytes of equal prompts."""
    place = pa.array([0, 0, 1, 1] * 1000, pa.int32())
    prompts = pa.DictionaryArray.from_arrays(place, pa.array(["x" * 100_000, "y" * 100_000]))
    sink = io.BytesIO()
    pq.write_table(pa.table({"prompt": prompts, "reward": [0.5] * 4000}), sink)
    tracemalloc.start()
    try:
        numbers = read_numbers(Table(io.BytesIO(sink.getvalue())), 1, ["reward"], None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100 << 20
    assert numbers.groups.tolist() == [1 + row // 2 for row in range(4000)]
