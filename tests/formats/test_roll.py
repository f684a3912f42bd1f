from __future__ import annotations

import json

from tests.fixtures import fixture_path
from tests.formats.rows_and_samples import only_run, opened, records, said


def test_columns_become_samples() -> None:
    path = fixture_path("roll") / "rlvr"
    ours = [(row.group, row.reward, said(sample), sample.golden_answers) for row, sample in opened(only_run(path))]
    theirs = [
        (int(group), score, response, {"ground_truth": truth})
        for record in records(path, "*.jsonl")
        for group, score, response, truth in zip(
            record["id"], record["scores"], record["responses"], record["ground_truth"]
        )
    ]
    assert ours == theirs


def test_agentic_trajectories_have_turns_with_rewards() -> None:
    path = fixture_path("roll") / "agentic"
    pairs = opened(only_run(path))
    told = [json.loads(text) for record in records(path, "*.jsonl") for text in record["trajectory_data"]]
    assert [row.reward for row, _ in pairs] == [item["reward_info"]["episode_reward"] for item in told]
    assert [[turn.reward for turn in sample.turns] for _, sample in pairs] == [
        item["reward_info"]["step_rewards"] for item in told
    ]
    assert {row.status for row, _ in pairs} == {"completed"}
