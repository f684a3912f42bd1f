"""One row of trackio's table `traces`: its numbers, and the sample that it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec
import xxhash

from rollscope import render
from rollscope.formats.json_values import items
from rollscope.formats.lines.lenient import Unreadable, printable, read_record
from rollscope.formats.mapping import CANDIDATES
from rollscope.formats.run_files import NOT_FINITE
from rollscope.formats.sample_rows import response_bytes
from rollscope.formats.tables.completion_table import whole_messages
from rollscope.model import STATUSES, Message, Sample, Turn, as_integer, as_number, numbers

#: The columns that `values` and `sample` take, in this order.
COLUMNS = ("rowid", "step", "key", "trace_index", "messages", "metadata", "timestamp", "spans")
_REWARD_PART = "rewards/"
_REWARDS = ("reward", "score")
#: What verl's traces of rollouts have, and its validations have not.
_LOOP = frozenset({"op", "rollout_n"})
_EVAL = re.compile(r"(^|[/_\-.])(eval|val|valid|validation|test)([/_\-.]|$)", re.IGNORECASE)
_STATUS = {"success": "completed", "ok": "completed", "finished": "completed", "error": "failed", "exception": "failed"}
#: What verl puts where its operation has no messages: the operation's name, and what went in as JSON.
_FILLER = "verl rollout trace operation:"
#: Of `metadata`: what is shown elsewhere.
_KNOWN = frozenset({"reward", "advantage", "group_id", "group", "sample_index", "rollout_n", "step", "op", "status", "validate",
                    "inputs", "output", "model_version", "prompt_tokens", "completion_tokens", "total_tokens"})  # fmt: skip


def values(row: tuple[Any, ...]) -> dict[str, Any]:
    _, step, key, _, messages, metadata, *_ = row
    told = as_object(metadata)
    made = _loop_output(told)
    total = next((name for name in _REWARDS if name in told), None)
    conversation = _conversation(messages, told)[0]
    text = "\n".join(message.text for message in conversation if message.turn is None)
    found: dict[str, Any] = {
        "step": as_integer(step) or 0,
        "split": split_of(str(key or ""), told),
        "env": str(told["op"]) if told.get("op") else None,
        "group": _group(told),
        "reward": as_number(told[total] if total else made.get("reward_score")),
        "advantage": as_number(told.get("advantage")),
        "status": _status(told.get("status")),
        "sampling_step": as_integer(told.get("model_version")),
        "prompt_tokens": _first_known(
            as_integer(told.get("prompt_tokens")), len(items(made.get("prompt_ids"))) or None
        ),
        "completion_tokens": _first_known(as_integer(told.get("completion_tokens")), _sampled(made)),
        "total_tokens": as_integer(told.get("total_tokens")),
        "prompt_hash": xxhash.xxh3_64_intdigest(text.encode("utf-8", "replace")) if text else None,
        "response_bytes": response_bytes(conversation),
    }
    for name, number in numbers_in({key: value for key, value in told.items() if key not in _KNOWN and key != total}):
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
        name: value
        for name, value in told.items()
        if name not in (*_KNOWN, *golden) and f"metrics.{name}" not in found and isinstance(value, (str, list))
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
        return _loop_messages(found, told) or whole_messages(found)
    # verl traces calls of functions: what went in and what came out.
    inputs, output = told.get("inputs"), told.get("output")
    asked = inputs if isinstance(inputs, list) else [{"role": "user", "content": _text(inputs)}] if inputs else []
    said = output if isinstance(output, list) else [{"role": "assistant", "content": _text(output)}] if output else []
    return [*render.messages_from_chat(asked, turn=None), *render.messages_from_chat(said, turn=0)], []


def _loop_messages(filled: list[Any], told: dict[str, Any]) -> tuple[list[Message], list[str]] | None:
    """What was asked and said in verl's agent loop, where its trace has fillers instead; None where nothing tells it."""
    first = filled[0] if isinstance(filled[0], dict) else {}
    if not str(first.get("content") or "").startswith(_FILLER):
        return None
    made, inputs = _loop_output(told), told.get("inputs")
    prompt, response = made.get("prompt_text"), made.get("response_text")
    if isinstance(prompt, str) and isinstance(response, str):
        return render.split_conversation(prompt, response), []
    given = inputs if isinstance(inputs, dict) else {}
    inner = given.get("kwargs")
    asked = items({**(inner if isinstance(inner, dict) else {}), **given}.get("raw_prompt"))
    if not asked or not all(isinstance(item, dict) for item in asked):
        return None
    return [*render.messages_from_chat(asked, turn=None), *render.messages_from_chat(filled[2:], turn=0)], []


def _loop_output(told: dict[str, Any]) -> dict[str, Any]:
    """verl's `AgentLoopOutput`, where the trace is of one."""
    output = told.get("output")
    return output if isinstance(output, dict) and told.get("op") else {}


def _sampled(made: dict[str, Any]) -> int | None:
    """Tokens of the policy's own, where the mask tells them from what tools gave."""
    ids, mask = items(made.get("response_ids")), items(made.get("response_mask"))
    return sum(map(bool, mask)) if ids and len(mask) == len(ids) else len(ids) or None


def _first_known(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)


def _group(told: dict[str, Any]) -> Any:
    """verl's `sample_index` is the prompt's in its rollouts, and each sample's own where it logs validations."""
    names = ("group_id", "group", *(["sample_index"] if _LOOP & told.keys() else []))
    return next((told[key] for key in names if told.get(key) is not None), None)


def split_of(key: str, told: dict[str, Any]) -> str:
    if told.get("validate") is True:
        return "eval/validation"
    if match := _EVAL.search(key):
        return f"eval/{key[: match.start()] + key[match.end() :]}".rstrip("/_-.").replace("//", "/")
    return "train"


def _status(value: Any) -> str | None:
    word = str(value).lower() if value else ""
    return word if word in STATUSES else _STATUS.get(word)


def numbers_in(told: dict[str, Any]) -> Iterable[tuple[str, float]]:
    """trackio writes a number that is not finite as a word."""
    return numbers(
        {key: NOT_FINITE.get(value, value) if isinstance(value, str) else value for key, value in told.items()}
    )


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
