"""Inspect's logs: zstd, deflate and JSON; running ones; attachments, scores and how samples ended."""

from __future__ import annotations

import io
import json
import math
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.fixtures import fixture_path
from tests.formats.containers.zstd_zip import zstd_zip
from tests.formats.opened import opened, texts

from rollscope.formats.inspect import InspectFormat
from rollscope.query.library import Library
from rollscope.storage.open_store import open_store

HEADER = {
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


def test_a_running_log_is_read_by_its_journal_and_grows(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "a.eval", [sample("a")], header=None)
    (run,) = Library([tmp_path]).runs()
    assert [row.address for row in run.samples().rows] == ["eval/sums/0/0"]
    write_eval(path, [sample("a"), sample("b")], header=None)
    run.refresh()
    assert [row.group for row in run.samples().rows] == ["a", "b"]


def test_attachments_are_put_back_in_their_place(tmp_path: Path) -> None:
    chat = [
        {**CHAT[0], "content": "attachment://x1"},
        {**CHAT[1], "content": [{"type": "text", "text": "attachment://x2"}]},
    ]
    told = sample(messages=chat, target="attachment://x1", attachments={"x1": "a long question", "x2": "a long answer"})
    write_eval(tmp_path / "a.eval", [told, sample("b", messages=[{**CHAT[0], "content": "attachment://gone"}])])
    first, second = opened(tmp_path)
    assert texts(first) == [("user", "a long question"), ("assistant", "a long answer")]
    assert first.golden_answers == {"target": "a long question"}
    assert texts(second) == [("user", "attachment://gone")]


@pytest.mark.parametrize(
    ("scores", "reward", "parts"),
    [
        ({"match": {"value": "P"}}, 0.5, {}),
        ({"match": {"value": "N"}}, 0.0, {}),
        ({"f1": {"value": 0.25}}, 0.25, {}),
        ({"ok": {"value": True}}, 1.0, {}),
        ({"judge": {"value": {"style": 0.5, "score": "C"}}}, 1.0, {"judge/style": 0.5, "judge/score": 1.0}),
        ({"a": {"value": "I"}, "b": {"value": 3}}, 0.0, {"a": 0.0, "b": 3.0}),
        ({"words": {"value": "blue"}}, None, {}),
        (None, None, {}),
    ],
)
def test_scores_are_rewards(tmp_path: Path, scores: Any, reward: float | None, parts: dict[str, float]) -> None:
    write_eval(tmp_path / "a.eval", [sample(scores=scores)])
    (found,) = opened(tmp_path)
    assert (found.reward, found.rewards) == (reward, parts)


def test_the_headline_says_which_scorer_counts(tmp_path: Path) -> None:
    header = {**HEADER, "results": {"headline": {"scorer": "b", "metric": "mean"}, "scores": []}}
    write_eval(tmp_path / "a.eval", [sample(scores={"a": {"value": "I"}, "b": {"value": 3}})], header)
    assert [found.reward for found in opened(tmp_path)] == [3.0]


def test_errors_limits_and_invalidations(tmp_path: Path) -> None:
    cut = {"choices": [{"stop_reason": "max_tokens"}]}
    rows = [
        sample("error", error={"message": "boom", "traceback": "…"}, scores={}),
        sample("limit", limit={"type": "token", "limit": 100.0}),
        sample("cut", output=cut),
        sample("bad", invalidation={"reason": "wrong prompt"}),
    ]
    write_eval(tmp_path / "a.eval", rows)
    found = {str(item.group): item for item in opened(tmp_path)}
    assert (found["error"].status, found["error"].notes) == ("failed", ["Error: boom"])
    assert (found["limit"].status, found["limit"].stop_reason) == ("truncated", "token")
    assert (found["cut"].status, found["cut"].stop_reason) == ("truncated", "max_tokens")
    assert found["bad"].discard_reason == "invalidated: wrong prompt"


def test_examples_in_the_input_are_the_prompt_and_thoughts_are_thoughts(tmp_path: Path) -> None:
    example = [
        {"role": "user", "content": "1 + 1?", "source": "input"},
        {"role": "assistant", "content": "2", "source": "input"},
    ]
    thought = [{"type": "reasoning", "reasoning": "easy"}, {"type": "text", "text": "4"}]
    logprobs = {"content": [{"token": "4", "logprob": -0.5}]}
    chat = [*example, CHAT[0], {"role": "assistant", "content": thought, "source": "generate"}]
    write_eval(
        tmp_path / "a.eval",
        [sample(messages=chat, output={"choices": [{"stop_reason": "stop", "logprobs": logprobs}]})],
    )
    (found,) = opened(tmp_path)
    assert [message.turn for message in found.messages] == [None, None, None, 0]
    assert [(part.type, part.text) for part in found.messages[-1].parts] == [("thinking", "easy"), ("text", "4")]
    assert found.tokens is not None
    assert (found.tokens.strings, found.tokens.logprobs) == (["4"], [-0.5])


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


def test_a_json_log_with_nan_and_samples_in_chunks(tmp_path: Path) -> None:
    unscored = sample(scores={"match": {"value": math.nan}})
    (tmp_path / "j").mkdir()
    (tmp_path / "j" / "log.json").write_text(json.dumps({**HEADER, "samples": [unscored, sample("b")]}))
    first, second = opened(tmp_path / "j")
    assert math.isnan(first.reward or 0.0)
    assert second.reward == 1.0
    whole = sample("c", 2)
    head = json.dumps({key: value for key, value in whole.items() if key != "messages"}).encode()
    members = {"header.json": json.dumps(HEADER).encode(), "samples/c_epoch_2/sample.json": head}
    members |= {f"samples/c_epoch_2/messages/{i}.json": json.dumps([CHAT[i]]).encode() for i in range(2)}
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "x.eval").write_bytes(zstd_zip(members))
    assert [texts(item) for item in opened(tmp_path / "c")] == [[("user", "2 + 2?"), ("assistant", "4")]]


def test_damaged_logs_and_other_json(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"version": 2, "name": "x"}')
    assert InspectFormat().detect(open_store(tmp_path)) is None
    write_eval(tmp_path / "a.eval", [sample()])
    cut = write_eval(tmp_path / "b.eval", [sample()])
    cut.write_bytes(cut.read_bytes()[:-40])
    members = {"header.json": json.dumps(HEADER).encode(), "samples/x_epoch_1.json": b'{"id": "x", '}
    (tmp_path / "c.eval").write_bytes(zstd_zip(members))
    (run,) = Library([tmp_path]).runs()
    assert [row.group for row in run.samples().rows] == ["abc/a"]
    assert [skip.file for skip in run.doctor().skipped] == ["b.eval", "c.eval"]


def test_metrics_are_what_the_logs_say_of_all_samples() -> None:
    (row, _) = InspectFormat().metrics(open_store(fixture_path("inspect") / "logs-eval"))
    assert row.values["eval/arithmetic/match/accuracy"] == pytest.approx(5 / 6)
