"""OpenRLHF's PPO trainer, patched: experiences as it makes them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.cloud.ray_cluster import ENVIRONMENT as RAY
from tests.record.helpers import lines, rollouts
from tests.record.integrations.trainers import Array, Tokenizer, ids, texts

import rollscope
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

    def __init__(self, module: Any = None) -> None:
        self.module = module
        self.experience_maker = SimpleNamespace(make_experience_batch=lambda _: [experience()])
        self.samples_generator = SimpleNamespace(
            tokenizer=self.tokenizer, generate_eval_samples=lambda **_: [experience(advantages=False)]
        )

    def train_step(self, rollout_samples: Any, global_step: int) -> tuple[dict[str, Any], int]:
        self.experience_maker.make_experience_batch(rollout_samples)
        return {"policy_loss": 0.5, "generated_samples": ["text", 1.0]}, global_step + 1

    def evaluate(self, global_step: int, **named: Any) -> Any:
        samples = self.samples_generator.generate_eval_samples(**named)
        return self.module.compute_eval_metrics(None, samples, named["n_samples_per_prompt"])


def trainer_module(base: type) -> SimpleNamespace:
    return SimpleNamespace(BasePPOTrainer=base, compute_eval_metrics=lambda loader, samples, count: {"eval_pass1": 0.5})


#: OpenRLHF 0.11's trainers, synchronous and not: Ray actors, and functions that they look up by name.
ACTORS = """
import ray
from types import SimpleNamespace

def compute_eval_metrics(eval_dataloader, samples_list, n_samples_per_prompt):
    return {"eval_pass1": 0.5}

def sample(text):
    return SimpleNamespace(
        sequences=[[49, *map(ord, text)]], attention_mask=[[1] * 3], action_mask=[[1, 1]], advantages=None,
        rollout_log_probs=None, rewards=[1.0], truncated=[0], prompts=["1"], labels=["4"], info={})

class SamplesGenerator:
    tokenizer = SimpleNamespace(decode=lambda ids, **options: "".join(map(chr, ids)))
    def generate_eval_samples(self, **options):
        return [sample("ev")]

class BasePPOTrainer:
    def __init__(self):
        self.args, self.eval_dataloader = SimpleNamespace(ckpt=None), None
        self.samples_generator, self.tokenizer = SamplesGenerator(), SamplesGenerator.tokenizer
        self.experience_maker = SimpleNamespace(make_experience_batch=lambda samples: [sample("tr")])
    def train_step(self, samples, global_step):
        self.experience_maker.make_experience_batch(samples)
        return {"loss": 1.0}, global_step + 1

@ray.remote
class PPOTrainer(BasePPOTrainer):
    def fit(self):
        _, step = self.train_step([], 0)
        return self.evaluate(step, n_samples_per_prompt=1)
    def evaluate(self, global_step, **options):
        samples = self.samples_generator.generate_eval_samples(**options)
        return compute_eval_metrics(self.eval_dataloader, samples, options["n_samples_per_prompt"])
"""
ASYNCHRONOUS = """
import ray
from openrlhf.trainer.ppo_trainer import BasePPOTrainer, SamplesGenerator, compute_eval_metrics

@ray.remote
class GenerateSamplesActor:
    def __init__(self):
        self.samples_generator, self._last_eval_step = SamplesGenerator(), -1
    def fit(self):
        self._last_eval_step = 7
        return self._run_eval()
    def _run_eval(self):
        return compute_eval_metrics(None, self.samples_generator.generate_eval_samples(), 1)

@ray.remote
class TrainingActor(BasePPOTrainer):
    def fit(self):
        return self.train_step([], 6)
"""
DRIVER = """
import sys, ray
ray.init(num_cpus=2, include_dashboard=False, object_store_memory=80_000_000, runtime_env={
    "worker_process_setup_hook": "rollscope.record.integrations.openrlhf.install", "env_vars": {"ROLLSCOPE_RUN": sys.argv[1]}})
from openrlhf.trainer import ppo_trainer, ppo_trainer_async
actors = [getattr(ppo_trainer, name, None) or getattr(ppo_trainer_async, name) for name in sys.argv[2:]]
handles = [actor.remote() for actor in actors]
ray.get([handle.fit.remote() for handle in handles])
ray.shutdown()
"""


@pytest.mark.cloud
@pytest.mark.parametrize(
    ("actors", "trained", "evaluated"),
    [(["PPOTrainer"], 0, 1), (["GenerateSamplesActor", "TrainingActor"], 6, 7)],
    ids=["synchronous", "asynchronous"],
)
def test_real_ray_actors_record_training_and_evaluations(
    tmp_path: Path, actors: list[str], trained: int, evaluated: int
) -> None:
    package = tmp_path / "package" / "openrlhf" / "trainer"
    package.mkdir(parents=True)
    for path, text in (
        ("../__init__", ""),
        ("__init__", ""),
        ("ppo_trainer", ACTORS),
        ("ppo_trainer_async", ASYNCHRONOUS),
    ):
        (package / f"{path}.py").write_text(text)
    environment = os.environ | RAY | {"PYTHONPATH": str(tmp_path / "package")}
    run = tmp_path / "run"
    subprocess.run([sys.executable, "-c", DRIVER, run, *actors], check=True, env=environment, timeout=200)
    rows = rollscope.open(run).samples(discarded=None).rows
    assert [(row.split, row.step, row.reward) for row in rows] == [
        ("train", trained, 1.0),
        ("eval/eval", evaluated, 1.0),
    ]


@pytest.mark.usefixtures("with_tokens")
def test_training_and_evaluation_are_recorded_and_unchanged(tmp_path: Path) -> None:
    base = type("BasePPOTrainer", (Base,), dict(Base.__dict__))
    with record.start(tmp_path, strict=True) as run:
        patch(module := trainer_module(base), run)
        made = base(module)
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
        patch(module := trainer_module(base), run)
        made = base(module)
        made.experience_maker.make_experience_batch = lambda _: [object()]
        assert made.train_step([], 0)[1] == 1
    assert run.errors == 1
