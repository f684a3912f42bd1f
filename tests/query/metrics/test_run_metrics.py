"""The series of a run: those its trainer logged beside those that follow from the samples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rollscope
from rollscope import record
from rollscope.errors import NotFoundError
from rollscope.query.run import Run


@pytest.fixture
def recorded(tmp_path: Path) -> Run:
    run = record.start(tmp_path / "run")
    for step in range(3):
        with run.iteration(step) as iteration, iteration.group(prompt="2 + 2?") as group:
            for number in range(4):
                group.add(response="4 " * (number + 1), reward=number / 4)
        run.log_metrics({"optim/loss": 1.0 - step / 10}, step=step)
    run.close()
    return rollscope.open(tmp_path / "run")


def test_the_catalog_has_logged_and_derived_series_each_once(recorded: Run) -> None:
    names = [item.name for item in recorded.catalog()]
    assert {"optim/loss", "rollouts/reward/mean"} <= set(names)
    assert len(names) == len(set(names))


def test_a_logged_series_stands_for_a_derived_one_of_its_name(recorded: Run) -> None:
    (derived,) = recorded.series(["rollouts/reward/mean"])
    assert [value for _, value in derived.points] == pytest.approx([0.375] * 3)
    with (Path(recorded.path) / "metrics.jsonl").open("a") as file:
        file.write(json.dumps({"step": 1, "rollouts/reward/mean": 7.5}) + "\n")
    (logged,) = recorded.series(["rollouts/reward/mean"])
    assert logged.points == [(1, 7.5)]


def test_what_was_logged_comes_before_what_is_derived(recorded: Run) -> None:
    """Of hundreds of series a list shows the first: they are those that somebody chose to log."""
    names = [series.name for series in recorded.metrics()]
    assert names.index("optim/loss") < names.index("rollouts/reward/mean")
    assert sorted(names) == sorted(item.name for item in recorded.catalog())


def test_columns_are_the_points(recorded: Run) -> None:
    names = ["optim/loss", "rollouts/reward/max"]
    for series, columns in zip(recorded.series(names), recorded.series_columns(names)):
        assert list(zip(columns.steps, columns.values)) == series.points
        assert columns.name == series.name
        assert columns.times == series.times
    assert recorded.series_columns(["optim/loss"], times=False)[0].times == []


def test_series_that_do_not_exist_are_named_with_the_nearest_one(recorded: Run) -> None:
    with pytest.raises(NotFoundError, match="no metric 'optim/los'") as error:
        recorded.series_columns(["optim/loss", "optim/los"])
    assert "optim/loss" in error.value.hint
    with pytest.raises(NotFoundError, match="no numeric field 'rewrad'") as error:
        recorded.distribution("rewrad")
    assert "reward" in error.value.hint


def test_new_steps_and_new_rows_are_in_the_next_answer(recorded: Run) -> None:
    assert len(recorded.series(["optim/loss"])[0].points) == 3
    run = record.start(recorded.path)
    with run.iteration(3) as iteration, iteration.group(prompt="2 + 2?") as group:
        group.add(response="4", reward=1.0)
    run.log_metrics({"optim/loss": 0.25}, step=3)
    run.close()
    recorded.refresh()
    loss, reward = recorded.series(["optim/loss", "rollouts/reward/mean"])
    assert loss.points[-1] == (3, 0.25)
    assert reward.points[-1] == (3, 1.0)
