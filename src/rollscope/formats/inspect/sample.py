"""One sample of a log: its conversation, its scores, how it ended."""

from __future__ import annotations

import math
from typing import Any

from rollscope.formats.conversations.turns import conversation
from rollscope.formats.inspect.log import LogHeader
from rollscope.formats.json_values import items, mapping
from rollscope.formats.lines.lenient import printable
from rollscope.formats.stop_reasons import status_of
from rollscope.model import TOTAL_KEYS, Message, Sample, TokenArrays, TopToken, Turn, as_number, numbers

_VALUES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_ATTACHMENT = "attachment://"
_KEPT = ("role", "content", "tool_call_id")


def build_sample(record: dict[str, Any], head: LogHeader) -> Sample:
    attachments = mapping(record.get("attachments"))
    choices = items(mapping(record.get("output")).get("choices"))
    choice = mapping(choices[0]) if choices else {}
    error, limit = mapping(record.get("error")), mapping(record.get("limit"))
    stop = str(limit["type"]) if limit.get("type") else choice.get("stop_reason")
    reward, parts, notes = _rewards(mapping(record.get("scores")), head.headline)
    messages = _messages(record, attachments)
    invalidation = record.get("invalidation")
    usage = [mapping(item) for item in mapping(record.get("model_usage")).values()]
    if error:
        notes.append(f"Error: {error.get('message') or error}")
    return Sample(
        messages=messages,
        group=record.get("id") if isinstance(record.get("id"), (int, str)) else None,
        env=head.task,
        dataset=head.dataset,
        tags=[head.model] if head.model else [],
        reward=reward,
        rewards=parts,
        metrics=dict(numbers(mapping(record.get("metadata")))),
        golden_answers=_golden(_resolved(record.get("target"), attachments)),
        status=_ended(error) if error else "truncated" if limit else _status(stop, bool(record.get("scores"))),
        stop_reason=str(stop) if stop else None,
        discard_reason=_invalidated(invalidation),
        completion_tokens=_sum(usage, "output_tokens"),
        total_tokens=_sum(usage, "total_tokens"),
        timings=_timings(record),
        tokens=_tokens(choice.get("logprobs")),
        turns=_turns(messages, _resolved(mapping(record.get("scores")), attachments)),
        notes=notes,
    )


def _messages(record: dict[str, Any], attachments: dict[str, Any]) -> list[Message]:
    told = [item for item in items(record.get("messages")) if isinstance(item, dict)]
    if not told:
        asked = record.get("input")
        told = asked if isinstance(asked, list) else [{"role": "user", "content": asked}] if asked else []
    # Assistant messages of the input are examples: the model's own say that they were generated.
    spoken = [
        place for place, item in enumerate(told) if item.get("role") == "assistant" and item.get("source") != "input"
    ]
    chat = [_message(_resolved(item, attachments)) for item in told]
    return conversation(chat, answered_from=spoken[0] if spoken else len(chat))


def _message(source: dict[str, Any]) -> dict[str, Any]:
    """In the words of OpenAI's chat format, without Inspect's own ids and sources."""
    found = {key: source[key] for key in _KEPT if key in source}
    if isinstance(found.get("content"), list):
        found["content"] = [_part(part) for part in found["content"]]
    if source.get("role") == "tool":
        found["name"] = source.get("function")
        if isinstance(source.get("error"), dict) and not found.get("content"):
            found["content"] = str(source["error"].get("message") or source["error"])
    calls = items(source.get("tool_calls"))
    if calls:
        found["tool_calls"] = [_call(call) for call in calls]
    return found


def _part(part: Any) -> Any:
    if not isinstance(part, dict) or part.get("type") != "reasoning":
        return part
    thought = part.get("reasoning")
    shown = part.get("summary") if part.get("redacted") else thought
    return {"type": "thinking", "thinking": shown if isinstance(shown, str) and shown else "(redacted)"}


def _call(call: Any) -> Any:
    if not isinstance(call, dict) or not isinstance(call.get("function"), str):
        return call
    function = {"name": call["function"], "arguments": call.get("arguments")}
    return {"id": call.get("id"), "type": "function", "function": function}


def _resolved(value: Any, attachments: dict[str, Any]) -> Any:
    """Long texts stand beside the sample, and a reference in their place."""
    if isinstance(value, str) and _ATTACHMENT in value:
        found = attachments.get(value.removeprefix(_ATTACHMENT)) if value.startswith(_ATTACHMENT) else None
        return found if isinstance(found, str) else value
    if isinstance(value, list):
        return [_resolved(item, attachments) for item in value]
    if isinstance(value, dict):
        return {key: _resolved(item, attachments) for key, item in value.items()}
    return value


def _rewards(
    scores: dict[str, Any], headline: tuple[str | None, str | None]
) -> tuple[float | None, dict[str, float], list[str]]:
    """(reward, parts, notes). One scorer's value is the reward; of several each is a part too."""
    values = {name: mapping(score).get("value") if isinstance(score, dict) else score for name, score in scores.items()}
    parts: dict[str, float] = {}
    for name, value in values.items():
        inner = value.items() if isinstance(value, dict) else [("", value)]
        for key, item in inner:
            if (number := _number(item)) is not None:
                parts[f"{name}/{key}" if key else name] = number
    score, scorer = headline
    chosen = next((name for name in headline if name in values), next(iter(values), None))
    value = values.get(chosen or "")
    if not isinstance(value, dict):
        notes = [f"The reward is the value of {chosen}, one of {len(values)} scorers."] if len(values) > 1 else []
        return _number(value), parts if len(parts) > 1 else {}, notes
    # The scores of a scorer that gives several values are named like them.
    key = score if chosen == scorer and score in value else next((key for key in TOTAL_KEYS if key in value), None)
    if key is None:
        return None, parts, [f"No reward: {chosen} gives several values, and none that is their total."]
    return _number(value[key]), parts, [f"The reward is {key}, one of {len(value)} values of {chosen}."]


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        known = _VALUES.get(value, _VALUES.get(value.lower()))
        return as_number(value) if known is None else known
    return as_number(value)


def _golden(target: Any) -> dict[str, str]:
    texts = [str(item) for item in (target if isinstance(target, list) else [target]) if item not in (None, "")]
    if len(texts) == 1:
        return {"target": texts[0]}
    return {f"target {number}": text for number, text in enumerate(texts, start=1)}


def _ended(error: dict[str, Any]) -> str:
    """Samples that were under way when another one failed were cancelled."""
    return "aborted" if str(error.get("message")).startswith("CancelledError") else "failed"


def _status(stop: Any, scored: bool) -> str | None:
    """An agent may end with a call of a tool, which says nothing; only what came to its end was scored."""
    found = "truncated" if stop in ("model_length", "max_tokens") else status_of(stop)
    return "completed" if found is None and scored else found


def _invalidated(invalidation: Any) -> str | None:
    if not invalidation:
        return None
    reason = invalidation.get("reason") if isinstance(invalidation, dict) else None
    return f"invalidated: {reason}" if reason else "invalidated"


def _sum(usage: list[dict[str, Any]], key: str) -> int | None:
    found = [number for item in usage if (number := as_number(item.get(key))) is not None and math.isfinite(number)]
    return int(sum(found)) if found else None


def _timings(record: dict[str, Any]) -> dict[str, float]:
    told = {"total": as_number(record.get("total_time")), "working": as_number(record.get("working_time"))}
    return {name: seconds for name, seconds in told.items() if seconds is not None}


def _tokens(logprobs: Any) -> TokenArrays | None:
    content = [mapping(item) for item in items(mapping(logprobs).get("content"))]
    if not content:
        return None
    values = [as_number(item.get("logprob")) for item in content]
    top = [_alternatives(item.get("top_logprobs")) for item in content]
    return TokenArrays(
        strings=[str(item.get("token") or "") for item in content], logprobs=values, top=top if any(top) else []
    )


def _alternatives(told: Any) -> list[TopToken]:
    found = [mapping(item) for item in items(told)]
    return [TopToken(token=str(item.get("token") or ""), logprob=as_number(item.get("logprob"))) for item in found]


def _turns(messages: list[Message], scores: dict[str, Any]) -> list[Turn]:
    """One per answer; what the scorers said belongs to the last."""
    count = 1 + max((message.turn for message in messages if message.turn is not None), default=-1)
    turns = [Turn(index=index) for index in range(count)]
    told = {
        name: {key: value for key, value in score.items() if key in ("answer", "explanation", "metadata") and value}
        for name, score in scores.items()
        if isinstance(score, dict)
    }
    if turns and any(told.values()):
        turns[-1].logs = printable({name: value for name, value in told.items() if value})
    return turns
