"""NeMo-RL's logs: slices of one, padded sequences, roles that only the template tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import fixture_path, write_jsonl
from tests.formats.opened import opened, texts

from rollscope.query.library import Library

HEADER = "<|im_start|>assistant\n"


def row(content: list[Any], **more: Any) -> dict[str, Any]:
    return {"content": [content], "rewards": [1.0], "idx": 0, **more}


def test_the_fixture_opens_with_exactly_its_samples() -> None:
    run = fixture_path("nemo_rl")
    records = []
    for name in ("train_data_step1", "train_data_step2", "val_data_step2"):
        lines = (run / "logs" / "exp_001" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        records += [(name, json.loads(line)) for line in lines]
    found = opened(run)
    assert len(found) == len(records) == 26
    for sample, (name, record) in zip(found, records, strict=True):
        assert sample.split == ("train" if name.startswith("train") else "eval/validation")
        assert sample.step == int(name[-1])
        assert sample.reward == record["rewards"][0]
        if sample.split != "train":
            assert texts(sample) == [(item["role"], item["content"]) for item in record["content"][0]]
            continue
        length, mask = record["input_lengths"][0], record["token_loss_mask"][0]
        first = mask.index(1)
        assert (sample.prompt_tokens, sample.completion_tokens, sample.total_tokens) == (first, length - first, length)
        assert sample.advantage == record["advantages"][0][first]
        assert "".join(message.text for message in sample.messages) == "".join(record["content"][0])
        tokens = sample.tokens
        assert tokens is not None
        assert tokens.ids == record["token_ids"][0][first:length]
        assert tokens.logprobs == record["generation_logprobs"][0][first:length]
        assert tokens.trainer_logprobs == record["prev_logprobs"][0][first:length]
        assert tokens.mask == mask[first:length]
    assert [
        len({sample.group for sample in found if sample.step == step and sample.split == "train"}) for step in (1, 2)
    ] == [3, 3]


def test_several_turns_are_told_by_the_template(tmp_path: Path) -> None:
    turns = ["<|im_start|>system\nBe brief.<|im_end|>\n", f"<|im_start|>user\n2 + 2?<|im_end|>\n{HEADER}"]
    turns += [f"5<|im_end|>\n<|im_start|>user\nNo.<|im_end|>\n{HEADER}", "4<|im_end|>"]
    write_jsonl(tmp_path / "train_data_step3.jsonl", [row(turns, sample_loss_mask=[0.0])])
    (sample,) = opened(tmp_path)
    assert [(message.role, message.turn) for message in sample.messages if message.text != HEADER] == [
        ("system", None),
        ("user", None),
        ("assistant", 0),
        ("user", 0),
        ("assistant", 1),
    ]
    assert sample.discard_reason == "left out of the loss (sample_loss_mask 0)"
    assert "".join(message.text for message in sample.messages) == "".join(turns)


@pytest.mark.parametrize("opened_thoughts", ["", "<think>\n", "<think>\n\n</think>\n\n"])
def test_a_prompt_of_several_texts_ends_at_the_assistants_header(tmp_path: Path, opened_thoughts: str) -> None:
    asked = ["<SPECIAL_10>System\nBe brief.\n", f"<SPECIAL_11>User\n2 + 2?\n<SPECIAL_11>Assistant\n{opened_thoughts}"]
    write_jsonl(tmp_path / "train_data_step3.jsonl", [row([*asked, "4"]), row([*asked, "5"])])
    found = opened(tmp_path)
    assert [message.role for message in found[0].messages] == ["system", "user", "assistant", "assistant"]
    assert [sample.messages[-1].text for sample in found] == ["4", "5"]
    assert [sample.group for sample in found] == [0, 0]


def test_without_markers_roles_alternate_and_it_is_said(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train_data_step1.jsonl", [row(["q", "a", "hint", "b"], filtered_rewards=[0.5])])
    (sample,) = opened(tmp_path)
    assert texts(sample) == [("user", "q"), ("assistant", "a"), ("user", "hint"), ("assistant", "b")]
    assert all(message.guessed for message in sample.messages)
    assert any("alternate" in note for note in sample.notes)
    assert sample.metrics == {"filtered_reward": 0.5}
    assert sample.tokens is None


def test_fewer_keys_nan_and_torn_lines(tmp_path: Path) -> None:
    good = json.dumps(row(["q", "a"], advantages=[[0.5, float("nan")]], token_loss_mask=[[0, 1]], input_lengths=[2]))
    (tmp_path / "train_data_step1.jsonl").write_text(f'{good}\n{{"content": []}}\n{good[:40]}')
    (tmp_path / "train_data_step2.jsonl").write_text("")
    (run,) = Library([tmp_path]).runs()
    assert [run.sample(row.address).reward for row in run.samples().rows] == [1.0, None]


def test_a_distillation_has_no_rewards_and_opens(tmp_path: Path) -> None:
    record = {"content": [[f"<|im_start|>user\nQ<|im_end|>\n{HEADER}", "A<|im_end|>"]], "input_lengths": [9], "idx": 0}
    write_jsonl(tmp_path / "exp_001" / "train_data_step4.jsonl", [record])
    (run,) = Library([tmp_path]).runs()
    (sample,) = opened(tmp_path)
    assert (run.format, sample.step, sample.reward) == ("nemo_rl", 4, None)
    assert [message.turn for message in sample.messages] == [None, None, 0]


def test_collected_trajectories_do_not_hide_the_steps_and_are_named(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train_data_step1.jsonl", [row(["q", "a"])])
    (plain,) = Library([tmp_path]).runs()
    assert not any("nemo_gym" in limit for limit in plain.details().limits)
    rollout = {"responses_create_params": {"input": "2 + 2?"}, "response": {"output": []}, "reward": 1.0}
    write_jsonl(tmp_path / "trajectory_collection.jsonl", [rollout])
    (run,) = Library([tmp_path]).runs()
    assert (run.format, run.splits) == ("nemo_rl", ["train"])
    assert any("nemo_gym" in limit for limit in run.details().limits)
    (collected,) = Library([tmp_path], format="nemo_gym").runs()
    assert collected.splits == ["eval/trajectory_collection"]


def test_a_log_of_tokens_alone_opens_and_says_that_it_has_no_text(tmp_path: Path) -> None:
    tokens = {"token_ids": [[1, 2, 3, 0]], "token_loss_mask": [[0.0, 1.0, 1.0, 0.0]], "input_lengths": [3]}
    other = {**tokens, "token_ids": [[9, 2, 3, 0]]}
    rows = [{**row, "rewards": [1.0], "idx": place} for place, row in enumerate((tokens, tokens, other))]
    write_jsonl(tmp_path / "train_data_step1.jsonl", rows)
    sample, twin, alone = opened(tmp_path)
    assert sample.group == twin.group != alone.group
    assert sample.tokens is not None
    assert (sample.reward, sample.prompt_tokens, sample.tokens.ids) == (1.0, 1, [2, 3])
    assert [(message.role, message.tokens) for message in sample.messages] == [("prompt", 1), ("assistant", 2)]
    assert sample.notes == ["Only token ids were written: the text needs the run's tokenizer."]


def test_token_ids_that_are_none_leave_the_sample_without_tokens(tmp_path: Path) -> None:
    tokens = {"token_ids": [[1, "x", 3]], "token_loss_mask": [[0, 1, 1]], "input_lengths": [3]}
    write_jsonl(tmp_path / "train_data_step1.jsonl", [row(["Q", "A"], **tokens)])
    (sample,) = opened(tmp_path)
    assert (sample.tokens, sample.completion_tokens) == (None, 2)
