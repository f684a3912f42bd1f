"""prime-rl's stream of episodes: chunks plain and sealed, annotations joined, what was never shipped, what is in flight."""

from __future__ import annotations

import json
import shutil
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


def naive_lines(run: Path, folder: str) -> list[dict[str, Any]]:
    """An independent reader: everything whole, with the standard library's JSON."""
    records = []
    for path in sorted((run / TRACES / folder).iterdir()):
        data = path.read_bytes()
        if path.suffix == ".zst":
            data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
        records += [json.loads(line) for line in data.splitlines()]
    return records


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


def test_every_value_of_the_annotations_is_joined() -> None:
    path = fixture_path("prime_rl_stream")
    told = {item["trace_id"]: item["branches"][0] for item in naive_lines(path, "annotations/trainer")}
    traces = {trace["id"]: trace for item in naive_lines(path, "stream") for trace in item["traces"]}
    found = {sample.record["traces"][0]["id"]: sample for sample in samples(path)}
    assert found.keys() == traces.keys()
    for name, branch in told.items():
        tokens = found[name].tokens
        assert tokens is not None
        start = len(branch["trainer_logprobs"]) - len(tokens.ids)
        assert tokens.trainer_logprobs == branch["trainer_logprobs"][start:]
        assert tokens.entropy == branch["entropies"][start:]
        sampled = [value for value in tokens.logprobs if value is not None]
        assert sampled == [value for node in traces[name]["nodes"] for value in node.get("logprobs") or []]
        left_out = [bool(value) for value in branch["is_masked"][start:]]
        assert tokens.masked == [int(gone and bool(flag)) for flag, gone in zip(tokens.mask, left_out)]
        assert [item["producer"] for item in found[name].record["annotations"]] == ["orch", "trainer"]


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


def test_what_is_shipped_later_finds_its_step(tmp_path: Path) -> None:
    write_jsonl(tmp_path / TRACES / "stream" / "00000.jsonl", [episode(0), episode(1), episode(2, step=4, kind="eval")])
    run = rollscope.open(tmp_path)
    assert [(row.address, row.discard_reason) for row in run.samples(discarded=None).rows] == [
        ("train/1/0", "never shipped to the trainer"),
        ("train/1/1", "never shipped to the trainer"),
        ("eval/env/4/0", "never shipped to the trainer"),
    ]
    notes = tmp_path / TRACES / "annotations" / "orch" / "00000.jsonl"
    write_jsonl(notes, [shipped(1, 7), shipped(1, 6, advantage=0.25), shipped(2, 5), {**shipped(0, 2), "info": {}}])
    run.refresh()
    assert [(row.address, row.advantage, row.discard_reason) for row in run.samples(discarded=None).rows] == [
        ("train/1/0", None, "never shipped to the trainer"),
        ("train/6/0", 0.25, None),
        ("eval/env/5/0", None, None),
    ]


def test_the_index_of_annotations_may_lag_be_torn_or_be_absent(tmp_path: Path) -> None:
    run = copy_fixture("prime_rl_stream", tmp_path)
    before = [(s.address, s.advantage) for s in samples(run)]
    index = run / TRACES / "annotations" / "orch.index.jsonl"
    lines = index.read_bytes().splitlines(keepends=True)
    index.write_bytes(b"".join(lines[:7]) + lines[7][:30])
    assert [(s.address, s.advantage) for s in samples(run)] == before
    for path in (run / TRACES).rglob("*.index.jsonl"):
        path.unlink()
    assert [(s.address, s.advantage) for s in samples(run)] == before
    stream = run / TRACES / "stream"
    (stream / "00001.jsonl").write_bytes((stream / "00001.jsonl").read_bytes()[:-200])
    assert len(samples(run)) == len(before) - 1


def test_the_single_file_of_the_first_days_and_folders_below_the_run(tmp_path: Path) -> None:
    write_jsonl(tmp_path / TRACES / "stream.jsonl", [episode(0), episode(1)])
    for folder in (tmp_path, tmp_path / "monitors", tmp_path / "monitors/file", tmp_path / TRACES):
        assert [sample.address for sample in samples(folder)] == ["train/1/0", "train/1/1"]


def test_rollouts_in_flight_are_pending_until_they_land(tmp_path: Path) -> None:
    traces = tmp_path / TRACES
    write_jsonl(traces / "stream" / "00000.jsonl", [episode(0)])
    write_jsonl(traces / "stream.index.jsonl", [{"line": 1, "chunk": 0, "offset": 0, "id": "e0", "trace_ids": ["t0"]}])
    write_jsonl(traces / "annotations" / "orch" / "00000.jsonl", [shipped(0, 3)])
    asked = {"message": {"role": "user", "content": "q"}, "sampled": False}
    said = {"message": {"role": "assistant", "content": "so far"}, "sampled": True}
    live = write_jsonl(traces / "live" / "t9.jsonl", [{"id": "t9", "task": {"data": {"answer": "4"}}}, asked, said])
    (traces / "live" / "pending").mkdir()
    (traces / "live" / "pending" / "t8.json").write_text('{"id": "t8", "env": {"id": "env"}}')
    write_jsonl(traces / "live" / "t0.jsonl", [asked])
    found = samples(tmp_path)
    assert [(s.address, s.status) for s in found] == [
        ("train/3/0", None),
        ("train/3/1", "pending"),
        ("train/3/2", "pending"),
    ]
    assert [message.text for message in found[1].messages] == ["q", "so far"]
    assert found[1].golden_answers == {"answer": "4"}
    assert [hit.address for hit in rollscope.open(tmp_path).search("so far")] == ["train/3/1"]
    assert [sentence for sentence in rollscope.open(tmp_path).guessed() if "live/" in sentence]
    shutil.rmtree(live.parent)
    assert [s.address for s in samples(tmp_path)] == ["train/3/0"]


def test_a_run_so_young_that_nothing_has_landed(tmp_path: Path) -> None:
    asked = {"message": {"role": "user", "content": "q"}, "sampled": False}
    write_jsonl(tmp_path / TRACES / "live" / "t9.jsonl", [asked])
    assert [(sample.address, sample.status) for sample in samples(tmp_path)] == [("train/0/0", "pending")]


def test_metrics_and_config_of_the_fixture() -> None:
    form, store = PrimeRlStreamFormat(), open_store(fixture_path("prime_rl_stream"))
    rows = list(form.metrics(store))
    assert [row.values["loss/mean"] for row in rows if "loss/mean" in row.values][1] == 0.01
    assert [row.step for row in rows if "eval/arith-eval/policy_version" in row.values] == [2]
    assert form.config(store)["trainer"]["loss"] == {"type": "ipo", "eps": 0.1}
    assert form.metric_files(store) == ["monitors/file/metrics.jsonl"]
