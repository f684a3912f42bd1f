"""A trace of prime-rl as a sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.formats.test_prime_rl import episode, node, trace, write


def test_a_trace_left_out_of_the_batch_has_the_reason_its_record_tells(tmp_path: Path) -> None:
    kept = trace("kept")
    lost = [
        episode(trace("error", errors=[{"type": "SandboxError", "message": "gone"}], ok=False)),
        episode(trace("episode error"), errors=[{"type": "TaskError"}], ok=False),
        episode(trace("timeout", is_timeout=True)),
        episode(trace("zero", advantage=0.0)),
        episode(trace("filtered", advantage=None, info={"filters": {"gibberish": True, "repetition": False}})),
        episode(trace("unknown", advantage=None)),
    ]
    run = write(tmp_path, [episode(kept), *lost], [episode(kept)])
    assert [row.discard_reason for row in run.samples(discarded=True).rows] == [
        "error: SandboxError",
        "error: TaskError",
        "timeout",
        "zero_advantage",
        "gibberish",
        "not in the effective batch",
    ]
    assert [row.status for row in run.samples(discarded=None).rows][:4] == ["completed", "failed", "failed", "aborted"]
    assert "SandboxError: gone" in run.sample("train/3/1").notes


def test_a_flat_trace_of_older_versions(tmp_path: Path) -> None:
    info = {"env_name": "sums", "group_id": "g7", "episode_id": "e", "policy_version": 1}
    lines = [trace(name, info=info, run={"type": "train", "id": "r", "step": 3}) for name in ("a", "b")]
    run = write(tmp_path, lines, lines[:1])
    first, second = run.samples(discarded=None).rows
    assert (first.env, first.group, first.sampling_step, first.staleness, first.reward) == ("sums", "g7", 1, 2, 1.5)
    assert (first.discard_reason is None, second.discard_reason) == (True, "not in the effective batch")
    assert run.raw(first.address).endswith("It is a")


def test_an_episode_of_several_agents_is_a_sample_each(tmp_path: Path) -> None:
    solver = trace("solver", score=1.0, agent={"name": "solver"})
    judge = trace("judge", score=0.0, agent={"name": "judge"})
    run = write(tmp_path, [episode(solver, judge), episode(trace("alone"))], None)
    rows = run.samples(preview=True).rows
    assert [(row.address, row.reward) for row in rows] == [("train/3/0", 1.5), ("train/3/1", 0.5), ("train/3/2", 1.5)]
    assert [run.raw(row.address).splitlines()[-1][-6:] for row in rows] == ["solver", " judge", " alone"]
    assert [row.response_start for row in rows] == ["It is solver", "It is judge", "It is alone"]
    assert "One of 2 traces of its episode: judge." in run.sample("train/3/1").notes
    assert [hit.address for hit in run.search("It is judge")] == ["train/3/1"]
    assert [hit.address for hit in run.search("it is", ignore_case=True)] == ["train/3/0", "train/3/1", "train/3/2"]


def test_an_episode_that_failed_before_any_trace(tmp_path: Path) -> None:
    run = write(
        tmp_path, [episode(ok=False, errors=[{"type": "BootError", "message": "no image"}])], [episode(trace("x"))]
    )
    row = run.samples(discarded=True).rows[0]
    assert (row.status, row.discard_reason, row.reward) == ("failed", "error: BootError", None)
    assert "BootError: no image" in run.sample(row.address).notes


def test_weights_make_the_total_and_are_told(tmp_path: Path) -> None:
    run = write(tmp_path, [episode(trace("a", score=0.25))], None)
    sample = run.sample("train/3/0")
    assert (sample.reward, sample.rewards) == (0.75, {"correct": 0.25, "format": 1.0})
    assert sample.metrics == {"tools": 1.0}
    assert "The reward is 1 × correct + 0.5 × format." in sample.notes
    assert (sample.timings, sample.turns[0].timings) == ({"agent": 3.0}, {"generation": 2.5})


def test_the_path_to_the_last_call_is_the_conversation_and_branches_are_shown_beside_it(tmp_path: Path) -> None:
    nodes = [
        node("system", "Be brief.", None),
        node("user", "Question", 0),
        node("assistant", "first try", 1, advantages=[0.1]),
        node("assistant", "second try", 1, tokens=3, advantages=[0.2, 0.3], entropies=[0.5, 0.6]),
        node("tool", "result", 3),
        node("assistant", "done", 4, advantages=[0.4]),
    ]
    calls = [{"node": 2}, {"node": 3}, {"node": 5, "finish_reason": "length"}]
    run = write(tmp_path, [episode(trace("graph", nodes=nodes, calls=calls))], None)
    sample = run.sample("train/3/0")
    assert [(message.text, message.turn) for message in sample.messages] == [
        ("Be brief.", None),
        ("Question", None),
        ("second try", 0),
        ("result", 0),
        ("done", 1),
    ]
    (branch,) = sample.unmatched
    assert branch.title == "Another branch of this sample, after message 2"
    assert [message.text for message in branch.messages] == ["first try"]
    assert (sample.advantage, sample.status) == (None, "truncated")
    assert sample.tokens is not None
    assert sample.tokens.mask == [0, 1, 1, 0, 0, 0, 1]
    assert sample.tokens.advantage == [None, 0.2, 0.3, None, None, None, 0.4]
    assert sample.tokens.entropy == [None, 0.5, 0.6, None, None, None, None]
    assert [turn.completion_tokens for turn in sample.turns] == [2, 1]
    # It is found, and is no part of the answer: neither in lists and exported files nor for features.
    assert [hit.field for hit in run.search("first try")] == ["unmatched"]
    assert run.samples(where='response contains "first try"').total == 0
    assert run.samples(where='text contains "first try" and response contains "second try"').total == 1
    to = tmp_path.parent / f"{tmp_path.name}.jsonl"
    run.export(str(to), text=True)
    written = json.loads(to.read_text())
    assert (written["prompt"], written["response"]) == ("Be brief.\nQuestion", "second try\nresult\ndone")


@pytest.mark.parametrize("parents", [[5, 0], [1, 0], [0, 0], ["x", -1], [None, 9]])
def test_a_graph_that_leads_nowhere_is_shown_as_far_as_it_goes(tmp_path: Path, parents: list[Any]) -> None:
    nodes = [{**node("user", "q", None), "parent": parents[0]}, {**node("assistant", "a", None), "parent": parents[1]}]
    run = write(tmp_path, [episode(trace("odd", nodes=nodes))], None)
    assert run.raw("train/3/0").endswith("a")


@pytest.mark.parametrize(
    "damage",
    [{"nodes": "none"}, {"nodes": [1, None]}, {"calls": {}}, {"rewards": [1]}, {"metrics": 5}, {"task": []}, {"info": "x"},
     {"id": 7}, {"timing": {"agent": {"start": "x"}}}, {"errors": ["plain"]}],
)  # fmt: skip
def test_records_of_the_wrong_shape_open(tmp_path: Path, damage: dict[str, Any]) -> None:
    run = write(tmp_path, [episode(trace("good")), episode({**trace("bad"), **damage}), {"traces": 5, "task": {}}], [])
    rows = run.samples(discarded=None, preview=True).rows
    assert len(rows) == 3
    assert rows[0].reward == 1.5
    for row in rows:
        json.loads(run.sample_json(row.address))
    assert len(list(run.search("It is good"))) == 1
