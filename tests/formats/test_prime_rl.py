"""prime-rl and verifiers v1: what is in `all` and not in `effective` was discarded; a graph of messages reads as a talk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import fixture_path, write_jsonl
from tests.formats.data_rows import ReadRun
from tests.formats.naive import naive_records

import rollscope
from rollscope.formats.prime_rl import PrimeRlFormat
from rollscope.query.run import Run


def weighted(trace: dict[str, Any]) -> float | None:
    scored = [part["score"] * part["weight"] for part in trace["rewards"].values() if part is not None]
    return sum(scored) if scored else None


def node(role: str, content: str, parent: int | None, tokens: int = 2, **more: Any) -> dict[str, Any]:
    sampled = role == "assistant"
    mask = [sampled and place > 0 for place in range(tokens)]
    found = {"parent": parent, "message": {"role": role, "content": content}, "sampled": sampled, "mask": mask}
    return {**found, "token_ids": list(range(tokens)), "logprobs": [-0.5] * sum(mask), **more}


def trace(name: str, *, score: float = 1.0, advantage: float | None = 0.5, **changes: Any) -> dict[str, Any]:
    given = [] if advantage is None else [advantage]
    nodes = [node("user", "What is 17 + 25?", None), node("assistant", f"It is {name}", 0, advantages=given)]
    calls = [{"node": 1, "finish_reason": "stop", "usage": {"prompt_tokens": 2}, "time": {"start": 1.0, "end": 3.5}}]
    return {
        "version": 1,
        "id": name,
        "nodes": nodes,
        "calls": calls,
        "rewards": {"correct": {"score": score, "weight": 1.0}, "format": {"score": 1.0, "weight": 0.5}, "late": None},
        "metrics": {"tools": 1.0, "skipped": None},
        "ok": True,
        "is_completed": True,
        "stop_condition": "agent_completed",
        "num_output_tokens": 1,
        "num_total_tokens": 4,
        "timing": {"start": 5.0, "agent": {"start": 1.0, "end": 4.0}, "boot": {"start": 0.0, "end": 0.0}},
        **changes,
    }


def episode(*traces: dict[str, Any], group: str = "g0", **changes: Any) -> dict[str, Any]:
    work = {"type": "train", "step": 3, "policy": {"start": 2, "end": 3}}
    return {
        "id": "episode " + " ".join(str(item["id"]) for item in traces),
        "env": {"id": "arith", "name": "sums"},
        "task": {"type": "T", "key": "sums-0", "data": {"idx": 0, "prompt": "What is 17 + 25?", "answer": "42"}},
        "group": {"id": group},
        "run": {"type": "train", "id": "r", "work": work},
        "ok": True,
        "errors": [],
        "traces": list(traces),
        **changes,
    }


def write(root: Path, every: list[dict[str, Any]], effective: list[dict[str, Any]] | None, kind: str = "train") -> Run:
    folder = root / "rollouts" / "step_3" / kind
    write_jsonl(folder / "all" / "traces.jsonl", every)
    if effective is not None:
        write_jsonl(folder / "effective" / "traces.jsonl", effective)
    return rollscope.open(root)


def test_the_fixture_gives_exactly_its_traces_and_rewards() -> None:
    path = fixture_path("prime_rl")
    run = rollscope.open(path)
    assert run.format == "prime_rl"
    for step, kind in [(1, "train"), (2, "train"), (2, "eval")]:
        folder = path / "rollouts" / f"step_{step}" / kind
        every = [item for record in naive_records(folder / "all" / "traces.jsonl") for item in record["traces"]]
        kept = {
            item["id"] for record in naive_records(folder / "effective" / "traces.jsonl") for item in record["traces"]
        }
        rows = run.samples(split="train" if kind == "train" else "eval/arith", step=step, discarded=None).rows
        assert [row.reward for row in rows] == pytest.approx([weighted(item) for item in every])
        assert [row.discard_reason is None for row in rows] == [item["id"] in kept for item in every]
        for row, item in zip(rows, every, strict=True):
            sample = run.sample(row.address)
            assert sample.record["traces"][0]["id"] == item["id"]
            assert sample.reward == pytest.approx(row.reward)
            assert (sample.discard_reason, sample.advantage, sample.env) == (row.discard_reason, row.advantage, "arith")
            assert sample.golden_answers == {"answer": item["task"]["data"]["answer"]}
            json.loads(run.sample_json(row.address))


def test_the_fixture_has_its_groups_and_logged_metrics() -> None:
    run = rollscope.open(fixture_path("prime_rl"))
    assert [row.group for row in run.groups(step=1, discarded=None).rows] == ["g1-0", "g1-1", "g1-2"]
    (mean,) = run.series(["reward/mean"])
    assert mean.points == [(1.0, 0.6), (2.0, 0.7)]
    assert run.doctor().unclaimed == []


def test_before_the_batch_is_judged_nothing_is_called_discarded(tmp_path: Path) -> None:
    traces = [trace(f"t{index}", advantage=None) for index in range(4)]
    run = write(tmp_path, [episode(item) for item in traces], None)
    before = [row.address for row in run.samples(discarded=False).rows]
    assert len(before) == 4
    judged = [trace("t2", advantage=0.75), trace("t0", advantage=-0.75)]
    write(tmp_path, [episode(item) for item in traces], [episode(item) for item in judged])
    run.refresh()
    rows = run.samples(discarded=None).rows
    assert [row.address for row in rows] == before, "a sample keeps its address when the batch is judged"
    assert [row.advantage for row in rows] == [-0.75, None, 0.75, None], "its values come from the later record"
    assert [row.discard_reason is None for row in rows] == [True, False, True, False]
    assert run.sample("train/3/2").advantage == 0.75


def test_evals_are_splits_by_environment(tmp_path: Path) -> None:
    lines = [episode(trace("a")), episode(trace("b"), env={"id": "chess"}), episode(trace("c"))]
    run = write(tmp_path, lines, lines, kind="eval")
    assert run.splits == ["eval/chess", "eval/sums"]
    assert [row.address for row in run.samples(split="eval/sums").rows] == ["eval/sums/3/0", "eval/sums/3/1"]


def test_an_eval_run_of_verifiers_stands_alone(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "run" / "traces.jsonl", [episode(trace("a"), run={"type": "eval", "id": "r"})])
    (tmp_path / "run" / "configs" / "resolved").mkdir(parents=True)
    (tmp_path / "run" / "configs" / "resolved" / "eval.json").write_text('{"model": "tiny"}')
    run = rollscope.open(tmp_path / "run")
    assert (run.format, run.splits) == ("prime_rl", ["eval/sums"])
    assert run.details().config == {"eval": {"model": "tiny"}}
    assert run.doctor().unclaimed == []


def test_traces_of_a_training_run_in_one_file_say_their_steps(tmp_path: Path) -> None:
    work = {"type": "eval", "step": 4}
    evaluated = episode(trace("c"), run={"type": "train", "id": "r", "work": work})
    again = episode(trace("b"), run={"type": "train", "id": "r", "work": {"type": "train", "step": 5}})
    write_jsonl(tmp_path / "traces.jsonl", [episode(trace("a")), evaluated, again])
    run = rollscope.open(tmp_path)
    addresses = [row.address for row in run.samples().rows]
    assert addresses == ["train/3/0", "train/5/0", "eval/sums/4/0"]
    assert [run.sample(address).address for address in addresses] == addresses


def test_other_programs_traces_are_not_taken_for_these(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "traces.jsonl", [{"resourceSpans": [], "name": "forward", "ts": 1}])
    with pytest.raises(rollscope.errors.NotFoundError):
        rollscope.open(tmp_path)


def test_numbers_that_are_none_are_named_in_the_index_and_in_the_sample(tmp_path: Path) -> None:
    run = write(tmp_path, [episode(trace("a", metrics={"kl": float("nan"), "ok": 1.0}, score=float("inf")))], None)
    row, sample = run.samples().rows[0], run.sample("train/3/0")
    assert row.nonfinite is not None
    assert (row.nonfinite["metrics.kl"], row.nonfinite["reward"], row.metrics["ok"]) == ("NaN", "Infinity", 1.0)
    assert (sample.nonfinite["metrics.kl"], sample.reward, row.group) == ("NaN", float("inf"), "g0")


def test_a_rollout_that_failed_at_once_shows_what_it_would_have_been_asked(tmp_path: Path) -> None:
    source = fixture_path("verifiers_outputs") / "arith--mock--model--null--deadbeef" / "traces.jsonl"
    episode = naive_records(source)[-1]
    episode["traces"][0] |= {"nodes": [], "calls": [], "ok": False, "errors": [{"type": "Boom", "message": "no"}]}
    write_jsonl(tmp_path / "traces.jsonl", [episode])
    run = ReadRun(PrimeRlFormat(), tmp_path)
    (sample,) = [run.load(row) for row in run.rows]
    assert [(m.role, m.text, m.turn) for m in sample.messages] == [
        ("system", "Answer briefly.", None),
        ("user", "What is 81 - 9?", None),
    ]
    assert sample.status == "failed"
