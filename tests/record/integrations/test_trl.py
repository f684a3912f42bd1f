"""TRL's GRPOTrainer, really training a tiny random model, recorded by the callback.

Needs torch and trl: `pip install torch trl`, then `pytest -m trl`. Skipped, with the reason, where they are not there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.record.helpers import lines, rollouts

pytest.importorskip("trl", reason="trl is not installed: pip install torch trl")
pytestmark = [pytest.mark.trl, pytest.mark.filterwarnings("default")]

STEPS, GENERATIONS = 3, 4


def tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = [*"0123456789+-=? abcdefghijklmnopqrstuvwxyz.", "<pad>", "<eos>"]
    inner = Tokenizer(models.WordLevel({letter: place for place, letter in enumerate(alphabet)}, unk_token="<pad>"))
    inner.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    inner.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", eos_token="<eos>")


def model(vocabulary: int, eos: int, pad: int) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=vocabulary, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=128, eos_token_id=eos, pad_token_id=pad, bos_token_id=None,
    )  # fmt: skip
    return LlamaForCausalLM(config)


def digits(completions: list[str], **_: Any) -> list[float]:
    return [sum(letter.isdigit() for letter in text) / max(1, len(text)) for text in completions]


def brevity(completions: list[str], **_: Any) -> list[float | None]:
    return [None if "a" in text else -len(text) / 100 for text in completions]


@pytest.fixture(scope="module")
def run_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    from rollscope.record.integrations.trl import RollscopeCallback

    directory = tmp_path_factory.mktemp("trl")
    names = tokenizer()
    data = Dataset.from_list([{"prompt": f"{a}+{a}=?", "answer": str(2 * a)} for a in range(12)])
    arguments = GRPOConfig(
        output_dir=str(directory / "trainer"), per_device_train_batch_size=2 * GENERATIONS, num_generations=GENERATIONS,
        max_completion_length=8, max_steps=STEPS, logging_steps=1, save_steps=2, eval_steps=3, eval_strategy="steps",
        per_device_eval_batch_size=GENERATIONS, report_to="none", use_cpu=True, disable_tqdm=True, seed=1,
        reward_weights=[1.0, 0.5], beta=0.0,
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=model(len(names), names.eos_token_id, names.pad_token_id),
        reward_funcs=[digits, brevity],
        args=arguments,
        train_dataset=data,
        eval_dataset=data.select(range(2)),
        processing_class=names,
    )
    RollscopeCallback(directory / "run", env="sums", strict=True).attach(trainer)
    trainer.train()
    return directory / "run"


def test_every_step_has_every_completion(run_directory: Path) -> None:
    for step in range(1, STEPS + 1):
        samples = rollouts(run_directory, step)
        assert len(samples) == 2 * GENERATIONS
        assert [(line["group"], line["index"]) for line in samples] == [
            (group, index) for group in range(2) for index in range(GENERATIONS)
        ]


def test_rewards_by_function_their_weighted_total_and_advantages(run_directory: Path) -> None:
    for step in range(1, STEPS + 1):
        groups: dict[int, list[dict[str, Any]]] = {}
        for line in rollouts(run_directory, step):
            text = line["messages"][1]["parts"][0]["text"] if len(line["messages"]) > 1 else ""
            assert line["rewards"]["digits"] == pytest.approx(digits([text])[0], abs=1e-5)
            expected = brevity([text])[0]
            assert line["rewards"].get("brevity") == (None if expected is None else pytest.approx(expected, abs=1e-5))
            assert line["reward"] == pytest.approx(line["rewards"]["digits"] + 0.5 * (expected or 0.0), abs=1e-5)
            groups.setdefault(line["group"], []).append(line)
        for group in groups.values():
            mean = sum(line["reward"] for line in group) / GENERATIONS
            assert all((line["advantage"] > 0) == (line["reward"] > mean + 1e-6) for line in group)
            assert len({line["messages"][0]["parts"][0]["text"] for line in group}) == 1


def test_sizes_golden_answers_and_status(run_directory: Path) -> None:
    for line in rollouts(run_directory, 1):
        question = line["messages"][0]["parts"][0]["text"]
        assert line["golden_answers"] == {"answer": str(2 * int(question.split("+")[0]))}
        assert 1 <= line["completion_tokens"] <= 8
        assert line["prompt_tokens"] == len(question)
        assert line["status"] in ("completed", "truncated")
        assert line["env"] == "sums"


def test_metrics_config_checkpoints_and_evaluation(run_directory: Path) -> None:
    rows = lines(run_directory / "metrics.jsonl")
    logged = {row["step"]: row for row in rows if "loss" in row}
    assert sorted(logged) == [1, 2, 3]
    assert "rewards/digits/mean" in logged[1]
    assert json.loads((run_directory / "config.json").read_text())["trl"]["num_generations"] == GENERATIONS
    assert [line["batch"] for line in lines(run_directory / "checkpoints.jsonl")] == [2, 3]
    assert len(rollouts(run_directory, 3, "eval_eval")) == 2 * GENERATIONS


def test_a_trainer_whose_insides_changed_still_trains(tmp_path: Path) -> None:
    from types import SimpleNamespace

    from rollscope.record.integrations.trl import RollscopeCallback

    trainer = SimpleNamespace(
        callback_handler=SimpleNamespace(callbacks=[]),
        add_callback=lambda _: None,
        accelerator=SimpleNamespace(is_main_process=True),
        _generate_and_score_completions=lambda _: "its output",
    )
    callback = RollscopeCallback(tmp_path).attach(trainer)
    assert trainer._generate_and_score_completions([]) == "its output"
    assert callback.run.errors == 1
    callback.run.close()
