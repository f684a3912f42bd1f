"""The Tinker Cookbook's metrics logger, replaced by ours: same calls, same files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from tests.record.helpers import lines, rollouts
from tests.record.integrations.trainers import Tokenizer, ids, texts

from rollscope import record
from rollscope.record.integrations.shared import shared_run
from rollscope.record.integrations.tinker import RollscopeLogger, install


def test_the_calls_of_a_training_loop(tmp_path: Path) -> None:
    logger = RollscopeLogger(tmp_path)
    logger.log_hparams({"learning_rate": 1e-4, "wandb_api_key": "hunter2"})
    logger.log_metrics({"progress/batch": 0, "env/all/reward/total": np.float32(0.5)}, step=0)
    logger.log_metrics({"no step": 1})
    logger.log_long_text("notes/first run", "a long text")
    logger.sync()
    first, second = lines(tmp_path / "metrics.jsonl")
    assert (first["step"], first["env/all/reward/total"]) == (0, 0.5)
    assert "step" not in second
    assert (tmp_path / "notes_first_run.txt").read_text() == "a long text"
    logger.close()
    assert json.loads((tmp_path / "config.json").read_text())["learning_rate"] == 1e-4
    assert "hunter2" not in (tmp_path / "config.json").read_text()
    assert logger.get_logger_url() == tmp_path.as_uri()


def test_around_a_run_that_is_open(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        logger = RollscopeLogger(run)
        logger.log_metrics({"a": 1}, step=3)
        assert logger.run is run
    assert lines(tmp_path / "metrics.jsonl")[0]["step"] == 3


def test_it_has_every_method_of_the_cookbook_s_logger() -> None:
    wanted = {"log_hparams", "log_metrics", "log_long_text", "close", "sync", "get_logger_url"}
    assert wanted <= set(dir(RollscopeLogger))


class Input(list[int]):
    """A ``ModelInput``."""

    @property
    def length(self) -> int:
        return len(self)

    def to_ints(self) -> list[int]:
        return list(self)


def trajectory(*turns: tuple[str, str]) -> SimpleNamespace:
    transitions = [
        SimpleNamespace(
            ob=Input(ids(observed)),
            ac=SimpleNamespace(tokens=ids(action), maybe_logprobs=[-1.0] * len(action), stop_reason="stop"),
            reward=0.25, episode_done=False, metrics={"format": 1}, logs={"said": action},
        )
        for observed, action in turns
    ]  # fmt: skip
    return SimpleNamespace(transitions=transitions, final_ob=Input(), stop_reason=None)


def group(*trajectories: SimpleNamespace, final: tuple[float, ...]) -> SimpleNamespace:
    totals = [sum(item.reward for item in one.transitions) + last for one, last in zip(trajectories, final)]
    return SimpleNamespace(
        trajectories_G=list(trajectories), final_rewards_G=list(final), metrics_G=[{"correct": 1.0}] * len(final),
        get_total_rewards=lambda: totals,
    )  # fmt: skip


@pytest.mark.usefixtures("with_tokens")
def test_the_cookbook_s_rollouts_are_recorded_with_their_text(
    run_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("tinker_cookbook.rl.rollout_logging")
    module.serialize_rollout_summaries = lambda **named: named["split"]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    install(None, Tokenizer())
    groups = [group(trajectory(("q", "ask"), ("qasktold", "two")), trajectory(("q", "no")), final=(1.0, 0.0))]
    for split in ("train", "eval/held out"):
        said = module.serialize_rollout_summaries(
            split=split, iteration=4, trajectory_groups_P=groups, taglist_P=[["sums"]], sampling_client_steps_P=[3]
        )
        assert said == split
    shared_run().close()
    first, second = rollouts(run_directory, 4)
    assert texts(first) == [("user", "q"), ("assistant", "ask"), ("user", "told"), ("assistant", "two")]
    assert [line["reward"] for line in (first, second)] == [1.5, 0.25]
    assert [line["advantage"] for line in (first, second)] == [0.625, -0.625]
    assert (first["final_reward"], first["tags"], first["staleness"], first["metrics"]) == (
        1.0,
        ["sums"],
        1,
        {"correct": 1.0},
    )
    assert [turn["prompt_tokens"] for turn in first["turns"]] == [1, 8]
    assert first["tokens"]["mask"] == [1] * 3 + [0] * 4 + [1] * 3
    assert len(rollouts(run_directory, 4, "eval_held_out")) == 2
