"""rLLM's episode logger, replaced and patched."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.record.helpers import rollouts
from tests.record.integrations.trainers import texts

from rollscope import record
from rollscope.record.integrations.rllm import RollscopeEpisodeLogger, install
from rollscope.record.integrations.shared import shared_run


class Reason(enum.Enum):
    DONE = "env_done"
    LONG = "max_response_length_exceeded"


def step(messages: list[dict[str, str]], reward: float = 0.0, **more: Any) -> SimpleNamespace:
    return SimpleNamespace(
        chat_completions=messages, reward=reward, observation=None, model_response="", advantage=None, prompt_ids=[],
        response_ids=[], **more,
    )  # fmt: skip


def episode(identity: str, *agents: str, reason: Reason = Reason.DONE) -> SimpleNamespace:
    one = [{"role": "user", "content": "1+1?"}, {"role": "assistant", "content": "ask"}]
    two = [*one, {"role": "tool", "content": "told"}, {"role": "assistant", "content": "two"}]
    trajectories = [
        SimpleNamespace(name=name, uid="u", reward=1.0, steps=[step(one, 0.25), step(two, 0.75)]) for name in agents
    ]
    return SimpleNamespace(
        id=identity, task={"question": "1+1?", "ground_truth": "2", "data_source": "sums"}, is_correct=True,
        termination_reason=reason, metrics={"tools": 1}, trajectories=trajectories,
    )  # fmt: skip


def test_the_rollouts_of_a_task_are_a_group(tmp_path: Path) -> None:
    with record.start(tmp_path, strict=True) as run:
        logger = RollscopeEpisodeLogger(run)
        logger.log_episodes_batch([episode("t1:0", "solver"), episode("t1:1", "solver", reason=Reason.LONG)], 4)
    first, second = rollouts(tmp_path, 4)
    assert [(line["group"], line["index"], line["status"]) for line in (first, second)] == [
        ("t1", 0, "completed"), ("t1", 1, "truncated"),
    ]  # fmt: skip
    assert texts(first) == [("user", "1+1?"), ("assistant", "ask"), ("tool", "told"), ("assistant", "two")]
    assert (first["reward"], first["golden_answers"], first["dataset"]) == (1.0, {"ground_truth": "2"}, "sums")
    assert first["metrics"] == {"tools": 1.0, "is_correct": 1.0}
    assert [turn["reward"] for turn in first["turns"]] == [0.25, 0.75]


def test_agents_of_one_workflow_are_apart_and_validation_is_an_evaluation(tmp_path: Path) -> None:
    with record.start(tmp_path, strict=True) as run:
        RollscopeEpisodeLogger(run).log_episodes_batch([episode("t1:0", "solver", "judge")], 4, mode="val", epoch=0)
    assert [(line["group"], line["env"]) for line in rollouts(tmp_path, 4, "eval_val")] == [
        ("t1/solver", "solver"), ("t1/judge", "judge"),
    ]  # fmt: skip


def test_steps_that_do_not_repeat_the_conversation_are_strung_together(tmp_path: Path) -> None:
    apart = episode("t1:0", "solver")
    apart.trajectories[0].steps = [
        SimpleNamespace(chat_completions=[], observation="1+1?", model_response="two", reward=1.0, advantage=0.5)
    ]
    with record.start(tmp_path, strict=True) as run:
        RollscopeEpisodeLogger(run).log_episode(apart, 0)
    [line] = rollouts(tmp_path, 0)
    assert texts(line) == [("user", "1+1?"), ("assistant", "two")]
    assert line["advantage"] == 0.5


def test_rllm_s_own_logger_records_too(run_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []

    class EpisodeLogger:
        def log_episodes_batch(
            self, episodes: Any, step: int, mode: str = "train", epoch: int = 0, batch_summary: bool = True
        ) -> None:
            told.append((len(episodes), step, mode, epoch, batch_summary))

    module = ModuleType("rllm.utils.episode_logger")
    module.EpisodeLogger = EpisodeLogger  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    install()
    EpisodeLogger().log_episodes_batch([episode("t1:0", "solver")], 2, "train", 1, False)
    shared_run().close()
    assert told == [(1, 2, "train", 1, False)]
    assert len(rollouts(run_directory, 2)) == 1


def test_answers_sent_again_shorter_are_one_and_a_task_s_row_has_the_answer(tmp_path: Path) -> None:
    asked = {"role": "user", "content": "1+1?"}
    first = [asked, {"role": "assistant", "content": "<think>hm</think>ask"}]
    second = [asked, {"role": "assistant", "content": "ask"}, {"role": "tool", "content": "told"}]
    whole = episode("t1:0", "solver")
    whole.trajectories[0].steps = [step(first), step([*second, {"role": "assistant", "content": "two"}])]
    for one in whole.trajectories[0].steps:
        one.advantage = [0.5, 0.5]
    whole.task = SimpleNamespace(id="t1", instruction="1+1?", metadata={"answer": "2"})
    with record.start(tmp_path, strict=True) as run:
        RollscopeEpisodeLogger(run).log_episodes_batch([whole], 4)
    [line] = rollouts(tmp_path, 4)
    assert [role for role, _ in texts(line)] == ["user", "assistant", "tool", "assistant"]
    assert (line["advantage"], line["golden_answers"]) == (0.5, {"answer": "2"})
