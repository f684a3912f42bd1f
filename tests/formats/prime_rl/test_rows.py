"""The scalars of prime-rl's lines: what an Episode and its traces say of reward, end, environment and step."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rollscope.formats.base import Source
from rollscope.formats.prime_rl.rows import (
    JUDGED,
    UNSHIPPED,
    AgentTrace,
    Episode,
    columns,
    components,
    discard_reason,
    dispatch_step,
    kind_of,
    one_advantage,
    status,
    total_reward,
    values,
)

TRAIN = Source(path="a.jsonl", split="train", step=3)


def episode(**fields: Any) -> Episode:
    return msgspec.convert(fields, Episode)


def trace(**fields: Any) -> AgentTrace:
    return msgspec.convert(fields, AgentTrace)


def test_every_trace_of_an_episode_is_a_row_and_one_without_traces_a_failed_one() -> None:
    rows = [
        episode(id="e1", ok=True, traces=[{"id": "a", "rewards": {"r": 1.0}}, {"id": "b"}]),
        episode(id="e2", traces=[]),
        episode(id="flat", rewards={"r": 0.5}),
    ]
    found = columns(rows, TRAIN, lambda row, source: source)
    assert found["key"] == ["a", "b", "e2", "flat"]
    assert found["member"] == [None, "1", None, None]
    assert found["reward"] == [1.0, None, None, 0.5]
    assert found["status"][2] == "failed"


def test_components_are_weighted_in_the_total_and_unscored_ones_left_out() -> None:
    found = components({"a": {"score": 1.0, "weight": 0.5}, "b": 0.25, "c": {"score": None}, "d": "x"})
    assert found == {"a": (1.0, 0.5), "b": (0.25, 1.0)}
    assert (total_reward(found), total_reward({})) == (0.75, None)
    assert components("torn") == {}


def test_an_advantage_is_one_where_all_tokens_agree() -> None:
    assert one_advantage([[0.5, None, 0.5], None, [0.5]]) == 0.5
    assert one_advantage([[0.5, 0.25]]) is None
    assert one_advantage([]) is None


@pytest.mark.parametrize(
    ("ok", "timeout", "fields", "expected"),
    [
        (True, True, {}, "aborted"),
        (False, False, {"is_completed": True}, "failed"),
        (None, False, {}, None),
        (True, False, {"stop_condition": "max_turns"}, "truncated"),
        (True, False, {"calls": [{"finish_reason": "length"}, {"error": "e"}]}, "truncated"),
        (True, False, {"is_completed": True, "calls": [{"finish_reason": "stop"}]}, "completed"),
        (True, False, {}, None),
    ],
)
def test_how_a_trace_ended(ok: bool | None, timeout: bool, fields: dict[str, Any], expected: str | None) -> None:
    assert status(ok, timeout, trace(**fields)) == expected


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"errors": [{"type": "SandboxError"}]}, "error: SandboxError"),
        ({"errors": ["torn"]}, "error"),
        ({"is_timeout": True}, "timeout"),
        ({"ok": False}, "failed"),
        ({"info": {"filters": {"gibberish": True, "short": False}}}, "gibberish"),
        ({"info": {"advantage": 0.0}}, "zero_advantage"),
        ({}, "not in the effective batch"),
    ],
)
def test_why_a_trace_was_left_out(fields: dict[str, Any], reason: str) -> None:
    row = episode(traces=[])
    assert discard_reason(row, trace(**fields), msgspec.structs.replace(TRAIN, note=JUDGED)) == reason


def test_a_trace_is_discarded_only_where_the_source_tells_the_others() -> None:
    row = episode(id="e")
    assert values(row, row, TRAIN)["discard_reason"] is None
    shipped = msgspec.structs.replace(TRAIN, note=UNSHIPPED)
    assert values(row, row, shipped)["discard_reason"] == "never shipped to the trainer"


def test_what_is_known_of_the_work_an_episode_was_asked_for() -> None:
    evaluated = episode(run={"type": "train", "work": {"type": "eval", "step": 4}}, traces=[])
    stamped = episode(run={"work": {"type": "eval"}}, traces=[{"info": {"kind": "train", "arrival": {"step": 7.0}}}])
    assert (kind_of(evaluated), dispatch_step(evaluated)) == ("eval", 4)
    assert (kind_of(stamped), dispatch_step(stamped)) == ("train", 7)
    assert (kind_of(episode()), dispatch_step(episode())) == ("eval", None)


def test_an_evaluation_s_split_is_its_environment() -> None:
    row = episode(env={"id": "aime"})
    assert values(row, row, Source(path="b.jsonl", split="eval"))["split"] == "eval/aime"
    assert values(row, row, TRAIN)["split"] is None


def test_samples_of_one_task_have_one_prompt() -> None:
    one, same, other = (episode(env={"id": "m"}, task={"key": key}) for key in ("t1", "t1", "t2"))
    hashes = [values(row, row, TRAIN)["prompt_hash"] for row in (one, same, other)]
    assert hashes[0] == hashes[1] != hashes[2]
    assert values(episode(), episode(), TRAIN)["prompt_hash"] is None
