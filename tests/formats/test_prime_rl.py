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
    assert [hit.field for hit in run.search("first try")] == ["response"]


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


def test_evals_are_splits_by_environment(tmp_path: Path) -> None:
    lines = [episode(trace("a")), episode(trace("b"), env={"id": "chess"}), episode(trace("c"))]
    run = write(tmp_path, lines, lines, kind="eval")
    assert run.splits == ["eval/chess", "eval/sums"]
    assert [row.address for row in run.samples(split="eval/sums").rows] == ["eval/sums/3/0", "eval/sums/3/1"]


def test_an_eval_run_of_verifiers_stands_alone(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "run" / "traces.jsonl", [episode(trace("a"))])
    (tmp_path / "run" / "configs" / "resolved").mkdir(parents=True)
    (tmp_path / "run" / "configs" / "resolved" / "eval.json").write_text('{"model": "tiny"}')
    run = rollscope.open(tmp_path / "run")
    assert (run.format, run.splits) == ("prime_rl", ["eval/sums"])
    assert run.details().config == {"eval": {"model": "tiny"}}
    assert run.doctor().unclaimed == []


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
