"""Inspect's logs: zstd, deflate and JSON; running ones; attachments, scores and how samples ended."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.fixtures import fixture_path
from tests.formats.containers.zstd_zip import zstd_zip
from tests.formats.opened import opened

from rollscope.formats.inspect import InspectFormat
from rollscope.query.library import Library
from rollscope.storage.open_store import open_store

HEADER: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {"eval_id": "abc", "task": "sums", "model": "m", "dataset": {"name": "d"}},
}
CHAT = [
    {"id": "1", "role": "user", "content": "2 + 2?", "source": "input"},
    {"id": "2", "role": "assistant", "content": "4", "source": "generate", "model": "m"},
]


def sample(name: str = "a", epoch: int = 1, **more: Any) -> dict[str, Any]:
    output = {"choices": [{"stop_reason": "stop"}]}
    base = {"id": name, "epoch": epoch, "input": "2 + 2?", "target": "4", "messages": CHAT, "output": output}
    return {**base, "scores": {"match": {"value": "C"}}, **more}


def write_eval(path: Path, samples: list[dict[str, Any]], header: dict[str, Any] | None = HEADER) -> Path:
    members = {"_journal/start.json": json.dumps({"version": 2, "eval": HEADER["eval"]})}
    for item in samples:
        members[f"samples/{item['id']}_epoch_{item['epoch']}.json"] = json.dumps(item)
    if header is not None:
        members["header.json"] = json.dumps(header)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zstd_zip({name: text.encode() for name, text in members.items()}))
    return path


def naive(path: Path) -> list[dict[str, Any]]:
    """All samples of a log: the archive's bytes unpacked one by one, whole."""
    if path.suffix == ".json":
        found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["samples"]
        return found
    data = path.read_bytes()
    samples = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if info.filename.startswith("samples/"):
                start = (
                    info.header_offset
                    + 30
                    + len(info.filename)
                    + int.from_bytes(data[info.header_offset + 28 :][:2], "little")
                )
                packed = data[start : start + info.compress_size]
                text = zstandard.decompress(packed, info.file_size) if info.compress_type == 93 else archive.read(info)
                samples.append(json.loads(text))
    return samples


@pytest.mark.parametrize("folder", ["logs-eval", "logs-eval-0.3.100", "logs-json"])
def test_the_fixture_opens_with_exactly_its_samples(folder: str) -> None:
    path = fixture_path("inspect") / folder
    (log,) = path.iterdir()
    found, wanted = opened(path), naive(log)
    assert len(found) == len(wanted) == 6
    for shown, told in zip(found, wanted, strict=True):
        assert (shown.split, shown.step, shown.group) == ("eval/arithmetic", 0, told["id"])
        assert shown.reward == {"C": 1.0, "I": 0.0}[told["scores"]["match"]["value"]]
        assert set(shown.rewards) == set(told["scores"])
        assert shown.golden_answers == {"target": told["target"]}
        assert [message.role for message in shown.messages] == [message["role"] for message in told["messages"]]
        assert shown.messages[-1].text == told["messages"][-1]["content"]
        assert shown.total_tokens == told["model_usage"]["mockllm/model"]["total_tokens"]
        assert shown.timings["total"] == told["total_time"]
        assert (shown.env, shown.dataset, shown.status, shown.stop_reason) == (
            "arithmetic",
            "arith",
            "completed",
            "stop",
        )
        assert shown.record["uuid"] == told["uuid"]
        calls = [part.name for message in shown.messages for part in message.parts if part.type == "tool_call"]
        assert calls == [call["function"] for message in told["messages"] for call in message.get("tool_calls") or []]


def test_logs_of_one_folder(tmp_path: Path) -> None:
    def header(task: str, model: str, name: str) -> dict[str, Any]:
        return {**HEADER, "eval": {"eval_id": name, "task": task, "model": model}}

    write_eval(tmp_path / "1.eval", [sample()], header("sums", "vllm/run/checkpoint-100", "one"))
    write_eval(tmp_path / "2.eval", [sample()], header("sums", "vllm/run/checkpoint-200", "two"))
    write_eval(tmp_path / "3.eval", [sample()], header("pkg/logic", "a", "three"))
    write_eval(tmp_path / "4.eval", [sample()], header("pkg/logic", "b", "four"))
    assert [(item.address, item.group, item.tags) for item in opened(tmp_path)] == [
        ("eval/pkg_logic/0/0", "three/a", ["a"]),
        ("eval/pkg_logic/0/1", "four/a", ["b"]),
        ("eval/sums/100/0", "a", ["vllm/run/checkpoint-100"]),
        ("eval/sums/200/0", "a", ["vllm/run/checkpoint-200"]),
    ]


def test_samples_that_a_retry_kept_count_once_and_what_failed_is_what_it_became(tmp_path: Path) -> None:
    """`inspect eval-retry` writes a new log, which has the samples that the first one finished."""

    def log(eval_id: str, created: str) -> dict[str, Any]:
        return {**HEADER, "eval": {**HEADER["eval"], "eval_id": eval_id, "task_id": "t", "created": created}}

    failed = sample("b", scores={}, error={"message": "boom"})
    write_eval(tmp_path / "2026-11-01_x.eval", [sample("a"), failed, sample("c")], log("first", "2026-11-01T10:00"))
    write_eval(tmp_path / "2026-11-02_x.eval", [sample("a"), sample("b")], log("second", "2026-11-02T10:00"))
    (run,) = Library([tmp_path]).runs()
    rows = [(row.group, row.reward, row.status) for row in run.samples(sort="group").rows]
    assert rows == [("a", 1.0, "completed"), ("b", 1.0, "completed"), ("c", 1.0, "completed")]


def test_metrics_are_what_the_logs_say_of_all_samples() -> None:
    (row, _) = InspectFormat().metrics(open_store(fixture_path("inspect") / "logs-eval"))
    assert row.values["eval/arithmetic/match/accuracy"] == pytest.approx(5 / 6)


def test_a_folder_has_ended_when_all_its_logs_say_so(tmp_path: Path) -> None:
    write_eval(tmp_path / "a.eval", [sample("one")])
    (run,) = Library([tmp_path]).runs()
    assert run.info().state == "finished"  # though it was written a moment ago
    write_eval(tmp_path / "b.eval", [sample("two")], {**HEADER, "status": "started"})
    (run,) = Library([tmp_path]).runs()
    assert run.info().state == "live"


def test_logs_in_folders_beside_logs_are_of_the_same_run(tmp_path: Path) -> None:
    write_eval(tmp_path / "logs" / "a.eval", [sample("a")])
    write_eval(tmp_path / "logs" / "later" / "deep" / "b.eval", [sample("b")])
    write_eval(tmp_path / "logs" / ".hidden" / "c.eval", [sample("c")])
    assert [item.record["id"] for item in opened(tmp_path / "logs")] == ["a", "b"]
