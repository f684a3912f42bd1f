"""Rollouts in flight are pending samples until they land."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.fixtures import write_jsonl
from tests.formats.prime_rl.test_stream import TRACES, episode, samples, shipped

import rollscope

DISPATCH = {"id": "d9", "kind": "train", "env": "env", "group": "g", "task": "four", "policy_version": 2, "step": 3}


def live_lines() -> list[dict[str, Any]]:
    """A rollout as it is written turn by turn: its head, what came since, what changed, and the request under way."""
    task = {"type": "Task", "data": {"idx": 1, "answer": "4"}, "key": "four"}
    asked = {
        "parent": None,
        "message": {"role": "user", "content": "q"},
        "sampled": False,
        "token_ids": [1],
        "mask": [False],
    }
    said = {"parent": 0, "message": {"role": "assistant", "content": "so far"}, "sampled": True,
            "token_ids": [2], "mask": [True], "logprobs": [-0.5]}  # fmt: skip
    call = {"node": 1, "finish_reason": "tool_calls", "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    opened = {"trace": "t9", "open": {"version": 1, "id": "t9", "task": task}, "set": {"rewards": {}, "ok": True}}
    return [
        {**opened, "dispatch": DISPATCH},
        {"trace": "t9", "nodes": [asked, said], "calls": [call], "set": {"metrics": {"turns": 1.0}}},
        {"trace": "t9", "pending": [{"role": "tool", "content": "found 4"}]},
    ]


def test_rollouts_in_flight_are_pending_until_they_land(tmp_path: Path) -> None:
    traces = tmp_path / TRACES
    write_jsonl(traces / "stream" / "00000.jsonl", [episode(0)])
    write_jsonl(traces / "stream.index.jsonl", [{"line": 1, "chunk": 0, "offset": 0, "id": "e0", "trace_ids": ["t0"]}])
    write_jsonl(traces / "annotations" / "orch" / "00000.jsonl", [shipped(0, 3)])
    live = write_jsonl(traces / "live" / "t9.jsonl", live_lines())
    (traces / "live" / "pending").mkdir()
    (traces / "live" / "pending" / "d8.json").write_text(json.dumps({**DISPATCH, "id": "d8", "kind": "eval"}))
    write_jsonl(traces / "live" / "t0.jsonl", live_lines())
    found = samples(tmp_path)
    assert [(s.address, s.status, s.group, s.sampling_step) for s in found] == [
        ("train/3/0", None, "g", None),
        ("train/3/1", "pending", "g", 2),
        ("eval/env/3/0", "pending", "g", 2),
    ]
    assert [message.text for message in found[1].messages] == ["q", "so far", "found 4"]
    assert (found[1].golden_answers, found[1].metrics) == ({"answer": "4"}, {"turns": 1.0})
    assert found[1].tokens is not None
    assert found[1].tokens.logprobs[0] == -0.5
    assert [hit.address for hit in rollscope.open(tmp_path).search("so far")] == ["train/3/1"]
    assert rollscope.open(tmp_path).guessed() == []
    # The next turn lands: what was under way is part of it, and a torn line waits.
    more = {"parent": 1, "message": {"role": "tool", "content": "found 4"}, "sampled": False}
    with live.open("a") as file:
        file.write(json.dumps({"trace": "t9", "nodes": [more]}) + '\n{"trace": "t9", "nodes": [{"par')
    assert [message.text for message in samples(tmp_path)[1].messages] == ["q", "so far", "found 4"]
    shutil.rmtree(live.parent)
    assert [s.address for s in samples(tmp_path)] == ["train/3/0"]


def test_a_run_so_young_that_nothing_has_landed(tmp_path: Path) -> None:
    write_jsonl(tmp_path / TRACES / "live" / "t9.jsonl", live_lines())
    assert [(sample.address, sample.status) for sample in samples(tmp_path)] == [("train/3/0", "pending")]


def test_a_request_whose_rollout_has_begun_is_not_pending_as_well(tmp_path: Path) -> None:
    live = tmp_path / TRACES / "live"
    write_jsonl(live / "t9.jsonl", live_lines())
    (live / "pending").mkdir()
    for name in ("d9", "d10"):
        (live / "pending" / f"{name}.json").write_text(json.dumps({**DISPATCH, "id": name}))
    assert [[message.text for message in s.messages] for s in samples(tmp_path)] == [["q", "so far", "found 4"], []]
