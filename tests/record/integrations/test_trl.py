"""TRL's trainers, really training a tiny random model, recorded by the callback.

Needs torch and trl: `make test-trl` installs them. Skipped, with the reason, where they are not there;
`test_trl_generation.py` tests the same with objects of their shape.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import REPOSITORY
from tests.record.helpers import lines, rollouts

import rollscope

pytestmark = [pytest.mark.trl, pytest.mark.filterwarnings("default")]


@pytest.fixture(autouse=True, scope="module")
def needs_trl() -> None:
    pytest.importorskip("trl", reason="trl is not installed: make test-trl")


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


def digits(completions: list[str], log_extra: Any = None, answer: Any = None, **_: Any) -> list[float]:
    scores = [sum(letter.isdigit() for letter in text) / max(1, len(text)) for text in completions]
    if log_extra is not None:
        log_extra("letters", [len(text) for text in completions])
        log_extra("expected", [f"it should be {text}" for text in answer])
    return scores


def brevity(completions: list[str], **_: Any) -> list[float | None]:
    return [None if "a" in text else -len(text) / 100 for text in completions]


def train(directory: Path, *, trainer: str = "GRPO", evaluate: tuple[str, ...] = (), **settings: Any) -> Path:
    """A run of a few steps; ``evaluate`` says when ``evaluate()`` is called: before, after."""
    import trl
    from datasets import Dataset

    from rollscope.record.integrations.trl import RollscopeCallback

    names = tokenizer()
    data = Dataset.from_list([{"prompt": f"{a}+{a}=?", "answer": str(2 * a)} for a in range(12)])
    arguments = getattr(trl, f"{trainer}Config")(
        **{
            "output_dir": str(directory / "trainer"), "per_device_train_batch_size": 2 * GENERATIONS,
            "num_generations": GENERATIONS, "max_completion_length": 8, "max_steps": STEPS, "logging_steps": 1,
            "save_steps": 2, "eval_steps": 3, "eval_strategy": "steps", "per_device_eval_batch_size": GENERATIONS,
            "report_to": "none", "use_cpu": True, "disable_tqdm": True, "seed": 1, "reward_weights": [1.0, 0.5],
            "beta": 0.0, **settings,
        }
    )  # fmt: skip
    made = getattr(trl, f"{trainer}Trainer")(
        model=model(len(names), names.eos_token_id, names.pad_token_id),
        reward_funcs=[digits, brevity],
        args=arguments,
        train_dataset=data,
        eval_dataset=data.select(range(6)),
        processing_class=names,
    )
    callback = RollscopeCallback(directory / "run", env="sums", strict=True, tokens=True).attach(made)
    if "before" in evaluate:
        made.evaluate()
    made.train()
    if "after" in evaluate:
        made.evaluate()
        made.evaluate({"held out": data.select(range(8, 12))})
    if made.accelerator.is_main_process:
        callback.close()
    return directory / "run"


@pytest.fixture(scope="module")
def run_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(tmp_path_factory.mktemp("trl"))


def response(line: dict[str, Any]) -> str:
    return "".join(part.get("text", "") for part in line["messages"][1].get("parts", []))


def check_samples(samples: list[dict[str, Any]]) -> None:
    """Everything that the callback says of each completion agrees with its text and its row of the dataset."""
    groups: dict[int, list[dict[str, Any]]] = {}
    for line in samples:
        question, text = line["messages"][0]["parts"][0]["text"], response(line)
        assert line["golden_answers"] == {"answer": str(2 * int(question.split("+")[0]))}
        assert line["prompt_tokens"] == len(question)
        ids = line["tokens"]["ids"]
        assert line["completion_tokens"] == len(ids) <= 8
        assert line["total_tokens"] == len(question) + len(ids)
        # The tokenizer has one token per letter, and <pad> and <eos> are left out of the text.
        assert len(text) == sum(token < 42 for token in ids)
        assert line["stop_reason"] == ("stop" if ids[-1] >= 42 else "length")
        assert line["status"] == ("completed" if ids[-1] >= 42 else "truncated")
        assert line["rewards"]["digits"] == pytest.approx(digits([text])[0], abs=1e-5)
        expected = brevity([text])[0]
        assert line["rewards"].get("brevity") == (None if expected is None else pytest.approx(expected, abs=1e-5))
        assert line["reward"] == pytest.approx(line["rewards"]["digits"] + 0.5 * (expected or 0.0), abs=1e-5)
        assert line["metrics"] == {"letters": len(text)}
        assert line["turns"][0]["logs"] == {"expected": f"it should be {line['golden_answers']['answer']}"}
        assert line["env"] == "sums"
        groups.setdefault(line["group"], []).append(line)
    for group in groups.values():
        assert [line["index"] for line in group] == list(range(GENERATIONS))
        mean = sum(line["reward"] for line in group) / GENERATIONS
        assert all((line["advantage"] > 1e-3) == (line["reward"] > mean + 1e-4) for line in group)
        assert len({line["messages"][0]["parts"][0]["text"] for line in group}) == 1


def test_every_step_has_every_completion_with_all_that_is_known_of_it(run_directory: Path) -> None:
    for step in range(1, STEPS + 1):
        samples = rollouts(run_directory, step)
        assert len(samples) == 2 * GENERATIONS
        check_samples(samples)


def test_metrics_config_checkpoints_and_evaluation(run_directory: Path) -> None:
    rows = lines(run_directory / "metrics.jsonl")
    assert [row["step"] for row in rows] == [1, 2, 3]
    assert all({"loss", "rewards/digits/mean", "env/all/reward/total"} <= set(row) for row in rows)
    assert all(row["reward"] == pytest.approx(row["env/all/reward/total"], abs=1e-5) for row in rows)
    assert {"eval_reward", "eval/env/all/reward/total"} <= set(rows[2])
    assert json.loads((run_directory / "config.json").read_text())["trl"]["num_generations"] == GENERATIONS
    assert [line["batch"] for line in lines(run_directory / "checkpoints.jsonl")] == [2, 3]
    assert len(rollouts(run_directory, 3, "eval_eval")) == 6 * GENERATIONS


def test_an_evaluation_batch_larger_than_the_generation_batch_loses_nothing(tmp_path: Path) -> None:
    run = train(tmp_path, per_device_train_batch_size=4, per_device_eval_batch_size=8)
    samples = rollouts(run, 3, "eval_eval")
    assert len(samples) == 6 * GENERATIONS
    check_samples(samples)
    assert {line["messages"][0]["parts"][0]["text"] for line in samples} == {f"{a}+{a}=?" for a in range(6)}


def test_evaluations_before_and_after_training_are_recorded_each_in_its_step(tmp_path: Path) -> None:
    run = train(tmp_path, evaluate=("before", "after"), eval_strategy="no")
    for step, split, count in ((0, "eval_eval", 6), (3, "eval_eval", 6), (3, "eval_held_out", 4)):
        samples = rollouts(run, step, split)
        assert len(samples) == count * GENERATIONS
        check_samples(samples)
    rows = lines(run / "metrics.jsonl")
    assert [row["step"] for row in rows] == [0, 1, 2, 3]
    assert {"eval_reward", "eval_held out_reward", "held out/env/all/reward/total", "loss"} <= set(rows[3])


def test_rloo_is_recorded_alike(tmp_path: Path) -> None:
    run = train(tmp_path, trainer="RLOO")
    for step in range(1, STEPS + 1):
        check_samples(rollouts(run, step))
    check_samples(rollouts(run, 3, "eval_eval"))


def test_two_processes_are_recorded_whole_by_the_main_one(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    code = (
        "import sys; from pathlib import Path; from tests.record.integrations.test_trl import train\n"
        "train(Path(sys.argv[1]), per_device_train_batch_size=4, per_device_eval_batch_size=4, evaluate=('after',))"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            cwd=REPOSITORY,
            env={
                **os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(port), "ACCELERATE_USE_CPU": "true", "PYTHONPATH": str(REPOSITORY),
            },
        )
        for rank in (0, 1)
    ]  # fmt: skip
    assert [process.wait(timeout=300) for process in processes] == [0, 0]
    run = tmp_path / "run"
    for step in range(1, STEPS + 1):
        samples = rollouts(run, step)
        assert len(samples) == 2 * GENERATIONS
        check_samples(samples)
    check_samples(rollouts(run, 3, "eval_eval"))
    assert [row["step"] for row in lines(run / "metrics.jsonl")] == [1, 2, 3]
    assert not list(run.glob("*.rank1.*"))
    assert len(rollscope.open(run).samples(split="train", discarded=None)) == STEPS * 2 * GENERATIONS
