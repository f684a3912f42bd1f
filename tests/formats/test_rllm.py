from __future__ import annotations

import json
from pathlib import Path

from tests.fixtures import fixture_path
from tests.formats.rows_and_samples import only_run, opened, said


def test_training_episodes_have_their_step_split_and_task() -> None:
    path = fixture_path("rllm") / "logs" / "demo" / "exp1"
    ours = {(row.split, row.step, row.group, row.reward, said(sample)) for row, sample in opened(only_run(path))}
    theirs = set()
    for file in path.glob("episodes/*/episode_*.json"):
        record = json.loads(file.read_text())
        split = "train" if file.parent.name.startswith("train") else "eval/val"
        (trajectory,) = record["trajectories"]
        call = trajectory["steps"][0]["chat_completions"][2]["tool_calls"][0]["function"]
        words = f"{call['name']}({call['arguments']})" + "".join(
            message["content"] for message in trajectory["steps"][-1]["chat_completions"][3:]
        )
        theirs.add((split, record["training_step"], record["task_hash"], trajectory["reward"], words))
    assert ours == theirs


def test_an_evaluation_keeps_tokens_logprobs_and_advantages() -> None:
    path = next((fixture_path("rllm") / "eval_results").iterdir())
    for _, sample in opened(only_run(path)):
        assert sample.tokens is not None
        assert sample.tokens.ids == [1, 2, 3, 4, 5]
        assert sample.tokens.logprobs == [-0.1, -0.2, -0.3, -0.4, -0.5]
        assert sample.tokens.advantage == [0.5, 0.5, 0.5, None, None]
        assert [turn.reward for turn in sample.turns] == [0.0, sample.reward]


def test_an_episode_that_came_to_nothing_shows_what_was_asked_and_how_it_ended(tmp_path: Path) -> None:
    folder = tmp_path / "episodes" / "train_step_3_epoch_0"
    folder.mkdir(parents=True)
    episode = {"episode_id": "t:0", "task": {"question": "Q?"}, "termination_reason": "error", "trajectories": []}
    (folder / "episode_hash00_idt_0.json").write_text(json.dumps(episode))
    ((row, sample),) = opened(only_run(tmp_path))
    assert (row.step, row.status, row.reward) == (3, "failed", None)
    assert [message.text for message in sample.messages] == ["Q?"]
