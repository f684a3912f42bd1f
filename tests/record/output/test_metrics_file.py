"""metrics.jsonl: one row per training iteration, whoever adds to it and whenever."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.record.helpers import lines

from rollscope import record
from rollscope.record.output.directory import Directory
from rollscope.record.output.metrics_file import MetricsFile, RowPart
from rollscope.record.output.problems import Problems


def rows(directory: Path) -> list[dict[str, Any]]:
    return lines(directory / "metrics.jsonl")


def train(run: record.Run, step: int, reward: float = 0.5) -> None:
    with run.iteration(step) as iteration:
        iteration.add(response="x", reward=reward)


def evaluate(run: record.Run, step: int, name: str = "test", reward: float = 1.0) -> None:
    with run.evaluation(name, step) as evaluation:
        evaluation.add(response="y", reward=reward)


def test_an_evaluation_before_its_iteration_is_in_the_iteration_s_row(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        for step in range(3):
            evaluate(run, step, reward=step)
            train(run, step)
    assert [(row["step"], row["test/env/all/reward/total"], row["env/all/reward/total"]) for row in rows(tmp_path)] == [
        (0, 0.0, 0.5), (1, 1.0, 0.5), (2, 2.0, 0.5),
    ]  # fmt: skip


def test_evaluations_after_their_iteration_are_in_its_row_too(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        for step in range(2):
            train(run, step)
            evaluate(run, step, "one")
            evaluate(run, step, "two")
    found = rows(tmp_path)
    assert len(found) == 2
    assert all(
        {"env/all/reward/total", "one/env/all/reward/total", "two/env/all/reward/total"} <= set(row) for row in found
    )


def test_an_evaluation_that_ends_steps_later_is_in_the_row_of_its_own_step(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        evaluation = run.evaluation("slow", 1)
        for step in range(5):
            train(run, step)
        evaluation.add(response="y", reward=1.0)
        evaluation.close()
        assert run.flush()
        train(run, 5)
    found = rows(tmp_path)
    assert [row["step"] for row in found] == [0, 1, 2, 3, 4, 5]
    assert [row["step"] for row in found if "slow/env/all/reward/total" in row] == [1]
    assert all("env/all/reward/total" in row for row in found)


def test_evaluations_without_training_are_a_row_per_step(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        for step in (10, 20):
            evaluate(run, step, "a")
            evaluate(run, step, "b")
    assert [row["step"] for row in rows(tmp_path)] == [10, 20]


def test_an_evaluation_after_the_last_iteration_keeps_its_own_step(tmp_path: Path) -> None:
    """Its weights are those of a step that was never trained: no other row may claim its numbers."""
    with record.start(tmp_path) as run:
        train(run, 0)
        evaluate(run, 1)
    trained, evaluated = rows(tmp_path)
    assert "test/env/all/reward/total" not in trained
    assert (evaluated["step"], "env/all/reward/total" in evaluated) == (1, False)


def test_a_run_that_was_finished_and_is_only_evaluated_again_gets_no_new_row(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        for step in range(3):
            train(run, step)
    with record.start(tmp_path) as run:
        evaluate(run, 0)
        evaluate(run, 2, reward=0.25)
    found = rows(tmp_path)
    assert [(row["step"], row["attempt"], row.get("test/env/all/reward/total")) for row in found] == [
        (0, 0, 1.0), (1, 0, None), (2, 0, 0.25),
    ]  # fmt: skip


def test_a_step_that_is_evaluated_and_trained_again_after_a_resume_has_a_row_of_its_own(tmp_path: Path) -> None:
    for _ in range(2):
        with record.start(tmp_path) as run:
            evaluate(run, 4)
            train(run, 4)
    found = rows(tmp_path)
    assert [(row["step"], row["attempt"]) for row in found] == [(4, 0), (4, 1)]
    assert all({"env/all/reward/total", "test/env/all/reward/total"} <= set(row) for row in found)


def test_an_evaluation_whose_step_only_the_next_attempt_trains_is_in_that_row(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        train(run, 0)
        evaluate(run, 1, "before/it", reward=0.25)
        evaluate(run, 1, "twice", reward=0.25)
    with record.start(tmp_path) as run:
        evaluate(run, 1, "twice")
        train(run, 1)
        assert run.flush()
        first, second = rows(tmp_path)
    assert (first["step"], first["attempt"]) == (0, 0)
    assert (second["step"], second["attempt"], second["env/all/reward/total"]) == (1, 1, 0.5)
    assert (second["before/it/env/all/reward/total"], second["twice/env/all/reward/total"]) == (0.25, 1.0)


def test_a_step_that_is_only_ever_evaluated_is_one_row_with_the_newest_values(tmp_path: Path) -> None:
    for reward in (0.25, 0.75):
        with record.start(tmp_path) as run:
            evaluate(run, 3, reward=reward)
    [row] = rows(tmp_path)
    assert (row["attempt"], row["test/env/all/reward/total"]) == (1, 0.75)


@pytest.mark.parametrize("logged_first", [True, False])
def test_what_the_loop_logs_wins_over_what_is_derived_whichever_comes_first(tmp_path: Path, logged_first: bool) -> None:
    with record.start(tmp_path) as run:
        if logged_first:
            run.log_metrics({"env/all/reward/total": 9.0}, step=0)
        train(run, 0)
        if not logged_first:
            run.log_metrics({"env/all/reward/total": 9.0}, step=0)
    [row] = rows(tmp_path)
    assert row["env/all/reward/total"] == 9.0


def test_the_newest_value_of_a_name_counts_and_a_shorter_row_leaves_no_rest(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        run.log_metrics({"loss": 1.2345678901234567, "text": "long " * 50}, step=0)
        run.log_metrics({"loss": 1, "text": ""}, step=0)
        run.log_metrics({"loss": 2}, step=1)
    assert [(row["loss"], row.get("text")) for row in rows(tmp_path)] == [(1, ""), (2, None)]


def test_a_number_that_is_finite_at_last_is_no_longer_named_as_not_finite(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        run.log_metrics({"loss": float("nan"), "kl": float("inf")}, step=0)
        run.log_metrics({"loss": 0.5, "clip": float("-inf")}, step=0)
    [row] = rows(tmp_path)
    assert row["loss"] == 0.5
    assert row["nonfinite"] == {"kl": "Infinity", "clip": "-Infinity"}


def test_half_a_row_left_by_a_killed_process_is_taken_away_so_that_pandas_reads_the_file(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"step": 0, "loss": 1}\n{"step": 1, "lo')
    with record.start(tmp_path) as run:
        run.log_metrics({"loss": 2}, step=1)
    assert pd.read_json(tmp_path / "metrics.jsonl", lines=True)["loss"].tolist() == [1, 2]


def test_a_whole_row_without_its_newline_is_kept(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"step": 0, "loss": 1}')
    with record.start(tmp_path) as run:
        run.log_metrics({"loss": 2}, step=1)
    assert [row["loss"] for row in rows(tmp_path)] == [1, 2]


def test_lines_of_other_writers_survive_every_change(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"loss": NaN}\nnot json\n[1]\n')
    with record.start(tmp_path) as run:
        for step in (0, 1, 0, 1, 0):
            run.log_metrics({f"n{step}": step}, step=step)
            assert run.flush()
    text = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert text[:3] == ['{"loss": NaN}', "not json", "[1]"]
    assert [json.loads(line)["step"] for line in text[3:]] == [0, 1]


def test_a_file_that_is_deleted_or_replaced_meanwhile_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    with record.start(tmp_path) as run:
        run.log_metrics({"a": 1}, step=0)
        assert run.flush()
        path.unlink()
        run.log_metrics({"b": 2}, step=0)
        assert run.flush()
        assert [row.get("a") for row in rows(tmp_path)] == [None]
        path.write_text('{"step": 7, "attempt": 0, "c": 3}\n')
        run.log_metrics({"d": 4}, step=7)
        run.log_metrics({"e": 5}, step=0)
    assert [(row["step"], row.get("c"), row.get("d"), row.get("e")) for row in rows(tmp_path)] == [
        (7, 3, 4, None), (0, None, None, 5),
    ]  # fmt: skip


def test_any_order_of_parts_gives_one_row_a_step_with_the_last_value_of_each_name(tmp_path: Path) -> None:
    import random

    rng = random.Random(3)
    table = MetricsFile(Directory(tmp_path), "metrics.jsonl", Problems())
    expected: dict[int, dict[str, Any]] = {}
    for number in range(600):
        step, name = rng.randrange(12), rng.choice("abcdef")
        value = rng.choice([number, f"text {number}" * rng.randrange(4), None])
        expected.setdefault(step, {})[name] = value
        table.add(RowPart(step, 0, float(number), {name: value}))
        if rng.random() < 0.3:
            table.settle()
    table.settle()
    found = {row["step"]: {name: row[name] for name in "abcdef" if name in row} for row in rows(tmp_path)}
    assert len(rows(tmp_path)) == len(expected)
    assert found == expected


def test_processes_that_share_a_run_have_a_row_per_iteration_each_in_their_own_file(tmp_path: Path) -> None:
    code = """
        import sys
        from rollscope import record
        with record.start(sys.argv[1], writer=sys.argv[2]) as run:
            for step in range(3):
                with run.evaluation("test", step) as evaluation:
                    evaluation.add(response="y", reward=1.0)
                with run.iteration(step) as iteration:
                    iteration.add(response="x", reward=0.0)
    """
    for writer in ("main", "rank1"):
        subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(tmp_path), writer], check=True, timeout=60)
    for name in ("metrics.jsonl", "metrics.rank1.jsonl"):
        assert [row["step"] for row in lines(tmp_path / name)] == [0, 1, 2]


def test_the_loop_s_clock_is_the_row_s_even_where_its_evaluation_came_first(tmp_path: Path) -> None:
    now = 100.0
    with record.start(tmp_path, clock=lambda: now) as run:
        evaluate(run, 0)
        now = 200.0
        train(run, 0)
        now = 300.0
        evaluate(run, 0, "later")
    [row] = rows(tmp_path)
    assert row["timestamp"] == 200.0
