"""Rollouts in flight: `live/<trace_id>.jsonl`, which grows turn by turn, and `live/pending/<id>.json`, not begun yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rollscope.formats.lines.lenient import Unreadable, decode_line
from rollscope.storage.store import Store

_EPISODE = ("env", "task", "group", "run", "ok", "is_timeout")


def live_files(store: Store, folder: str) -> Iterator[tuple[str, str]]:
    """(path, trace or episode id)."""
    for name in store.files(folder):
        if name.endswith(".jsonl"):
            yield f"{folder}/{name}", name.removesuffix(".jsonl")
    for name in store.files(f"{folder}/pending"):
        if name.endswith(".json"):
            yield f"{folder}/pending/{name}", name.removesuffix(".json")


def live_record(data: bytes, path: str) -> dict[str, Any]:
    """An episode with one trace, of what is there so far. Raises `Unreadable` where there is nothing yet."""
    trace: dict[str, Any] = {}
    episode: dict[str, Any] = {}
    nodes: list[Any] = []
    for item in _records(data):
        traces = item.get("traces")
        told = [item, *(inner for inner in traces if isinstance(inner, dict))] if isinstance(traces, list) else [item]
        for part in told:
            nodes += _nodes(part)
            for key, value in part.items():
                if key not in ("nodes", "node", "message", "traces"):
                    (episode if key in _EPISODE else trace)[key] = value
    if not trace and not episode and not nodes:
        raise Unreadable("nothing is written yet")
    for number, node in enumerate(nodes):
        if node.get("parent") is None and number:
            node["parent"] = number - 1
    trace.setdefault("id", path.rsplit("/", 1)[-1].rpartition(".")[0])
    return {"id": trace["id"], **episode, "traces": [{**trace, "nodes": nodes}]}


def _records(data: bytes) -> Iterator[dict[str, Any]]:
    try:
        yield decode_line(data)[0]
        return
    except Unreadable:
        pass
    for line in data.split(b"\n"):
        try:
            yield decode_line(line)[0]
        except Unreadable:
            continue


def _nodes(item: dict[str, Any]) -> list[dict[str, Any]]:
    """The nodes of one line: a list of them, one, or a bare message."""
    nodes = item.get("nodes")
    if isinstance(nodes, list):
        return [node for node in nodes if isinstance(node, dict)]
    if isinstance(item.get("node"), dict):
        return [item["node"]]
    if isinstance(item.get("message"), dict):
        role = item["message"].get("role")
        keys = ("parent", "token_ids", "mask", "logprobs", "timestamp")
        return [{"message": item["message"], "sampled": item.get("sampled", role == "assistant"),
                 **{key: item[key] for key in keys if key in item}}]  # fmt: skip
    if isinstance(item.get("role"), str) and "content" in item:
        return [{"message": item, "sampled": item["role"] == "assistant"}]
    return []
