"""Episodes of verifiers: as JSON that verifiers itself wrote (tests/data), and as its objects."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.fixtures import REPOSITORY
from tests.record.helpers import rollouts
from tests.record.integrations.trainers import texts

from rollscope import record
from rollscope.record.integrations.verifiers import record_episode

STREAM = REPOSITORY / "tests/data/prime_rl_stream"


def node(role: str, content: str, parent: int | None, **more: Any) -> dict[str, Any]:
    return {"message": {"role": role, "content": content}, "parent": parent, "sampled": role == "assistant", **more}


def episode(**more: Any) -> dict[str, Any]:
    nodes = [
        node("user", "1+1?", None, token_ids=[1, 2], mask=[False, False]),
        node("assistant", "ask", 0, token_ids=[3, 4], mask=[False, True], logprobs=[-0.5]),
        node("tool", "told", 1, token_ids=[5], mask=[False]),
        node("assistant", "two", 2, token_ids=[6], mask=[True], logprobs=[-0.25]),
    ]
    trace = {
        "id": "x", "nodes": nodes, "rewards": {"correct": {"score": 1.0, "weight": 0.5}, "judge": None},
        "metrics": {"turns": 2.0, "none": None}, "is_completed": True, "ok": True, "stop_condition": "agent_completed",
        "task": {"type": "T", "data": {"prompt": "1+1?", "answer": "2"}},
    }  # fmt: skip
    return {
        "env": {"id": "sums"}, "group": {"id": "g1"}, "traces": [trace],
        "run": {"type": "train", "work": {"type": "train", "step": 5, "policy": {"start": 3, "end": 4}}}, **more,
    }  # fmt: skip


@pytest.mark.usefixtures("with_tokens")
def test_an_episode_knows_its_step_its_group_and_its_policy(tmp_path: Path) -> None:
    with record.start(tmp_path, strict=True) as run:
        record_episode(run, episode())
        record_episode(run, SimpleNamespace(model_dump=lambda **_: episode()))
    first, second = rollouts(tmp_path, 5)
    assert texts(first) == texts(second)
    assert texts(first) == [("user", "1+1?"), ("assistant", "ask"), ("tool", "told"), ("assistant", "two")]
    assert [(line["group"], line["index"]) for line in (first, second)] == [("g1", 0), ("g1", 1)]
    assert (first["reward"], first["rewards"], first["metrics"]) == (0.5, {"correct": 1.0}, {"turns": 2.0})
    assert (first["sampling_step"], first["staleness"], first["env"]) == (3, 2, "sums")
    assert (first["prompt_tokens"], first["completion_tokens"], first["total_tokens"]) == (2, 2, 6)
    assert first["tokens"] == {"ids": [3, 4, 5, 6], "logprobs": [0.0, -0.5, 0.0, -0.25], "mask": [0, 1, 0, 1]}
    assert (first["golden_answers"], first["status"]) == ({"answer": "2"}, "completed")


def test_evaluations_failures_and_single_traces(tmp_path: Path) -> None:
    failed = episode(run={"type": "eval", "work": {"step": 2}})
    failed["traces"][0] |= {"ok": False, "errors": [{"type": "Boom", "message": "no"}], "rewards": {}}
    with record.start(tmp_path, strict=True) as run:
        record_episode(run, failed)
        record_episode(run, episode()["traces"][0], step=2, evaluation="held out")
    [line] = rollouts(tmp_path, 2, "eval_sums")
    assert line["status"] == "failed"
    assert "reward" not in line
    assert line["turns"][0]["logs"]["errors"][0]["type"] == "Boom"
    assert len(rollouts(tmp_path, 2, "eval_held_out")) == 1


def test_lines_that_verifiers_wrote(tmp_path: Path) -> None:
    found = list(STREAM.rglob("stream/*.jsonl"))
    assert found
    lines = [json.loads(line) for path in found for line in path.read_text().splitlines()]
    with record.start(tmp_path, strict=True) as run:
        for number, line in enumerate(lines):
            record_episode(run, line, step=number)
    for number, line in enumerate(lines):
        recorded = rollouts(tmp_path, number)
        assert len(recorded) == len(line["traces"])
        for sample, trace in zip(recorded, line["traces"]):
            scores = [item for item in trace.get("rewards", {}).values() if item]
            expected = sum(item["score"] * item.get("weight", 1.0) for item in scores)
            assert sample.get("reward") == (pytest.approx(expected) if scores else None)
            assert len(sample["messages"]) <= len(trace["nodes"])
