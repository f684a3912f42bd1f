"""Files of training data and their manifests."""

from __future__ import annotations

import hashlib
import json
import os
import string
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record, write_relax

import rollscope
from rollscope.errors import UnreadableError, UsageError
from rollscope.query.export.training_data.recipes import Recipe
from rollscope.query.export.training_data.write import manifest_path
from rollscope.query.run import Run

KEY = "AKIA" + "ABCDEFGH12345678"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return rollscope.open(write_relax(tmp_path / "run", steps=2, samples=8))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_manifest_says_what_the_file_is(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "good.jsonl"
    made = run.export_training_data(str(path), "sft", where="step = 1 and reward > 0.3")
    expected = run.samples(where="step = 1 and reward > 0.3", discarded=None, limit=None).rows
    assert [row["address"] for row in lines(path)] == [row.address for row in expected]
    manifest = json.loads(Path(manifest_path(str(path))).read_text())
    assert manifest["as"] == "sft"
    assert (manifest["where"], manifest["rows"]) == ("step = 1 and reward > 0.3", len(expected))
    assert manifest["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest() == made.sha256


def test_the_source_hash_follows_the_samples(run: Run, tmp_path: Path) -> None:
    def source() -> str:
        return run.export_training_data(str(tmp_path / "a.jsonl"), "kto").source

    first = source()
    assert source() == first
    write_jsonl(Path(run.path) / "train" / "1.jsonl", [relax_record(1, number, reward=0.5) for number in range(8)])
    run.refresh()
    assert source() != first


def test_evals_are_no_training_data_unless_they_are_asked_for(run: Run, tmp_path: Path) -> None:
    write_jsonl(Path(run.path) / "eval" / "0.jsonl", [relax_record(0, number, dataset="aime") for number in range(4)])
    path = tmp_path / "good.jsonl"

    def splits(**asked: Any) -> set[str]:
        run.export_training_data(str(path), **asked)
        return {row["address"].partition("/")[0] for row in lines(path)}

    assert splits(recipe="sft") == {"train"}
    left_out = json.loads(Path(manifest_path(str(path))).read_text())["left_out"]
    assert left_out == {"it is of an eval set, and no split was named": 4}
    assert splits(recipe="kto") == {"train"}
    assert splits(recipe="sft", split=run.splits[1]) == {"eval"}
    assert splits(recipe="sft", where='split != "train"') == {"eval"}, "nothing of training was selected"


def test_pairs_come_from_groups_that_lie_apart(tmp_path: Path) -> None:
    records = [relax_record(0, number, group_index=number % 2, prompt=f"{number % 2}?") for number in range(8)]
    write_jsonl(tmp_path / "run" / "train" / "0.jsonl", records)
    run = rollscope.open(tmp_path / "run")
    run.export_training_data(str(tmp_path / "pairs.jsonl"), "dpo")
    pairs = lines(tmp_path / "pairs.jsonl")
    for group, pair in enumerate(pairs):
        rewards = [record["reward"] for record in records if record["group_index"] == group]
        found = [run.sample(pair[name]).reward for name in ("chosen_address", "rejected_address")]
        assert found == [max(rewards), min(rewards)]
    assert len(pairs) == 2


def test_secrets_are_replaced_unless_they_are_kept(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "run" / "train" / "0.jsonl", [relax_record(0, 0, response=f"use {KEY}")])
    run = rollscope.open(tmp_path / "run")
    made = run.export_training_data(str(tmp_path / "a.jsonl"), "sft")
    assert made.secrets == {"aws_access_key": 1}
    assert KEY not in (tmp_path / "a.jsonl").read_text()
    assert run.export_training_data(str(tmp_path / "b.jsonl"), "sft", keep_secrets=True).secrets is None
    assert KEY in (tmp_path / "b.jsonl").read_text()


def test_a_lone_surrogate_leaves_a_file_that_opens(tmp_path: Path) -> None:
    (tmp_path / "run" / "train").mkdir(parents=True)
    record = json.dumps(relax_record(0, 0, response="a \ud800 b"))
    (tmp_path / "run" / "train" / "0.jsonl").write_text(record + "\n")
    rollscope.open(tmp_path / "run").export_training_data(str(tmp_path / "a.jsonl"), "sft")
    assert lines(tmp_path / "a.jsonl")[0]["messages"][-1]["content"].startswith("a ")


def test_what_cannot_be_written_is_said_and_leaves_nothing(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.jsonl"):
        run.export_training_data(str(tmp_path / "a.parquet"), "sft")
    with pytest.raises(UsageError, match="own folder"):
        run.export_training_data(str(Path(run.path) / "a.jsonl"), "sft")
    with pytest.raises(UnreadableError, match="nowhere"):
        run.export_training_data(str(tmp_path / "nowhere" / "a.jsonl"), "sft")
    with pytest.raises(UsageError, match="below 0"):
        run.export_training_data(str(tmp_path / "a.jsonl"), "dpo", margin=-1.0)
    with pytest.raises(UsageError, match="no training data 'grpo'"):
        run.export_training_data(str(tmp_path / "a.jsonl"), "grpo")  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.trl
@pytest.mark.parametrize("recipe", ["sft", "dpo", "kto"])
def test_a_trainer_of_trl_takes_the_file_unchanged(run: Run, tmp_path: Path, recipe: Recipe) -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"
    import trl
    from datasets import load_dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    path = tmp_path / f"{recipe}.jsonl"
    run.export_training_data(str(path), recipe)
    data = load_dataset("json", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))
    vocabulary = {sign: place for place, sign in enumerate(["<pad>", "<eos>", *string.printable])}
    letters = Tokenizer(models.WordLevel(vocabulary, unk_token="<pad>"))
    letters.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=letters, pad_token="<pad>", eos_token="<eos>")
    tokenizer.chat_template = "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\\n' }}{% endfor %}"
    size = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "head_dim": 8}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1}
    config = Qwen3Config(vocab_size=len(vocabulary), **size, **heads)
    trainer, settings = (getattr(trl, f"{recipe.upper()}{kind}") for kind in ("Trainer", "Config"))
    how = settings(
        output_dir=str(tmp_path / "out"), max_steps=1, max_length=256, report_to=[], use_cpu=True, bf16=False,
        per_device_train_batch_size=2, save_strategy="no",
    )  # fmt: skip
    reference = {} if recipe == "sft" else {"ref_model": Qwen3ForCausalLM(config)}
    model = Qwen3ForCausalLM(config)
    done = trainer(model=model, args=how, train_dataset=data, processing_class=tokenizer, **reference).train()
    assert done.training_loss > 0
