"""A sample of telescope, whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.data_rows import ReadRun, assert_row_matches_sample, same
from tests.formats.data_telescope import (
    STEPS,
    kept_sample,
    write_archive,
)
from tests.formats.test_telescope import expected, the_run

from rollscope.formats.telescope import TelescopeFormat
from rollscope.model import Sample


def one_sample(tmp_path: Path, tables: dict[str, Any]) -> Sample:
    write_archive(tmp_path / "steps" / "tail.zip", tables, suffixes=STEPS)
    run = ReadRun(TelescopeFormat(), tmp_path)
    assert len(run.rows) == 1
    sample = run.load(run.rows[0])
    assert_row_matches_sample(run.rows[0], sample)
    return sample


@pytest.mark.parametrize(
    "name",
    [
        *("discarded_zero_advantage", "math_latex", "kept_off_policy", "tools_multi_turn"),
        *("discarded_max_async", "truncated_cjk", "tools_truncated"),
    ],
)
def test_a_sample_opens_whole(name: str) -> None:
    run, wanted = the_run(), expected()["samples"][name]
    rows = run.where(split="train", group=str(wanted["group_id"]))
    sample = next(
        sample for row in rows if (sample := run.load(row)).record["samples_data"]["sample_id"] == wanted["sample_id"]
    )
    roles = {"tool": "environment"}
    assert [(roles.get(message.role, message.role), message.text) for message in sample.messages] == [
        (turn["role"], turn["text"]) for turn in wanted["turns"]
    ]
    assert [message.turn for message in sample.messages] == [turn.get("generation_idx") for turn in wanted["turns"]]
    assert sample.step == (wanted["trainer_step"] if wanted["step"] is None else wanted["step"])
    assert sample.discard_reason == (None if wanted["status"] == "kept" else wanted["status"])
    assert sample.env == wanted["env"]
    assert sample.reward == pytest.approx(wanted["reward"])
    assert sample.advantage == pytest.approx(wanted["advantage"])
    assert sample.metrics == wanted["metrics"]
    assert sample.golden_answers == wanted["golden_answers"]
    assert dict(tag.split("=", 1) for tag in sample.tags) == wanted["tags"]
    assert sample.stop_reason == wanted["sample_stop_reason"]
    assert (sample.status == "truncated") == wanted["truncated"]
    assert sample.staleness == wanted["off_policy_steps"]
    for info in wanted["info_turns"]:
        call = info["tool_call_idx"]
        key = info["info_key"] if call < 0 else f"{info['info_key']} (tool call {call})"
        assert sample.turns[info["generation_idx"]].logs[key] == info["info_value"]
    for call in wanted["tool_calls"]:
        logged = sample.turns[call["generation_idx"]].logs[f"tool call {call['tool_call_idx']}"]
        fields = {field: value for field, value in call.items() if not field.endswith("_idx") and value != ""}
        assert fields.items() <= logged.items()


def test_turns_tools_agents_and_their_numbers(tmp_path: Path) -> None:
    tables = kept_sample(1, step=0, group=0, reward=1.0, texts=["<think>a</think>call", "cut…"])
    key = {"step": 0, "group_id": 0, "sample_id": 1}
    tables["tool_calls"] = [
        {
            **key,
            "agent_id": 0,
            "generation_idx": 0,
            "tool_call_idx": 0,
            "tool_name": "lookup",
            "result": "42",
            "success": True,
        }
    ]
    tables["generations"].append(
        {
            **key,
            "agent_id": 1,
            "generation_idx": 0,
            "content": "helper",
            "tokens": 2,
            "prompt_tokens": 5,
            "stop_reason": "stop",
        }
    )
    tables["turn_metrics"] = [
        {"step": 0, "sample_id": 1, "agent_id": 0, "generation_idx": 1, "metric_name": "speed", "value": 2.5}
    ]
    tables["env_responses"].append(
        {**key, "agent_id": 1, "generation_idx": 0, "content": "well done", "turn_type": "feedback", "tokens": 2}
    )
    sample = one_sample(tmp_path, {**tables, "samples_data": [{**tables["samples_data"][0], "num_generations": 3}]})
    assert [(m.role, m.name, m.text, m.turn) for m in sample.messages] == [
        ("user", None, "question 0", None),
        ("assistant", None, "<think>a</think>call", 0),
        ("tool", None, "result 0", 0),
        ("assistant", None, "cut…", 1),
        ("assistant", "agent 1", "helper", 2),
        ("environment", "feedback", "well done", 2),
    ]
    assert sample.messages[1].parts[0].type == "thinking"
    assert sample.messages[2].parts[0].name == "lookup"
    assert sample.turns[0].logs["tool call 0"] == {
        "tool_name": "lookup",
        "result": "42",
        "success": True,
        "truncated": False,
    }
    assert sample.turns[0].timings == {"env_response": 0.25}
    assert sample.turns[1].metrics == {"speed": 2.5}
    assert (sample.status, sample.stop_reason) == ("truncated", "final_answer")
    assert (sample.prompt_tokens, sample.completion_tokens, sample.total_tokens) == (9, 10 + 11 + 2, 40)
    assert sample.golden_answers == {"correct": "answer 0"}


def test_a_metric_that_is_not_a_number_stays_so(tmp_path: Path) -> None:
    tables = kept_sample(1, step=0, group=0, reward=float("nan"), texts=["x"])
    sample = one_sample(tmp_path, tables)
    assert same(sample.reward, float("nan"))
    assert sample.record["samples_data"]["reward"] == "NaN"
