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


def _write_episode(folder: Path, name: str, **episode: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"episode_{name}.json").write_text(json.dumps(episode))


def test_an_answer_sent_again_without_its_thinking_is_one_answer(tmp_path: Path) -> None:
    asked = {"role": "user", "content": "q"}
    first = [asked, {"role": "assistant", "content": "<think>a</think>b"}]
    again = [asked, {"role": "assistant", "content": "b"}, {"role": "user", "content": "?"}]
    last = {"role": "assistant", "content": "c"}
    steps = [{"chat_completions": first, "advantage": 0.5}, {"chat_completions": [*again, last], "advantage": 0.5}]
    _write_episode(tmp_path / "episodes/train_step_1_epoch_0", "hash00_idt_0", task={"question": "q"}, id="t:0",
                   termination_reason="TerminationReason.MAX_TURNS_EXCEEDED",
                   trajectories=[{"name": "a", "reward": 1.0, "steps": steps}])  # fmt: skip
    ((row, sample),) = opened(only_run(tmp_path))
    assert said(sample) == "<think>a</think>b?c"
    assert (row.status, row.turns, row.advantage, row.group) == ("truncated", 2, 0.5, "t")


def test_compact_episodes_are_the_conversations_they_stand_for(tmp_path: Path) -> None:
    nodes = {
        "x": {"p": None, "m": {"role": "user", "content": "q"}},
        "y": {"p": "x", "m": {"role": "assistant", "content": "a"}},
    }
    steps = [{"chat_completions": {"messages_ref": ["y", 2]}, "reward": 1.0}]
    _write_episode(tmp_path / "bench_model_1/episodes", "000000_t", task={"id": "t", "instruction": "q"}, id="uuid",
                   termination_reason="sandbox_error", metadata={"error": {"message": "gone"}}, is_correct=False,
                   episode_format="compact", compact_version=1,
                   trajectories=[{"name": "a", "reward": 0.0, "steps": steps, "message_nodes": nodes}])  # fmt: skip
    ((row, sample),) = opened(only_run(tmp_path))
    assert [(message.role, message.text) for message in sample.messages] == [("user", "q"), ("assistant", "a")]
    assert (row.group, row.status, sample.notes) == ("t", "failed", ["Error: gone"])


def test_steps_without_a_conversation_show_what_was_seen_and_done(tmp_path: Path) -> None:
    steps = [{"observation": "q", "model_response": "a"}, {"observation": {"x": 1}, "thought": "hm", "action": "go"}]
    _write_episode(tmp_path / "episodes/val_step_2_epoch_0", "hash00_idt_0", task={"question": "q"}, episode_id="t:0",
                   trajectories=[{"name": "a", "reward": 1.0, "steps": steps}])  # fmt: skip
    ((_, sample),) = opened(only_run(tmp_path))
    told = [(message.role, message.text) for message in sample.messages]
    assert told == [("user", "q"), ("assistant", "a"), ("user", '{"x": 1}'), ("assistant", "hmgo")]
