"""Annotations of prime-rl's stream are joined to their traces, also late, torn or without an index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import zstandard
from tests.fixtures import copy_fixture, fixture_path, write_jsonl
from tests.formats.prime_rl.test_stream import TRACES, episode, samples, shipped

import rollscope


def naive_lines(run: Path, folder: str) -> list[dict[str, Any]]:
    """An independent reader: everything whole, with the standard library's JSON."""
    records = []
    for path in sorted((run / TRACES / folder).iterdir()):
        data = path.read_bytes()
        if path.suffix == ".zst":
            data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
        records += [json.loads(line) for line in data.splitlines()]
    return records


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


def test_what_is_shipped_later_finds_its_step(tmp_path: Path) -> None:
    write_jsonl(tmp_path / TRACES / "stream" / "00000.jsonl", [episode(0), episode(1), episode(2, step=4, kind="eval")])
    run = rollscope.open(tmp_path)
    assert [(row.address, row.discard_reason) for row in run.samples(discarded=None).rows] == [
        ("train/1/0", "never shipped to the trainer"),
        ("train/1/1", "never shipped to the trainer"),
        ("eval/env/4/0", None),
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


def test_annotations_were_single_files_in_the_first_days_too(tmp_path: Path) -> None:
    write_jsonl(tmp_path / TRACES / "stream.jsonl", [episode(0), episode(1)])
    notes = tmp_path / TRACES / "annotations" / "orch.jsonl"
    update = shipped(1, 6, advantage=0.25) | {"branches": [{"index": 0, "advantages": [0.0, 0.0, 0.0, 0.25]}]}
    write_jsonl(notes, [update])
    index = {"trace_id": "t1", "offset": 0, "info": update["info"]}
    for indexed in (False, True):
        if indexed:
            write_jsonl(notes.with_name("orch.index.jsonl"), [index])
        left, trained = samples(tmp_path)
        assert (left.address, left.discard_reason) == ("train/1/0", "never shipped to the trainer")
        assert (trained.address, trained.discard_reason, trained.advantage) == ("train/6/0", None, 0.25)
        assert trained.tokens is not None
        assert trained.tokens.advantage == [None, 0.25]
