"""Rollouts in flight: `live/<trace_id>.jsonl`, which grows turn by turn, and `live/pending/<id>.json`, not begun yet.

A line of the first is what was new in the trace: its head once (`open`, with the `dispatch` that asked for it), then
nodes, calls and errors that came, fields that changed (`set`), and `pending`: messages of the request that is under way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rollscope.formats.lines.lenient import Unreadable, decode_line
from rollscope.storage.store import Store

_EPISODE = ("env", "task", "group", "run", "ok", "is_timeout")
#: Grow by what a line brings.
_LISTS = ("nodes", "calls", "errors", "extra_usage")
#: About the line, not about the trace.
_OF_LINE = frozenset({"trace", "open", "set", "dispatch", "pending", "links", "routing_repairs", "discard"})


def live_files(store: Store, folder: str) -> Iterator[tuple[str, str]]:
    """(path, trace or episode id). What was pending stays there for a moment when its first trace has begun."""
    begun = [f"{folder}/{name}" for name in store.files(folder) if name.endswith(".jsonl")]
    for path in begun:
        yield path, path.rsplit("/", 1)[-1].removesuffix(".jsonl")
    pending = [name.removesuffix(".json") for name in store.files(f"{folder}/pending") if name.endswith(".json")]
    known = {_dispatched(store, path) for path in begun} if pending else set()
    for name in pending:
        if name not in known:
            yield f"{folder}/pending/{name}.json", name


def _dispatched(store: Store, path: str) -> str | None:
    """The id of the request that a rollout in flight was begun for, which its first line says."""
    try:
        dispatch = decode_line(store.first_line(path))[0].get("dispatch")
    except (OSError, Unreadable):
        return None
    return str(dispatch["id"]) if isinstance(dispatch, dict) and "id" in dispatch else None


def live_record(data: bytes, path: str) -> dict[str, Any]:
    """An episode with one trace, of what is there so far. Raises `Unreadable` where there is nothing yet."""
    records = list(_records(data))
    if not records:
        raise Unreadable("nothing is written yet")
    episode: dict[str, Any] = {}
    trace: dict[str, Any] = {}
    under_way: list[Any] = []
    for item in records:
        dispatch = item.get("dispatch") if "trace" in item else item if "/pending/" in path else None
        if isinstance(dispatch, dict):
            episode |= _episode(dispatch)
        under_way = [] if "nodes" in item else under_way
        under_way = item["pending"] if isinstance(item.get("pending"), list) else under_way
        for part in (item.get("open"), {} if "/pending/" in path else item, item.get("set")):
            _add(trace, part if isinstance(part, dict) else {})
    nodes = [*trace.pop("nodes", [])]
    for message in under_way:
        nodes.append({"parent": len(nodes) - 1 if nodes else None, "message": message, "sampled": False})
    episode |= {key: trace.pop(key) for key in _EPISODE if isinstance(trace.get(key), (dict, bool))}
    trace.setdefault("id", path.rsplit("/", 1)[-1].rpartition(".")[0])
    return {"id": trace["id"], **episode, "traces": [{**trace, "nodes": nodes}]}


def _add(trace: dict[str, Any], part: dict[str, Any]) -> None:
    for key, value in part.items():
        if key in _LISTS:
            trace[key] = [*trace.get(key, []), *(value if isinstance(value, list) else [])]
        elif key not in _OF_LINE:
            trace[key] = value


def _episode(dispatch: dict[str, Any]) -> dict[str, Any]:
    """What the dispatcher says of an episode, in an episode's own words."""
    work = {"type": dispatch.get("kind"), "step": dispatch.get("step")}
    if dispatch.get("policy_version") is not None:
        work["policy"] = {"start": dispatch["policy_version"]}
    found: dict[str, Any] = {"run": {"work": work}}
    for name, key in (("env", "name"), ("group", "id"), ("task", "key")):
        value = dispatch.get(name)
        if value is not None:
            found[name] = value if isinstance(value, dict) else {key: str(value)}
    return found


def _records(data: bytes) -> Iterator[dict[str, Any]]:
    """Of a file that is being written: whole lines."""
    for line in data.split(b"\n"):
        try:
            yield decode_line(line)[0]
        except Unreadable:
            continue
