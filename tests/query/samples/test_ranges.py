"""Observed ranges: an environment's own, robust against a few outliers, never invented."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rollscope
from rollscope import record
from rollscope.query.run import Run
from rollscope.query.samples import ranges
from rollscope.query.samples.ranges import usual_range


def write(directory: Path, rewards: dict[str, list[float]], **declared: tuple[float, float]) -> Path:
    with record.start(directory, {}) as run:
        for env, reach in declared.items():
            run.declare_range(env=env, reward=reach)
        with run.iteration(0) as iteration:
            for env, values in rewards.items():
                with iteration.group(prompt=f"A task of {env}", env=env) as group:
                    for value in values:
                        group.add(response="done", reward=value, metrics={"half": value / 2})
    return directory


def spread(low: float, high: float, count: int = 40) -> list[float]:
    return [float(value) for value in np.linspace(low, high, count)]


def reach(run: Run, env: str, field: str = "reward") -> tuple[float | None, float | None, str]:
    found = run.details().ranges[env][field]
    return found.min, found.max, found.origin


def test_each_environment_has_its_own_range(tmp_path: Path) -> None:
    run = rollscope.open(write(tmp_path, {"golf": spread(-5, 0), "chess": spread(-100, 100)}))
    assert reach(run, "golf") == (-5, 0, "observed")
    assert reach(run, "chess") == (-100, 100, "observed")
    assert reach(run, "golf", "metrics.half") == (-2.5, 0, "observed")


def test_an_outlier_is_left_out_and_counted(tmp_path: Path) -> None:
    run = rollscope.open(write(tmp_path, {"golf": [*spread(-5, 0), 1e30], "chess": spread(-1, 1)}))
    assert reach(run, "golf") == (-5, 0, "observed")
    assert run.details().ranges["golf"]["reward"].outliers == 1
    assert reach(run, "chess") == (-1, 1, "observed")
    assert run.details().ranges["chess"]["reward"].outliers == 0


def test_what_is_declared_wins(tmp_path: Path) -> None:
    run = rollscope.open(write(tmp_path, {"golf": spread(-5, 0), "chess": spread(-1, 1)}, golf=(-10, 0)))
    assert reach(run, "golf") == (-10, 0, "declared")
    assert reach(run, "chess") == (-1, 1, "observed")


def test_what_is_declared_for_all_holds_for_each(tmp_path: Path) -> None:
    with record.start(tmp_path, {}) as recorder:
        recorder.declare_range(reward=(0, 1))
        with recorder.iteration(0) as iteration, iteration.group(prompt="p", env="golf") as group:
            for value in (0.2, 0.4):
                group.add(response="done", reward=value)
    found = rollscope.open(tmp_path).details().ranges
    assert "reward" not in found["golf"]
    assert (found["*"]["reward"].min, found["*"]["reward"].max, found["*"]["reward"].origin) == (0, 1, "declared")


def test_a_run_without_rewards_claims_no_range(tmp_path: Path) -> None:
    with (
        record.start(tmp_path, {}) as recorder,
        recorder.iteration(0) as iteration,
        iteration.group(prompt="p") as group,
    ):
        group.add(response="done")
    assert "reward" not in rollscope.open(tmp_path).details().ranges["*"]


def test_a_long_run_is_read_at_evenly_spaced_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "MAX_SAMPLES", 10)
    with record.start(tmp_path, {}) as recorder:
        for step in range(20):
            with recorder.iteration(step) as iteration, iteration.group(prompt="p", env="golf") as group:
                for place in range(4):
                    group.add(response="done", reward=step + place / 10)
    low, high, origin = reach(rollscope.open(tmp_path), "golf")
    assert low is not None
    assert high is not None
    assert 0 <= low < 5
    assert high == pytest.approx(19.3, abs=0.5)
    assert origin == "observed"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], None),
        ([np.nan, np.inf], None),
        ([3.0], (3, 3, 0)),
        # A rare success is what one looks for, not an outlier.
        ([0.0] * 199 + [1.0], (0, 1, 0)),
        # Too few to tell.
        ([0, 1, 2, 3, 1e9], (0, 1e9, 0)),
        # Not few: that is how the values are.
        (spread(0, 1) + [50.0] * 5, (0, 50, 0)),
        ([*spread(0, 1, 200), 1e30, -1e30], (0, 1, 2)),
        # Three of sixty: a few, though more than a hundredth.
        ([*spread(0, 1, 60), 1e30, 1e30, 1e30], (0, 1, 3)),
        ([-1.7e308, 1.7e308] * 10, (-1.7e308, 1.7e308, 0)),
    ],
)
def test_the_usual_range(values: list[float], expected: tuple[float, float, int] | None) -> None:
    found = usual_range(np.array(values, dtype=np.float64))
    assert (found and (found.min, found.max, found.outliers)) == expected
