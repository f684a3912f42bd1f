"""ATIF (the Agent Trajectory Interchange Format, v1.0 to v1.8): steps of system, user and agent as a conversation."""

from __future__ import annotations

import re
from typing import Any

from rollscope.formats.conversations.turns import conversation
from rollscope.formats.json_values import items, mapping, number, text
from rollscope.model import Message, TokenArrays, Transcript, Turn, as_integer, as_number

_SCHEMA = re.compile(rb'"schema_version"\s*:\s*"ATIF-')
_ROLES = {"system": "system", "user": "user", "agent": "assistant"}
#: Trajectories of subagents that are shown beside a sample's own.
MAX_SUBAGENTS = 50


def is_atif(head: bytes) -> bool:
    return _SCHEMA.search(head) is not None


def steps_of(trajectories: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps of a trajectory and of those that continue it. A continuation repeats its context: such copies are left out."""
    found: list[dict[str, Any]] = []
    for number_, trajectory in enumerate(trajectories):
        steps = [step for step in items(trajectory.get("steps")) if isinstance(step, dict)]
        found += [step for step in steps if not (number_ and step.get("is_copied_context"))]
    return found


def messages_of(steps: list[dict[str, Any]]) -> list[Message]:
    """What stands before the agent's first own words is the prompt."""
    chat: list[dict[str, Any]] = []
    first: int | None = None
    for step in steps:
        if step.get("source") == "agent" and not step.get("is_copied_context") and first is None:
            first = len(chat)
        chat += _step_messages(step)
    return conversation(chat, answered_from=len(chat) if first is None else first)


def _step_messages(step: dict[str, Any]) -> list[dict[str, Any]]:
    role = _ROLES.get(str(step.get("source")), str(step.get("source") or "unknown"))
    message: dict[str, Any] = {"role": role, "content": _content(step.get("message"))}
    if thought := text(step.get("reasoning_content")):
        message["reasoning_content"] = thought
    if calls := [call for call in items(step.get("tool_calls")) if isinstance(call, dict)]:
        message["tool_calls"] = [_call(call) for call in calls]
    names = {call.get("tool_call_id"): call.get("function_name") for call in calls}
    found = [message]
    for result in items(mapping(step.get("observation")).get("results")):
        told = mapping(result)
        call = text(told.get("source_call_id"))
        answer: dict[str, Any] = {"role": "tool", "content": _content(told.get("content")), "tool_call_id": call}
        found.append({**answer, "name": names.get(call)} if call in names else answer)
    return found


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = {"name": call.get("function_name"), "arguments": call.get("arguments")}
    return {"id": call.get("tool_call_id"), "type": "function", "function": function}


def _content(content: Any) -> Any:
    """Text, or parts: an image says where it lies."""
    if not isinstance(content, list):
        return content
    return [_part(part) if isinstance(part, dict) else part for part in content]


def _part(part: dict[str, Any]) -> dict[str, Any]:
    source = part.get("source")
    if part.get("type") == "image" and isinstance(source, dict):
        return {"type": "image", "image": source.get("path") or source.get("url") or source.get("media_type")}
    return part


def turns_of(steps: list[dict[str, Any]]) -> list[Turn]:
    """One per turn of the conversation: agent steps without anybody's answer between them are one."""
    turns: list[Turn] = []
    open_turn = False
    for step in steps:
        if step.get("source") != "agent" or step.get("is_copied_context"):
            open_turn = open_turn and step.get("source") == "agent"
            continue
        metrics = mapping(step.get("metrics"))
        prompt, completion = as_integer(metrics.get("prompt_tokens")), as_integer(metrics.get("completion_tokens"))
        cost = number(metrics.get("cost_usd"))
        if not open_turn:
            turns.append(Turn(index=len(turns), prompt_tokens=prompt))
        turn = turns[-1]
        if completion is not None:
            turn.completion_tokens = (turn.completion_tokens or 0) + completion
        if cost is not None:
            turn.metrics = {"cost_usd": turn.metrics.get("cost_usd", 0.0) + cost}
        open_turn = not items(mapping(step.get("observation")).get("results"))
    return turns


def tokens_of(steps: list[dict[str, Any]], details: Any = None) -> TokenArrays | None:
    """What the agent's calls generated, one behind the other, where they were kept: per step, or for the whole trial."""
    calls = [mapping(step.get("metrics")) for step in steps if step.get("source") == "agent"]
    pairs = [(items(call.get("completion_token_ids")), items(call.get("logprobs"))) for call in calls]
    if not any(ids for ids, _ in pairs):
        rollouts = [mapping(item) for item in items(details)]
        kept = rollouts[0] if rollouts else {}
        ids_of, logprobs_of = items(kept.get("completion_token_ids")), items(kept.get("logprobs"))
        pairs = [(items(ids), items(logprobs_of[i]) if i < len(logprobs_of) else []) for i, ids in enumerate(ids_of)]
    arrays = TokenArrays()
    for ids, logprobs in pairs:
        whole = [token for item in ids if (token := as_integer(item)) is not None]
        known = len(logprobs) == len(whole)
        arrays.ids = [*arrays.ids, *whole]
        arrays.logprobs = [
            *arrays.logprobs,
            *([as_number(item) for item in logprobs] if known else [None] * len(whole)),
        ]
    if not any(value is not None for value in arrays.logprobs):
        arrays.logprobs = []
    return arrays if arrays.ids else None


def subagents(trajectories: list[dict[str, Any]], others: list[tuple[str, dict[str, Any]]]) -> list[Transcript]:
    """Trajectories inside of the sample's, and others that lie beside them, each with who spoke in it."""
    inner = [
        (str(item.get("trajectory_id") or item.get("session_id") or "unnamed"), item)
        for trajectory in trajectories
        for item in items(trajectory.get("subagent_trajectories"))
        if isinstance(item, dict)
    ]
    found = []
    for name, item in (inner + others)[:MAX_SUBAGENTS]:
        agent = text(mapping(item.get("agent")).get("name"))
        title = f"Another trajectory of this sample: {name}" + (f", by {agent}" if agent else "")
        found.append(Transcript(title=title, messages=messages_of(steps_of([item]))))
    return found
