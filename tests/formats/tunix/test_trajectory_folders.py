from __future__ import annotations

import json
from pathlib import Path

from tests.formats.rows_and_samples import only_run, opened


def _write_trajectory(folder: Path, *, finished: bool = True, **more: object) -> None:
    told = {"global_step": 3, "consumed_policy_version": 3, "rollout_policy_version": 2, "traj_id": folder.name,
            "prompt_id": "7", "group_index": 0, "worker_id": "worker0", "status": "MAX_STEPS_REACHED", "reward": 0.5,
            "num_steps": 2, "question": "q", "prompt": "", "gold_answer": "4", "completion": "",
            "env_time": {"reset_latency": 0.5, "step_latency": [1.0]}, "metadata": {}, **more}  # fmt: skip
    steps = [
        {"step_index": 0, "role": "assistant", "thought_and_action": "a", "observation": "seen"},
        {"step_index": 1, "role": "assistant", "thought_and_action": "b"},
    ]
    folder.mkdir(parents=True)
    (folder / "metadata.json").write_text(json.dumps(told, indent=2))
    for place, step in enumerate(steps):
        (folder / f"step{place}.json").write_text(json.dumps(step, indent=2))
    if finished:
        (folder / "inference_metrics.jsonl").write_text("{}\n")


def test_a_folder_is_a_trajectory_with_its_steps_once_it_is_written(tmp_path: Path) -> None:
    _write_trajectory(tmp_path / "step3/worker0/traj_7_g0")
    _write_trajectory(tmp_path / "step3/worker1/traj_7_g1", status="TrajectoryStatus.SUCCEEDED", reward=1.0)
    _write_trajectory(tmp_path / "step10/worker0/traj_8_g0", finished=False)
    (one, first), (two, _) = opened(only_run(tmp_path))
    assert [(row.split, row.step, row.group, row.reward) for row in (one, two)] == [
        ("train", 3, 7, 0.5),
        ("train", 3, 7, 1.0),
    ]
    assert (one.status, one.stop_reason, one.sampling_step) == ("truncated", "max_steps_reached", 2)
    assert (two.status, two.stop_reason) == ("completed", None)
    told = [(message.role, message.text, message.turn) for message in first.messages]
    assert told == [("user", "q", None), ("assistant", "a", 0), ("environment", "seen", 0), ("assistant", "b", 1)]
    assert (first.golden_answers, first.timings) == ({"gold_answer": "4"}, {"reset": 0.5, "step": 1.0})
