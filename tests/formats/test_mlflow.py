from __future__ import annotations

import sqlite3
from contextlib import closing

from tests.fixtures import fixture_path
from tests.formats.rows_and_samples import only_run, opened, said


def test_traces_with_a_step_are_the_rollouts_of_their_run() -> None:
    path = fixture_path("mlflow")
    run = only_run(path)
    ours = sorted((row.step, row.reward or 0.0, said(sample)) for row, sample in opened(run))
    with closing(sqlite3.connect(f"file:{path / 'mlflow.db'}?mode=ro&immutable=1", uri=True)) as database:
        rewards = dict(database.execute("SELECT request_id, value FROM trace_tags WHERE key = 'reward'").fetchall())
        answers = dict(database.execute("SELECT request_id, response_preview FROM trace_info").fetchall())
    assert [step for step, _, _ in ours] == [1] * len(rewards)
    assert sorted(reward for _, reward, _ in ours) == sorted(map(float, rewards.values()))
    assert all(any(text in answer for answer in answers.values()) for _, _, text in ours)
    assert run.name.endswith("industrious-kit-400")


def test_its_metrics_are_curves() -> None:
    series = {item.name: item for item in only_run(fixture_path("mlflow")).metrics()}
    assert [(point[0], point[1]) for point in series["train/reward"].points] == [(1, 0.5)]
