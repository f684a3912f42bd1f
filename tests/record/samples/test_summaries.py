"""Trajectories in numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.record.helpers import lines

from rollscope import record
from rollscope.record.samples.schema import SCHEMA_VERSION, RolloutLine
from rollscope.record.samples.summaries import summary_line


def test_summaries_add_up(tmp_path: Path) -> None:
    with record.start(tmp_path) as run, run.iteration(0) as iteration:
        iteration.add(response="x", reward=0.5)
        iteration.add(response="x", reward=1.0, final_reward=0.25)
        turns: list[dict[str, Any]] = [{"reward": 0.1, "ob_len": 5, "ac_len": 7, "logs": {"a": 1}}, {"reward": 0.2}]
        iteration.add(response="x", turns=turns, final_reward=1.0)
        iteration.add([{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}], reward=2.0)
        iteration.add(response="x")
    summaries = lines(tmp_path / "train_iteration_000000_rollout_summaries.jsonl")
    for item in summaries[:4]:
        steps = sum(step["reward"] or 0.0 for step in item["steps"])
        assert steps + item["final_reward"] == pytest.approx(item["total_reward"])
        assert [step["episode_done"] for step in item["steps"]][-1] is True
    assert summaries[2]["steps"][0] == {
        "step_idx": 0, "ob_len": 5, "ac_len": 7, "reward": 0.1, "episode_done": False, "metrics": {}, "logs": {"a": 1},
    }  # fmt: skip
    assert [step["reward"] for step in summaries[3]["steps"]] == [None, None]
    assert summaries[4]["total_reward"] is None


def test_a_total_without_turns_is_the_final_reward() -> None:
    line = RolloutLine(
        schema_version=SCHEMA_VERSION,
        run_id="r",
        writer="main",
        attempt=0,
        split="train",
        step=3,
        group="g",
        index=1,
        time=0.0,
        reward=2.0,
        num_turns=0,
        total_tokens=9,
    )
    told = summary_line(line)
    assert (told.total_reward, told.final_reward, told.steps) == (2.0, 2.0, [])
    assert (told.iteration, told.group_idx, told.traj_idx, told.final_ob_len) == (3, "g", 1, 9)
