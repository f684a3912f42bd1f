"""OpenAI-style conversations and verl records become samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.record.helpers import one_sample

from rollscope.record.integrations.messages import sample_from_messages, sample_from_verl

CONVERSATION: list[dict[str, Any]] = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": "2 + 2?"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "add", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "1", "content": "4"},
    {"role": "assistant", "content": "It is 4.", "finish_reason": "stop"},
]


def test_a_conversation(tmp_path: Path) -> None:
    line = one_sample(tmp_path, **sample_from_messages(CONVERSATION, reward=1.0, env="sums"))
    assert [(item["role"], item.get("turn")) for item in line["messages"]] == [
        ("system", None),
        ("user", None),
        ("assistant", 0),
        ("tool", 0),
        ("assistant", 1),
    ]
    assert (line["reward"], line["env"], line["stop_reason"], line["status"]) == (1.0, "sums", "stop", "completed")


def test_a_verl_dataset_row_with_its_rollout(tmp_path: Path) -> None:
    row = {
        "data_source": "openai/gsm8k",
        "prompt": [{"role": "user", "content": "2 + 2?"}],
        "reward_model": {"style": "rule", "ground_truth": "4"},
        "extra_info": {"index": 17, "split": "train"},
        "output": "It is 4.",
        "score": 1.0,
        "acc": True,
        "step": 3,
    }
    line = one_sample(tmp_path, **sample_from_verl(row))
    assert line["dataset"] == "openai/gsm8k"
    assert line["golden_answers"] == {"ground_truth": "4"}
    assert line["prompt_id"] == "17"
    assert line["reward"] == 1.0
    assert line["metrics"] == {"acc": 1.0}
    assert [item["role"] for item in line["messages"]] == ["user", "assistant"]


def test_a_verl_rollout_dump(tmp_path: Path) -> None:
    line = one_sample(tmp_path, **sample_from_verl({"input": "2 + 2?", "output": "4", "gts": "4", "score": 0.5}))
    assert [item["parts"][0]["text"] for item in line["messages"]] == ["2 + 2?", "4"]
    assert line["golden_answers"] == {"ground_truth": "4"}


def test_a_multi_turn_verl_record_and_what_the_caller_adds(tmp_path: Path) -> None:
    line = one_sample(tmp_path, **sample_from_verl({"messages": CONVERSATION, "score": 0.0}, reward=0.25))
    assert line["num_turns"] == 2
    assert line["reward"] == 0.25
