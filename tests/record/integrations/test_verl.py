"""verl's trainers, patched: batches as they dump them, with the advantages that the dumps lack."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.record.helpers import lines, rollouts
from tests.record.integrations.trainers import Array, Tokenizer, ids, texts

from rollscope import record
from rollscope.record.integrations.shared import shared_run
from rollscope.record.integrations.verl import install, patch_classic, patch_v1

CONFIG = SimpleNamespace(trainer={"rollout_data_dir": "dumps", "validation_data_dir": "validation"})


class Trainer:
    """What is patched of ``RayPPOTrainer``, as far as it dumps."""

    config = CONFIG
    tokenizer = Tokenizer()
    global_steps = 3

    def __init__(self) -> None:
        self.dumped: list[tuple[int, str]] = []

    def _log_rollout_data(self, batch: Any, extra: Any, timing: Any, folder: str) -> None:
        self._dump_generations(inputs=["in"], outputs=["out"], gts=[None], scores=[1.0], dump_path=folder)

    def _dump_generations(
        self, inputs: Any, outputs: Any, gts: Any, scores: Any, reward_extra_infos_dict: Any = None, dump_path: str = ""
    ) -> None:
        self.dumped.append((len(inputs), dump_path))


def padded(values: list[Any], width: int, filler: Any = 0, *, left: bool = False) -> list[Any]:
    rest = [filler] * (width - len(values))
    return rest + values if left else values + rest


def batch() -> SimpleNamespace:
    """Two samples of one prompt: one with a tool's answer in the middle, one short."""
    prompt, responses = ids("1+1?"), [[*ids("ask"), *ids("told"), *ids("two", end=True)], ids("no", end=True)]
    masks = [[1] * 3 + [0] * 4 + [1] * 4, [1, 1, 1]]
    width = 14
    return SimpleNamespace(
        batch={
            "prompts": Array([padded(prompt, 6, left=True)] * 2),
            "responses": Array([padded(item, width) for item in responses]),
            "attention_mask": Array(
                [padded([1] * 4, 6, left=True) + padded([1] * len(item), width) for item in responses]
            ),
            "response_mask": Array([padded(item, width) for item in masks]),
            "token_level_scores": Array([padded([0.0] * 10 + [1.0], width, 0.0), padded([0.0, 0.0, 0.25], width, 0.0)]),
            "advantages": Array(
                [[0.5 * value for value in padded(masks[0], width)], padded([-0.5, -0.4, -0.3], width)]
            ),
            "old_log_probs": Array([[-1.0] * width] * 2),
        },
        non_tensor_batch={
            "uid": ["g", "g"],
            "reward_model": [{"ground_truth": "2"}] * 2,
            "data_source": ["sums"] * 2,
        },
    )


@pytest.fixture
def trainer() -> type[Trainer]:
    return type("RayPPOTrainer", (Trainer,), dict(Trainer.__dict__))


@pytest.mark.usefixtures("with_tokens")
def test_a_batch_with_its_advantages(tmp_path: Path, trainer: type[Trainer]) -> None:
    with record.start(tmp_path, strict=True) as run:
        patch_classic(SimpleNamespace(RayPPOTrainer=trainer), run)
        made = trainer()
        made._log_rollout_data(batch(), {"acc": [True, False], "pred": ["2", "3"]}, {}, "dumps")
    assert made.dumped == [(1, "dumps")]
    first, second = rollouts(tmp_path, 3)
    assert texts(first) == [("user", "1+1?"), ("assistant", "ask"), ("user", "told"), ("assistant", "two¶")]
    assert [(line["group"], line["index"], line["reward"]) for line in (first, second)] == [
        ("g", 0, 1.0), ("g", 1, 0.25),
    ]  # fmt: skip
    assert (first["prompt_tokens"], first["completion_tokens"]) == (4, 7)
    assert first["advantage"] == 0.5
    assert "advantage" not in second  # its tokens differ: none is the sample's
    assert second["tokens"]["advantage"] == [-0.5, -0.4, -0.3]
    assert (first["golden_answers"], first["dataset"], first["metrics"]) == (
        {"ground_truth": "2"},
        "sums",
        {"acc": 1.0},
    )
    assert first["tokens"]["mask"] == [1] * 3 + [0] * 4 + [1] * 4


def test_a_validation_is_known_by_its_folder(tmp_path: Path, trainer: type[Trainer]) -> None:
    with record.start(tmp_path, strict=True) as run:
        patch_classic(SimpleNamespace(RayPPOTrainer=trainer), run)
        made = trainer()
        made._dump_generations(["q", "q", "r"], ["a", "b", "c"], ["1", None, None], [1.0, 0.0, 0.5], {}, "validation")
        made._dump_generations(["q"], ["a"], [None], [1.0], {"data_source": ["gsm8k"]}, dump_path="validation")
        made._dump_generations(["q"], ["a"], [None], [1.0], {}, dump_path="elsewhere")
    assert [count for count, _ in made.dumped] == [3, 1, 1]
    lined = rollouts(tmp_path, 3, "eval_validation")
    assert [(line["group"], line["reward"]) for line in lined] == [
        ("prompt 0", 1.0), ("prompt 0", 0.0), ("prompt 2", 0.5),
    ]  # fmt: skip
    assert lined[0]["golden_answers"] == {"ground_truth": "1"}
    assert len(rollouts(tmp_path, 3, "eval_gsm8k")) == 1
    [row] = lines(tmp_path / "metrics.jsonl")
    assert (row["validation/env/all/reward/total"], row["gsm8k/env/all/reward/total"]) == (0.5, 1.0)


def test_the_second_generation_s_store(tmp_path: Path, trainer: type[Trainer]) -> None:
    keys = ["g_1_0", "g_0_0"]
    stored = {
        "prompts": [ids("1+1?")] * 2, "responses": [ids("no"), ids("two")], "rm_scores": [[0.0, 0.25], [0.0, 0.0, 1.0]],
        "response_mask": [[1, 1], [1, 1, 1]], "advantages": [[-0.5, -0.5], [0.5, 0.5, 0.5]],
        "reward_model": [{"ground_truth": "2"}] * 2,
    }  # fmt: skip
    asked: list[Any] = []

    def get(**named: Any) -> dict[str, Any]:
        asked.append(named)
        return stored

    with record.start(tmp_path, strict=True) as run:
        patch_v1(SimpleNamespace(PPOTrainer=trainer, tq=SimpleNamespace(kv_batch_get=get)), run)
        trainer()._log_rollout_data(SimpleNamespace(keys=keys, partition_id="train"), {}, {}, "dumps")
    assert asked[0]["keys"] == keys
    first, second = rollouts(tmp_path, 3)
    assert [texts(line)[1][1] for line in (first, second)] == ["two", "no"]
    assert [(line["group"], line["advantage"], line["reward"]) for line in (first, second)] == [
        ("g", 0.5, 1.0), ("g", -0.5, 0.25),
    ]  # fmt: skip


def test_a_batch_of_another_shape_stops_nothing(tmp_path: Path, trainer: type[Trainer]) -> None:
    with record.start(tmp_path) as run:
        patch_classic(SimpleNamespace(RayPPOTrainer=trainer), run)
        made = trainer()
        made._log_rollout_data(SimpleNamespace(batch={}, non_tensor_batch={}), {}, {}, "dumps")
    assert run.errors == 1
    assert made.dumped == [(1, "dumps")]


def test_it_is_installed_without_arguments(
    run_directory: Path, monkeypatch: pytest.MonkeyPatch, trainer: type[Trainer]
) -> None:
    module = ModuleType("verl.trainer.ppo.ray_trainer")
    module.RayPPOTrainer = trainer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    install()
    trainer()._log_rollout_data(batch(), None, {}, "dumps")
    shared_run().close()
    assert len(rollouts(run_directory, 3)) == 2


def test_training_is_no_validation_where_both_are_dumped_into_one_folder(
    tmp_path: Path, trainer: type[Trainer]
) -> None:
    one = SimpleNamespace(trainer={"rollout_data_dir": "dumps", "validation_data_dir": "dumps"})
    with record.start(tmp_path, strict=True) as run:
        patch_classic(SimpleNamespace(RayPPOTrainer=trainer), run)
        made = trainer()
        made.config = one
        made._log_rollout_data(batch(), {}, {}, "dumps")
        made._dump_generations(inputs=["q"], outputs=["a"], gts=["4"], scores=[1.0], dump_path="dumps")
    assert len(rollouts(tmp_path, 3)) == 2
    assert [line["reward"] for line in rollouts(tmp_path, 3, "eval_validation")] == [1.0]
    assert made.dumped == [(1, "dumps"), (1, "dumps")]


def test_a_version_whose_dumps_have_no_answers_is_recorded_and_not_disturbed(tmp_path: Path) -> None:
    class Older(Trainer):
        def _dump_generations(self, inputs: Any, outputs: Any, scores: Any, extra: Any, dump_path: str) -> None:  # type: ignore[override]
            self.dumped.append((len(inputs), dump_path))

    with record.start(tmp_path, strict=True) as run:
        patch_classic(SimpleNamespace(RayPPOTrainer=Older), run)
        made = Older()
        made._dump_generations(inputs=["q"], outputs=["a"], scores=[0.5], extra={}, dump_path="validation")
    assert [line["reward"] for line in rollouts(tmp_path, 3, "eval_validation")] == [0.5]
    assert made.dumped == [(1, "validation")]
