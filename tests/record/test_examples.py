"""The example trains for real, is recorded whole, and goes on where it stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.fixtures import REPOSITORY
from tests.record.helpers import lines, rollouts

SCRIPT = REPOSITORY / "examples" / "train_tiny.py"


def train(directory: Path, steps: int) -> str:
    command = [
        sys.executable,
        str(SCRIPT),
        str(directory),
        "--steps",
        str(steps),
        "--eval-every",
        "10",
        "--save-every",
        "10",
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=240).stdout


def test_it_learns_stops_and_goes_on(tmp_path: Path) -> None:
    train(tmp_path, 20)
    assert "going on from step 20" in train(tmp_path, 40)
    *rows, last = lines(tmp_path / "metrics.jsonl")
    rewards = [row["env/all/reward/total"] for row in rows]
    assert [row["step"] for row in rows] == list(range(40))
    assert [row["step"] for row in rows if "all sums/env/all/reward/total" in row] == [0, 10, 20, 30]
    assert last["step"] == 40
    assert sum(rewards[step] for step in range(35, 40)) > 2 * sum(rewards[step] for step in range(5))
    assert {line["attempt"] for line in rollouts(tmp_path, 19)} == {0}
    assert {line["attempt"] for line in rollouts(tmp_path, 20)} == {1}
    assert [line["batch"] for line in lines(tmp_path / "checkpoints.jsonl")] == [10, 20, 30, 40]
    discarded = {line.get("discard_reason") for step in range(40) for line in rollouts(tmp_path, step)}
    assert discarded == {None, "async_staleness", "zero_advantage"}
    assert len(rollouts(tmp_path, 40, "eval_all_sums")) == 100
    assert (tmp_path / "train_iteration_000039.html").exists()
    ranges = json.loads((tmp_path / "config.json").read_text())["rollscope"]["ranges"]
    assert ranges["addition"]["reward"] == {"min": 0.0, "max": 1.1, "higher_is_better": True}
