"""prime-rl's stream of episodes: chunks plain and sealed, annotations joined, what was never shipped, what is in flight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import zstandard
from tests.fixtures import copy_fixture, fixture_path, write_jsonl
from tests.formats.containers.seekable import seal
from tests.formats.expected import assert_as_expected

import rollscope
from rollscope.formats.prime_rl.stream import PrimeRlStreamFormat
from rollscope.model import Sample
from rollscope.storage.open_store import open_store

TRACES = "monitors/file/traces"


def samples(path: Path) -> list[Sample]:
    run = rollscope.open(path)
    run.refresh()
    return [run.sample(row.address) for row in run.samples(discarded=None).rows]


def episode(number: int, *, step: int = 1, kind: str = "train", **more: Any) -> dict[str, Any]:
    nodes = [
        {"message": {"role": "user", "content": f"q{number}"}, "token_ids": [1, 2], "mask": [False, False]},
        {"parent": 0, "sampled": True, "message": {"role": "assistant", "content": f"a{number}"},
         "token_ids": [3, 4], "mask": [False, True], "logprobs": [-0.5]},
    ]  # fmt: skip
    trace = {"id": f"t{number}", "nodes": nodes, "rewards": {"ok": {"score": 1.0, "weight": 1.0}}, "ok": True}
    run = {"type": "train", "work": {"type": kind, "step": step}}
    return {"id": f"e{number}", "env": {"id": "env"}, "task": {"data": {}}, "group": {"id": "g"}, "run": run,
            "ok": True, "traces": [trace], **more}  # fmt: skip


def shipped(number: int, step: int, **info: Any) -> dict[str, Any]:
    return {"version": 1, "trace_id": f"t{number}", "info": {"effective": True, "ship": {"step": step}, **info}}


def test_the_fixture_opens_with_exactly_its_samples() -> None:
    assert_as_expected("prime_rl_stream")


def test_a_sealed_chunk_is_the_plain_one(tmp_path: Path) -> None:
    run = copy_fixture("prime_rl_stream", tmp_path)
    before = [(s.address, s.reward, [m.text for m in s.messages]) for s in samples(run)]
    plain = run / TRACES / "stream" / "00001.jsonl"
    text = plain.read_bytes()
    # Side by side while it is being sealed: the half-written twin does not count, the whole one counts alone.
    sealed = plain.with_name("00001.jsonl.zst")
    sealed.write_bytes(zstandard.ZstdCompressor().compress(text)[:-10])
    assert [(s.address, s.reward, [m.text for m in s.messages]) for s in samples(run)] == before
    seal(text, sealed, 3_000)
    assert [(s.address, s.reward, [m.text for m in s.messages]) for s in samples(run)] == before
    plain.unlink()
    assert [(s.address, s.reward, [m.text for m in s.messages]) for s in samples(run)] == before
    opened = rollscope.open(run)
    assert len(list(opened.search("(draft 44)"))) == sum("(draft 44)" in texts[-1] for _, _, texts in before)


def test_the_single_file_of_the_first_days_and_folders_below_the_run(tmp_path: Path) -> None:
    write_jsonl(tmp_path / TRACES / "stream.jsonl", [episode(0), episode(1)])
    for folder in (tmp_path, tmp_path / "monitors", tmp_path / "monitors/file", tmp_path / TRACES):
        assert [sample.address for sample in samples(folder)] == ["train/1/0", "train/1/1"]


def test_evaluations_are_not_discarded_for_not_being_trained_on(tmp_path: Path) -> None:
    traces = tmp_path / TRACES
    failed = episode(2, kind="eval", ok=False, errors=[{"type": "SandboxError", "message": "gone"}])
    # What is stamped on arrival counts more than what the run says.
    stamped = episode(1, kind="train")
    stamped["traces"][0]["info"] = {"kind": "eval", "dispatch": {"step": 4}, "advantage": 0.25}
    stamped["run"] = {"type": "train"}
    write_jsonl(traces / "stream" / "00000.jsonl", [episode(0, kind="eval"), stamped, failed])
    index = [
        {"line": n + 1, "chunk": 0, "offset": 0, "id": f"e{n}", "trace_ids": [f"t{n}"], "kind": "eval"}
        for n in range(3)
    ]
    write_jsonl(traces / "stream.index.jsonl", index)
    assert [(s.address, s.discard_reason, s.advantage) for s in samples(tmp_path)] == [
        ("eval/env/1/0", None, None),
        ("eval/env/1/1", "error: SandboxError", None),
        ("eval/env/4/0", None, 0.25),
    ]
    write_jsonl(traces / "annotations" / "orch" / "00000.jsonl", [shipped(0, 2)])
    assert {s.address: s.discard_reason for s in samples(tmp_path)} == {
        "eval/env/1/0": "error: SandboxError",
        "eval/env/2/0": None,
        "eval/env/4/0": None,  # of an evaluation that is not over
    }
    write_jsonl(traces / "annotations" / "orch" / "00000.jsonl", [shipped(0, 5)])
    assert {s.address: s.discard_reason for s in samples(tmp_path)} == {
        "eval/env/1/0": "error: SandboxError",
        "eval/env/4/0": "not in the effective cohort",
        "eval/env/5/0": None,
    }


def test_an_evaluation_is_left_out_where_its_annotation_says_so(tmp_path: Path) -> None:
    traces = tmp_path / TRACES
    write_jsonl(traces / "stream" / "00000.jsonl", [episode(number, kind="eval") for number in range(4)])
    index = [{"line": n + 1, "id": f"e{n}", "trace_ids": [f"t{n}"], "kind": "eval"} for n in range(4)]
    write_jsonl(traces / "stream.index.jsonl", index)
    said = [{"trace_id": f"t{n}", "info": {"effective": effective}} for n, effective in ((0, True), (1, False))]
    write_jsonl(traces / "annotations" / "orch" / "00000.jsonl", said)
    wanted = [None, "not in the effective cohort", None, None]
    assert [sample.discard_reason for sample in samples(tmp_path)] == wanted
    # Another one of this step was shipped: it is over.
    write_jsonl(traces / "annotations" / "orch" / "00000.jsonl", [*said, shipped(3, 1)])
    assert [sample.discard_reason for sample in samples(tmp_path)] == [*wanted[:2], "not in the effective cohort", None]


def test_metrics_and_config_of_the_fixture() -> None:
    form, store = PrimeRlStreamFormat(), open_store(fixture_path("prime_rl_stream"))
    rows = list(form.metrics(store))
    assert [row.values["loss/mean"] for row in rows if "loss/mean" in row.values][1] == 0.01
    assert [row.step for row in rows if "eval/arith-eval/policy_version" in row.values] == [2]
    assert form.config(store)["trainer"]["loss"] == {"type": "ipo", "eps": 0.1}
    assert form.metric_files(store) == ["monitors/file/metrics.jsonl"]
