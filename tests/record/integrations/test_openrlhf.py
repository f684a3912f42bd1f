"""OpenRLHF's PPO trainer, patched: experiences as it makes them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.record.helpers import lines, rollouts
from tests.record.integrations.trainers import Array, Tokenizer, ids, texts

from rollscope import record
from rollscope.record.integrations.openrlhf import patch


def experience(*, advantages: bool = True) -> SimpleNamespace:
    """Two samples of one prompt, right-padded; the masks cover all but the first token, as in OpenRLHF 0.11."""
    prompt = ids("1+1?")
    responses = [[*ids("ask"), *ids("told"), *ids("two", end=True)], ids("no", end=True)]
    own = [[1] * 3 + [0] * 4 + [1] * 4, [1] * 3]
    width = 18
    return SimpleNamespace(
        sequences=Array([Array(prompt + item + [0] * (width - 4 - len(item))) for item in responses]),
        attention_mask=Array([Array([1] * (4 + len(item)) + [0] * (width - 4 - len(item))) for item in responses]),
        action_mask=Array([Array([0] * 3 + item + [0] * (width - 4 - len(item))) for item in own]),
        advantages=Array([Array([0.5] * 17), Array([-0.5] * 17)]) if advantages else None,
        rollout_log_probs=Array([Array([-1.0] * 17)] * 2),
        rewards=Array([1.0, 0.25]),
        truncated=Array([0, 1]),
        prompts=["1+1?", "1+1?"],
        labels=["2", "2"],
        info={"reward": Array([1.0, 0.25]), "correct": Array([1.0, 0.0]), "name": "text"},
    )


class Base:
    tokenizer = Tokenizer()
    args = SimpleNamespace(ckpt=None)

    def __init__(self) -> None:
        self.experience_maker = SimpleNamespace(make_experience_batch=lambda _: [experience()])
        self.samples_generator = SimpleNamespace(generate_eval_samples=lambda **_: [experience(advantages=False)])

    def train_step(self, rollout_samples: Any, global_step: int) -> tuple[dict[str, Any], int]:
        self.experience_maker.make_experience_batch(rollout_samples)
        return {"policy_loss": 0.5, "generated_samples": ["text", 1.0]}, global_step + 1

    def evaluate(self, global_step: int, **named: Any) -> dict[str, float]:
        self.samples_generator.generate_eval_samples(**named)
        return {"eval_pass1": 0.5}


@pytest.mark.usefixtures("with_tokens")
def test_training_and_evaluation_are_recorded_and_unchanged(tmp_path: Path) -> None:
    base = type("BasePPOTrainer", (Base,), dict(Base.__dict__))
    trainer = type("PPOTrainer", (base,), {})
    with record.start(tmp_path, strict=True) as run:
        patch(SimpleNamespace(BasePPOTrainer=base, PPOTrainer=trainer), run)
        made = trainer()
        assert made.train_step([], 7) == ({"policy_loss": 0.5, "generated_samples": ["text", 1.0]}, 8)
        assert made.evaluate(7, n_samples_per_prompt=2) == {"eval_pass1": 0.5}
    first, second = rollouts(tmp_path, 7)
    assert texts(first) == [("user", "1+1?"), ("assistant", "ask"), ("user", "told"), ("assistant", "two¶")]
    assert [(line["group"], line["index"], line["reward"]) for line in (first, second)] == [(0, 0, 1.0), (0, 1, 0.25)]
    assert [line["advantage"] for line in (first, second)] == [0.5, -0.5]
    assert (first["prompt_tokens"], first["completion_tokens"], first["total_tokens"]) == (4, 7, 15)
    assert [line["status"] for line in (first, second)] == ["completed", "truncated"]
    assert (first["golden_answers"], first["metrics"]) == ({"label": "2"}, {"correct": 1.0})
    assert len(first["tokens"]["logprobs"]) == len(first["tokens"]["ids"]) == 11
    assert len(rollouts(tmp_path, 7, "eval_eval")) == 2
    [row] = lines(tmp_path / "metrics.jsonl")
    assert (row["policy_loss"], row["eval/eval_pass1"]) == (0.5, 0.5)


def test_experiences_of_another_shape_stop_nothing(tmp_path: Path) -> None:
    base = type("BasePPOTrainer", (Base,), dict(Base.__dict__))
    with record.start(tmp_path) as run:
        patch(SimpleNamespace(BasePPOTrainer=base, PPOTrainer=base), run)
        made = base()
        made.experience_maker.make_experience_batch = lambda _: [object()]
        assert made.train_step([], 0)[1] == 1
    assert run.errors == 1
