from __future__ import annotations

import json
from pathlib import Path

from tests.fixtures import fixture_path, write_jsonl
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


def test_a_request_of_its_own_says_why_it_ended_and_its_tokens(tmp_path: Path) -> None:
    asked = [{"finish_reasons": "length", "output_token_ids": [4, 5]}, {"temperature": 0.9}]
    columns = {"id": ["7", "7"], "messages": [[{"role": "user", "content": "q"}]] * 2, "responses": ["a", "b"],
               "scores": [1.0, 0.0], "sampling_params": list(map(json.dumps, asked)), "global_step": [3, 3]}  # fmt: skip
    write_jsonl(tmp_path / "rollout_dump_data.step_3.jsonl", [columns])
    (one, first), (two, _) = opened(only_run(tmp_path))
    assert first.tokens is not None
    assert (one.status, one.stop_reason, one.completion_tokens, first.tokens.ids) == ("truncated", "length", 2, [4, 5])
    assert (two.step, two.status, two.completion_tokens) == (3, None, None)


def test_an_id_that_each_domain_has_is_a_group_of_each(tmp_path: Path) -> None:
    rows = [("math", "1", "1 + 1?"), ("code", "1", "Sort."), ("code", "", "Sort all."), ("code", "", "Sort none.")]
    columns = {"domain": [domain for domain, _, _ in rows for _ in range(2)],
               "id": [name for _, name, _ in rows for _ in range(2)],
               "prompt": [prompt for _, _, prompt in rows for _ in range(2)],
               "responses": ["a", "b"] * 4, "scores": [1.0, 0.0] * 4, "global_step": [0] * 8}  # fmt: skip
    write_jsonl(tmp_path / "rollout_dump_data.step_0.jsonl", [columns])
    groups = [row.group for row, _ in opened(only_run(tmp_path))]
    assert groups[:4] == ["1 (math)", "1 (math)", "1 (code)", "1 (code)"]
    assert groups[4] == groups[5] != groups[6] == groups[7]


def _trajectory(episode: int, mode: str, reward: float, **failure: object) -> str:
    about = {"env_id": 3, "group_id": 1, "tag": "swe", "seed": 7, "episode_id": episode, "mode": mode}
    lengths = {"num_actions": 2, "terminated": False, "truncated": reward == 0.0}
    told = {"env_info": about, "length_info": lengths, "reward_info": {"episode_reward": reward},
            "failure_info": {"stop_reason": "FINISH", "has_failure": False, **failure}}  # fmt: skip
    return json.dumps(told)


def test_a_trajectory_says_its_group_and_whether_it_was_trained_on(tmp_path: Path) -> None:
    """Its steps are rows too, which say nothing; where its context was begun anew, its messages are several lists."""
    first = [{"role": "user", "content": "Fix it"}, {"role": "assistant", "content": "looking"}]
    second = [{"role": "user", "content": "In short: looked"}, {"role": "assistant", "content": "fixed"}]
    chats = json.dumps([first, second])
    told = [None, _trajectory(0, "train", 1.0), _trajectory(0, "train", 0.0),
            _trajectory(1, "train", 0.5, has_failure=True, failure_mode="timeout", error_messages=["no disk"])]  # fmt: skip
    columns = {"trajectory_data": told, "messages": [None, chats, chats, chats], "exp_name": ["e"] * 4}
    write_jsonl(tmp_path / "rollout_dump_data.step_4.jsonl", [{**columns, "global_step": [4] * 4}])
    evaluated = {"trajectory_data": [_trajectory(0, "val", 1.0)], "messages": [chats], "exp_name": ["e"]}
    write_jsonl(tmp_path / "rollout_dump_data.step_5.jsonl", [{**evaluated, "global_step": [5]}])
    pairs = opened(only_run(tmp_path))
    assert [(row.split, row.step, row.group, row.reward, row.status) for row, _ in pairs] == [
        ("train", 4, "swe_1_0_7", 1.0, "completed"),
        ("train", 4, "swe_1_0_7", 0.0, "truncated"),
        ("train", 4, "swe_1_1_7", 0.5, "failed"),
        ("eval/val", 5, "swe_1_0_7", 1.0, "completed"),
    ]
    assert [(message.role, message.text) for message in pairs[0][1].messages] == [
        (message["role"], message["content"]) for message in [*first, *second]
    ]
    assert pairs[2][1].notes == ["Failure: timeout.", "Error: no disk"]


def test_a_trajectory_of_a_software_task_lies_in_what_was_saved(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "Fix it"}, {"role": "assistant", "content": "done"}]
    saved = json.dumps(
        {"task_idx": 9, "group_id": 2, "tag": "swe", "traj_messages": chat, "metrics": {"success": True}}
    )
    columns = {"task_idx": [9, 9], "stop_reason": ["finish", "env_timeout"], "episode_score": [1.0, 0.0],
               "mode": ["train", "val"], "save_content": [saved, saved], "global_step": [2, 2]}  # fmt: skip
    write_jsonl(tmp_path / "rollout_dump_data.step_2.jsonl", [columns])
    pairs = opened(only_run(tmp_path))
    assert [(row.split, row.group, row.reward, row.status, said(sample)) for row, sample in pairs] == [
        ("train", "swe_2_9", 1.0, "completed", "done"),
        ("eval/val", "swe_2_9", 0.0, "aborted", "done"),
    ]
