"""Rows of metrics.jsonl: any number, valid JSON, the page's names."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.record.helpers import lines, record_steps

from rollscope import record


def test_any_number_is_logged_as_one(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        run.log_metrics(
            {
                "float": 0.5, "int": 3, "bool": True, "numpy": np.float32(0.25), "numpy bool": np.bool_(False),
                "decimal": Decimal("1.5"), "none": None, "nested": {"a": {"b": 1}}, "text": "as it is", "list": [1, 2.5],
            },
            step=4,
        )  # fmt: skip
    [row] = lines(tmp_path / "metrics.jsonl")
    assert row["step"] == row["progress/batch"] == 4
    assert row["timestamp"] > 1.7e9
    assert row["attempt"] == 0
    expected = {
        "float": 0.5, "int": 3, "bool": 1, "numpy": 0.25, "numpy bool": 0, "decimal": 1.5, "none": None, "nested/a/b": 1,
        "text": "as it is", "list": [1, 2.5],
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected


def test_a_non_finite_metric_is_null_and_named(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        run.log_metrics({"loss": math.nan, "big": math.inf, "a": {"b": -math.inf}}, step=0)
    [row] = lines(tmp_path / "metrics.jsonl")
    assert row["loss"] is row["big"] is row["a/b"] is None
    assert row["nonfinite"] == {"loss": "NaN", "big": "Infinity", "a/b": "-Infinity"}


def test_a_metric_with_a_reserved_name_loses_nothing(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        run.log_metrics({"step": 99, "timestamp": 1.0}, step=2)
    [row] = lines(tmp_path / "metrics.jsonl")
    assert row["step"] == 2
    assert row["metric/step"] == 99
    assert row["metric/timestamp"] == 1.0


def test_a_row_needs_no_step(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        run.log_metrics({"a": 1})
    [row] = lines(tmp_path / "metrics.jsonl")
    assert "step" not in row


@pytest.mark.parametrize("bad", ["not a mapping", None, 3])
def test_what_is_no_mapping_is_counted(tmp_path: Path, bad: object) -> None:
    run = record.start(tmp_path)
    run.log_metrics(bad, step=0)  # type: ignore[arg-type]
    run.log_metrics({"good": 1}, step=1)
    run.close()
    assert run.errors == 1
    assert [row["step"] for row in lines(tmp_path / "metrics.jsonl")] == [1]


def test_an_iteration_is_one_row_with_the_page_s_names(tmp_path: Path) -> None:
    record_steps(tmp_path, steps=2, groups=3, samples=2).close()
    rows = lines(tmp_path / "metrics.jsonl")
    assert [row["step"] for row in rows] == [0, 1]
    row = rows[1]
    assert row["progress/batch"] == 1
    assert row["progress/done_frac"] == 1.0
    assert row["env/all/reward/total"] == 0.5
    assert row["env/all/correct"] == 0.5
    assert row["env/all/total_episodes"] == 6
    assert row["env/all/by_group/frac_mixed"] == 1.0
    assert row["ac_tokens_per_turn"] == 4.0
    assert row["entropy"] == 0.5
    assert row["optim/lr"] == 1e-4
    assert row["time/total"] > 0


def test_an_evaluation_s_metrics_carry_its_name(tmp_path: Path) -> None:
    record_steps(tmp_path, steps=1).close()
    [row] = lines(tmp_path / "metrics.jsonl")
    assert row["test/env/all/reward/total"] == 1.0
    assert row["env/all/reward/total"] == 0.5


def test_a_metric_is_averaged_over_the_samples_that_have_it(tmp_path: Path) -> None:
    with record.start(tmp_path) as run, run.iteration(0) as iteration, iteration.group(env="a") as group:
        group.add(response="x", metrics={"rare": 1.0})
        group.add(response="y")
        group.add(response="z", turns=[{"metrics": {"per_turn": 1.0}}, {"metrics": {"per_turn": 0.0}}])
    [row] = lines(tmp_path / "metrics.jsonl")
    assert row["env/all/rare"] == 1.0
    assert row["env/all/per_turn"] == 0.5
    assert "env/all/reward/total" not in row


def test_a_reward_given_with_its_components_counts_once(tmp_path: Path) -> None:
    with record.start(tmp_path) as run, run.iteration(0) as iteration:
        iteration.add(prompt="q", response="a", reward=0.5)
        iteration.add(prompt="q", response="b", reward={"total": 2.0, "tests": 1.5})
    [row] = lines(tmp_path / "metrics.jsonl")
    assert (row["env/all/reward/total"], row["env/all/reward/tests"]) == (1.25, 1.5)


def test_environments_and_tags_that_cover_a_part_have_their_own_section(tmp_path: Path) -> None:
    with record.start(tmp_path) as run, run.iteration(0) as iteration:
        iteration.add(response="x", env="a", reward=1.0, tags=["hard"])
        iteration.add(response="y", env="b", reward=0.0)
    [row] = lines(tmp_path / "metrics.jsonl")
    assert (row["env/a/reward/total"], row["env/b/reward/total"], row["env/hard/reward/total"]) == (1.0, 0.0, 1.0)


def test_what_the_loop_logs_wins_over_what_is_derived(tmp_path: Path) -> None:
    with record.start(tmp_path) as run, run.iteration(0) as iteration:
        iteration.add(response="x", reward=1.0)
        iteration.log_metrics({"env/all/reward/total": 0.25, "time/total": 9.0})
    [row] = lines(tmp_path / "metrics.jsonl")
    assert row["env/all/reward/total"] == 0.25
    assert row["time/total"] == 9.0


def test_stages_are_timed_and_summed(tmp_path: Path) -> None:
    with record.start(tmp_path) as run, run.iteration(0) as iteration:
        for _ in range(2):
            with iteration.timer("sampling"):
                pass
    [row] = lines(tmp_path / "metrics.jsonl")
    assert 0 < row["time/sampling"] <= row["time/total"]


def test_flush_writes_what_an_open_iteration_has(tmp_path: Path) -> None:
    run = record.start(tmp_path)
    with run.iteration(0) as iteration:
        iteration.log_metrics({"early": 1})
        assert run.flush()
        assert lines(tmp_path / "metrics.jsonl")[0]["early"] == 1
        iteration.log_metrics({"late": 2})
    run.close()
    [row] = lines(tmp_path / "metrics.jsonl")
    assert (row["early"], row["late"]) == (1, 2)


def test_pandas_reads_the_file(tmp_path: Path) -> None:
    record_steps(tmp_path, steps=3).close()
    frame = pd.read_json(tmp_path / "metrics.jsonl", lines=True)
    assert frame["env/all/reward/total"].tolist() == [0.5, 0.5, 0.5]
