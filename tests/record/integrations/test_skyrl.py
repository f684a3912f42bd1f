"""SkyRL's trajectory logger, called as its trainer and its evaluation call it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.record.helpers import lines, rollouts
from tests.record.integrations.trainers import Tokenizer, ids, texts

from rollscope import record
from rollscope.record.integrations.skyrl import RollscopeTrajectoryLogger

QUESTION = [{"role": "user", "content": "1+1?"}]


def log(run: record.Run, output: dict[str, Any], key: str = "trajectories/train", **more: Any) -> list[Any]:
    seen: list[Any] = []
    logger = RollscopeTrajectoryLogger(run, also=SimpleNamespace(log=lambda **named: seen.append(named)))
    logger.log(
        **{
            "tracker": None, "num_samples": 0, "prompts": [QUESTION] * len(output["response_ids"]),
            "generator_output": output, "tokenizer": Tokenizer(), "global_step": 3, "wandb_key": key, **more,
        }
    )  # fmt: skip
    return seen


def test_every_trajectory_is_recorded_and_the_other_logger_told(tmp_path: Path) -> None:
    output = {
        "prompt_token_ids": [ids("1+1?")] * 2,
        "response_ids": [ids("ask") + ids("told") + ids("two", end=True), ids("three")],
        "loss_masks": [[1] * 3 + [0] * 4 + [1] * 4, [1] * 5],
        "rewards": [[0.0] * 10 + [1.0], 0.25],
        "stop_reasons": ["stop", "length"],
        "trajectory_ids": [SimpleNamespace(instance_id="q1", repetition_id=place) for place in range(2)],
        "env_metrics": [{"correct": True, "why": "text"}, None],
        "rollout_metrics": {"generate/avg_num_tokens": 8.0},
    }
    with record.start(tmp_path, strict=True) as run:
        [told] = log(run, output)
    assert told["global_step"] == 3
    first, second = rollouts(tmp_path, 3)
    assert texts(first) == [("user", "1+1?"), ("assistant", "ask"), ("user", "told"), ("assistant", "two¶")]
    assert [(line["group"], line["index"], line["reward"]) for line in (first, second)] == [
        ("q1", 0, 1.0), ("q1", 1, 0.25),
    ]  # fmt: skip
    assert (first["prompt_tokens"], first["completion_tokens"], first["total_tokens"]) == (4, 7, 15)
    assert [line["status"] for line in (first, second)] == ["completed", "truncated"]
    assert first["metrics"] == {"correct": 1.0}
    [row] = lines(tmp_path / "metrics.jsonl")
    assert row["generate/avg_num_tokens"] == 8.0


def test_turns_of_step_wise_training_are_one_sample(tmp_path: Path) -> None:
    output = {
        "prompt_token_ids": [ids("q"), ids("q") + ids("ask") + ids("told")],
        "response_ids": [ids("ask"), ids("two")],
        "loss_masks": [[1, 1, 1], [1, 1, 1]],
        "rewards": [0.0, 1.0],
        "is_last_step": [False, True],
        "trajectory_ids": ["q1_0", "q1_0"],
    }
    with record.start(tmp_path, strict=True) as run:
        log(run, output, prompts=[QUESTION])
    [line] = rollouts(tmp_path, 3)
    assert texts(line) == [("user", "1+1?"), ("assistant", "ask"), ("user", "told"), ("assistant", "two")]
    assert (line["reward"], line["num_turns"], line["completion_tokens"]) == (1.0, 2, 6)


@pytest.mark.usefixtures("with_tokens")
def test_an_evaluation_with_tokens(tmp_path: Path) -> None:
    output = {
        "response_ids": [ids("two")],
        "loss_masks": [[1, 1, 1]],
        "rewards": [1.0],
        "rollout_logprobs": [[-1.0] * 3],
    }
    with record.start(tmp_path, strict=True) as run:
        log(run, output, "trajectories/eval", global_step=None)
    [line] = rollouts(tmp_path, 0, "eval_eval")
    assert line["tokens"] == {"ids": ids("two"), "logprobs": [-1.0] * 3, "mask": [1, 1, 1]}


def test_an_output_of_another_shape_stops_nothing(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        log(run, {"response_ids": [None]})
    assert run.errors == 1


def test_the_last_turn_of_an_evaluation_has_the_earlier_ones_before_it(tmp_path: Path) -> None:
    """Of a step-wise evaluation SkyRL hands on the last turns alone, and how many there were."""
    output = {
        "prompt_token_ids": [ids("1+1?") + ids("ask") + ids("told"), ids("1+1?")],
        "response_ids": [ids("two"), ids("three")],
        "loss_masks": [[1] * 3, [1] * 5],
        "rewards": [1.0, 0.0],
        "is_last_step": [True, True],
        "trajectory_generation_times": [2.5, 0.5],
    }
    with record.start(tmp_path, strict=True) as run:
        log(run, output, "trajectories/eval", num_turns_list=[2, 1])
    first, second = rollouts(tmp_path, 3, "eval_eval")
    assert texts(first) == [("user", "1+1?asktold"), ("assistant", "two")]
    assert texts(second) == [("user", "1+1?"), ("assistant", "three")]
    assert [line["timings"] for line in (first, second)] == [{"generation": 2.5}, {"generation": 0.5}]


def test_times_of_turns_are_not_those_of_trajectories(tmp_path: Path) -> None:
    output = {
        "response_ids": [ids("ask"), ids("two"), ids("no")],
        "loss_masks": [[1] * 3, [1] * 3, [1] * 2],
        "rewards": [0.0, 1.0, 0.0],
        "is_last_step": [False, True, True],
        "trajectory_generation_times": [4.0, 1.0],
    }
    with record.start(tmp_path, strict=True) as run:
        log(run, output, prompts=[QUESTION] * 2)
    assert [line["timings"] for line in rollouts(tmp_path, 3)] == [{"generation": 4.0}, {"generation": 1.0}]
