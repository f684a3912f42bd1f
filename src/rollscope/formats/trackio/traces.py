"""One row of trackio's table `traces`: its numbers, and the sample that it is."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import xxhash

from rollscope import render
from rollscope.formats.completion_table import integer, whole_messages
from rollscope.formats.lines.lenient import Unreadable, printable, read_record
from rollscope.formats.mapping import CANDIDATES
from rollscope.model import STATUSES, Message, Sample, Turn, as_number, numbers

#: The columns that `values` and `sample` take, in this order.
COLUMNS = ("rowid", "step", "key", "trace_index", "messages", "metadata", "timestamp", "spans")
_REWARD_PART = "rewards/"
_EVAL = re.compile(r"(^|[/_\-.])(eval|val|valid|validation|test)([/_\-.]|$)", re.IGNORECASE)
_STATUS = {"success": "completed", "ok": "completed", "finished": "completed", "error": "failed", "exception": "failed"}
#: Of `metadata`: what is shown elsewhere.
_KNOWN = frozenset({"reward", "advantage", "group_id", "group", "sample_index", "rollout_n", "step", "op", "status", "validate",
                    "inputs", "output", "model_version", "prompt_tokens", "completion_tokens", "total_tokens"})  # fmt: skip


def values(row: tuple[Any, ...]) -> dict[str, Any]:
    _, step, key, _, messages, metadata, *_ = row
    told = as_object(metadata)
    prompt = [message for message in _conversation(messages, told)[0] if message.turn is None]
    text = "\n".join(message.text for message in prompt)
    found: dict[str, Any] = {
        "step": integer(step) or 0,
        "split": split_of(str(key or ""), told),
        "env": str(told["op"]) if told.get("op") else None,
        "group": _group(told),
        "reward": as_number(told.get("reward")),
        "advantage": as_number(told.get("advantage")),
        "status": _status(told.get("status")),
        "sampling_step": integer(told.get("model_version")),
        "prompt_tokens": integer(told.get("prompt_tokens")),
        "completion_tokens": integer(told.get("completion_tokens")),
        "total_tokens": integer(told.get("total_tokens")),
        "prompt_hash": xxhash.xxh3_64_intdigest(text.encode("utf-8", "replace")) if text else None,
        "response_bytes": len(as_bytes(messages)),
    }
    for name, number in numbers({key: value for key, value in told.items() if key not in _KNOWN}):
        kind = "rewards" if name.startswith(_REWARD_PART) else "metrics"
        found[f"{kind}.{name.removeprefix(_REWARD_PART)}"] = number
    return found


def sample(row: tuple[Any, ...]) -> Sample:
    found = values(row)
    _, _, key, place, messages, metadata, timestamp, spans = row
    told = as_object(metadata)
    shown, notes = _conversation(messages, told)
    golden = {name: _text(told[name]) for name in CANDIDATES["golden"] if told.get(name) not in (None, "", [], {})}
    logs = {
        name: value for name, value in told.items() if name not in (*_KNOWN, *golden) and isinstance(value, (str, list))
    }
    sample = Sample(
        messages=shown, notes=notes, golden_answers=golden, turns=[Turn(index=0, logs=logs)] if logs else []
    )
    for name, value in found.items():
        kind, _, inner = name.partition(".")
        if inner:
            getattr(sample, kind)[inner] = value
        elif name not in ("step", "split", "prompt_hash", "response_bytes"):
            setattr(sample, name, value)
    sample.record = printable({
        "key": key, "trace_index": place, "timestamp": timestamp, "metadata": told,
        "messages": _json(messages), "spans": _json(spans),
    })  # fmt: skip
    return sample


def _conversation(messages: Any, told: dict[str, Any]) -> tuple[list[Message], list[str]]:
    found = _json(messages)
    if isinstance(found, list) and found:
        return whole_messages(found)
    # verl traces calls of functions: what went in and what came out.
    inputs, output = told.get("inputs"), told.get("output")
    asked = inputs if isinstance(inputs, list) else [{"role": "user", "content": _text(inputs)}] if inputs else []
    said = output if isinstance(output, list) else [{"role": "assistant", "content": _text(output)}] if output else []
    return [*render.messages_from_chat(asked, turn=None), *render.messages_from_chat(said, turn=0)], []


def _group(told: dict[str, Any]) -> Any:
    return next((told[key] for key in ("group_id", "group", "sample_index") if told.get(key) is not None), None)


def split_of(key: str, told: dict[str, Any]) -> str:
    if told.get("validate") is True:
        return "eval/validation"
    if match := _EVAL.search(key):
        return f"eval/{key[: match.start()] + key[match.end() :]}".rstrip("/_-.").replace("//", "/") or "eval/all"
    return "train"


def _status(value: Any) -> str | None:
    word = str(value).lower() if value else ""
    return word if word in STATUSES else _STATUS.get(word)


def as_bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value or "").encode("utf-8", "replace")


def _json(value: Any) -> Any:
    try:
        return msgspec.json.decode(as_bytes(value)) if value else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def as_object(value: Any) -> dict[str, Any]:
    """A JSON object in a cell, leniently (NaN); {} where there is none."""
    try:
        return read_record(as_bytes(value)) if value else {}
    except Unreadable:
        return {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(printable(value)).decode()
