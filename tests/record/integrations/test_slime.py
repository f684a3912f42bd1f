"""slime's, miles' and Relax's log hooks, called as they call them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.record.helpers import lines, rollouts
from tests.record.integrations.trainers import ids, texts

from rollscope.record.integrations.shared import shared_run
from rollscope.record.integrations.slime import log_eval_rollouts, log_rollouts


class Status(enum.Enum):
    COMPLETED = "completed"
    TRUNCATED = "truncated"


@dataclass
class Sample:
    """The fields of slime's ``Sample`` that a rollout fills."""

    group_index: int | None
    index: int
    prompt: Any = "<|im_start|>user\n1+1?<|im_end|>\n"
    response: str = "call result two"
    reward: Any = 1.0
    label: str | None = "2"
    tokens: list[int] = field(default_factory=lambda: ids("1+1?") + ids("call result two"))
    response_length: int = 15
    loss_mask: list[int] | None = None
    rollout_log_probs: list[float] | None = None
    weight_versions: list[str] = field(default_factory=lambda: ["3", "4"])
    status: Status = Status.COMPLETED
    remove_sample: bool = False
    metadata: dict[str, Any] = field(default_factory=lambda: {"data_source": "sums"})


def test_a_rollout_is_an_iteration_with_its_groups(run_directory: Path) -> None:
    samples = [Sample(group, 2 * group + place) for group in (7, 8) for place in range(2)]
    samples[1].status, samples[1].remove_sample, samples[1].reward = Status.TRUNCATED, True, 0.0
    samples[2].loss_mask = [1] * 5 + [0] * 7 + [1] * 3
    wants_default = log_rollouts(5, SimpleNamespace(reward_key=None), samples, {"filtered": 3, "note": "text"}, 12.5)
    assert not wants_default  # a true answer would turn the trainer's own logging off
    shared_run().close()
    lined = rollouts(run_directory, 5)
    assert [(line["group"], line["index"]) for line in lined] == [(7, 0), (7, 1), (8, 0), (8, 1)]
    assert texts(lined[0]) == [("user", "<|im_start|>user\n1+1?<|im_end|>\n"), ("assistant", "call result two")]
    assert (lined[0]["reward"], lined[0]["golden_answers"], lined[0]["dataset"]) == (1.0, {"label": "2"}, "sums")
    assert [line["status"] for line in lined[:2]] == ["completed", "truncated"]
    assert [line.get("discard_reason") for line in lined[:2]] == [None, "remove_sample"]
    assert (lined[0]["prompt_tokens"], lined[0]["completion_tokens"], lined[0]["total_tokens"]) == (4, 15, 19)
    assert lined[2]["completion_tokens"] == 8
    assert lined[0]["metrics"] == {"weight_version/first": 3.0, "weight_version/last": 4.0}
    [row] = lines(run_directory / "metrics.jsonl")
    assert (row["step"], row["filtered"], row["time/rollout"], row["env/all/reward/total"]) == (5, 3, 12.5, 0.75)


def test_a_reward_of_several_parts(run_directory: Path) -> None:
    sample = Sample(0, 0, reward={"score": 0.5, "format": 1.0, "why": "text"})
    log_rollouts(0, SimpleNamespace(reward_key="score"), [[sample]], None, None)
    shared_run().close()
    [line] = rollouts(run_directory, 0)
    assert (line["reward"], line["rewards"]) == (0.5, {"format": 1.0})


@pytest.mark.usefixtures("with_tokens")
def test_tokens_on_request(run_directory: Path) -> None:
    sample = Sample(0, 0, loss_mask=[1] * 15, rollout_log_probs=[-0.5] * 15)
    log_rollouts(0, SimpleNamespace(), [sample])
    shared_run().close()
    [line] = rollouts(run_directory, 0)
    assert line["tokens"]["ids"] == ids("call result two")
    assert (len(line["tokens"]["logprobs"]), len(line["tokens"]["mask"])) == (15, 15)


def test_an_evaluation_by_dataset_in_the_row_of_its_step(run_directory: Path) -> None:
    data = {
        "aime": {"rewards": [1.0, 0.0], "samples": [Sample(0, 0), Sample(0, 1, reward=0.0)], "truncated": [0, 0]},
        "numbers only": {"rewards": [0.25, 0.75]},
    }
    assert not log_eval_rollouts(4, SimpleNamespace(), data, {"eval/time": 3.0})
    log_rollouts(4, SimpleNamespace(), [Sample(0, 0)], None, 1.0)
    shared_run().close()
    assert len(rollouts(run_directory, 4, "eval_aime")) == 2
    [row] = lines(run_directory / "metrics.jsonl")
    assert (row["aime/env/all/reward/total"], row["numbers only/reward"], row["eval/time"]) == (0.5, 0.5, 3.0)
    assert row["env/all/reward/total"] == 1.0


def test_a_sample_of_another_shape_stops_nothing(run_directory: Path) -> None:
    assert not log_rollouts(0, SimpleNamespace(), [object()], None, 1.0)
    assert shared_run().errors == 1
    shared_run().close()
    assert run_directory.exists()


def test_without_a_variable_the_run_lies_below_the_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROLLSCOPE_RUN", raising=False)
    log_rollouts(0, SimpleNamespace(save=str(tmp_path)), [Sample(0, 0)])
    shared_run(tmp_path / "rollscope").close()
    assert len(rollouts(tmp_path / "rollscope", 0)) == 1
