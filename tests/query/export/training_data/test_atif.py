"""Trajectories: the reader of ATIF gives back what was written."""

from __future__ import annotations

import math
from pathlib import Path

from tests.fixtures import fixture_path

import rollscope
from rollscope.formats.harbor.atif import messages_of, steps_of
from rollscope.model import Sample
from rollscope.query.export.training_data.atif import trajectory
from rollscope.render import messages_from_chat

CHAT = [
    {"role": "system", "content": "Use the tools."},
    {"role": "user", "content": "Count."},
    {
        "role": "assistant",
        "reasoning_content": "I should look.",
        "content": "",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": {"path": "/"}}}],
    },
    {"role": "tool", "content": "a b c", "tool_call_id": "c1"},
    {"role": "assistant", "content": "Three."},
]


def test_tool_results_are_observations_of_the_step_that_called() -> None:
    sample = Sample(address="train/0/1", messages=messages_from_chat(CHAT, turn=0), reward=0.5, env="shell")
    found = trajectory(sample, "run")
    assert [step["source"] for step in found["steps"]] == ["system", "user", "agent", "agent"]
    assert [step["step_id"] for step in found["steps"]] == [1, 2, 3, 4]
    called = found["steps"][2]
    assert called["reasoning_content"] == "I should look."
    assert called["tool_calls"] == [{"tool_call_id": "c1", "function_name": "ls", "arguments": {"path": "/"}}]
    assert called["observation"] == {"results": [{"content": "a b c", "source_call_id": "c1"}]}
    assert (found["session_id"], found["extra"]) == ("run/train/0/1", {"address": "train/0/1", "reward": 0.5})


def test_numbers_that_json_has_no_word_for_are_null_and_named() -> None:
    rewards = {"format": math.inf, "answer": 1.0}
    found = trajectory(Sample(address="train/0/1", reward=math.nan, advantage=0.5, rewards=rewards), "run")
    assert found["extra"] == {
        "address": "train/0/1",
        "reward": None,
        "advantage": 0.5,
        "rewards": {"format": None, "answer": 1.0},
        "nonfinite": {"reward": "NaN", "rewards.format": "Infinity"},
    }


def test_what_is_read_back_says_the_same() -> None:
    sample = Sample(address="train/0/1", messages=messages_from_chat(CHAT, turn=0))
    again = messages_of(steps_of([trajectory(sample, "run")]))
    assert [(m.role, [(p.type, p.content) for p in m.parts]) for m in again] == [
        (m.role, [(p.type, p.content) for p in m.parts]) for m in sample.messages
    ]


def test_a_file_of_trajectories_opens(tmp_path: Path) -> None:
    run = rollscope.open(fixture_path("prime_rl"))
    manifest = run.export_training_data(str(tmp_path / "all.jsonl"), "atif")
    again = rollscope.open(tmp_path)
    assert again.format == "harbor"
    assert again.samples(limit=None).total == manifest.rows > 0
    texts = [said(run.sample(row.address)) for row in run.samples(discarded=None, limit=None).rows]
    assert sorted(said(again.sample(row.address)) for row in again.samples(limit=None).rows) == sorted(
        filter(None, texts)
    )


def said(sample: Sample) -> str:
    return "\n".join(part.content.strip() for message in sample.messages for part in message.parts if part.text.strip())
