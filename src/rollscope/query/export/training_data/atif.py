"""A sample as a trajectory of ATIF, the Agent Trajectory Interchange Format that Harbor and others read."""

from __future__ import annotations

from typing import Any

from rollscope.model import Message, Sample, nonfinite_name
from rollscope.query.export.training_data.chat_messages import chat_messages, read_calls

VERSION = "ATIF-v1.6"
_SOURCES = {"system": "system", "developer": "system", "assistant": "agent"}


def trajectory(sample: Sample, run: str) -> dict[str, Any]:
    """Steps of system, user and agent; what tools answered is the observation of the agent's step before."""
    steps: list[dict[str, Any]] = []
    calls: set[str] = set()
    for message in sample.messages:
        if message.role == "tool" and steps and steps[-1]["source"] == "agent":
            steps[-1].setdefault("observation", {"results": []})["results"].append(_result(message, calls))
        elif (step := _step(message)) is not None:
            steps.append({"step_id": len(steps) + 1, **step})
            calls = {call["tool_call_id"] for call in step.get("tool_calls", ())}
    known = {"address": sample.address, "reward": sample.reward, "advantage": sample.advantage, "status": sample.status}
    return {
        "schema_version": VERSION,
        "session_id": f"{run}/{sample.address}",
        "agent": {"name": sample.env or run, "version": "unknown"},
        "steps": steps,
        "extra": _finite({name: value for name, value in known.items() if value is not None}, sample.rewards),
    }


def _finite(known: dict[str, Any], rewards: dict[str, float]) -> dict[str, Any]:
    """NaN and infinities, which JSON has no word for, are null and named, as in all our JSON."""
    named = known | {f"rewards.{name}": value for name, value in rewards.items()}
    odd = {key: name for key, value in named.items() if type(value) is float and (name := nonfinite_name(value))}
    found = {key: None if key in odd else value for key, value in known.items()}
    if rewards:
        found["rewards"] = {key: None if f"rewards.{key}" in odd else value for key, value in rewards.items()}
    return found | ({"nonfinite": odd} if odd else {})


def _step(message: Message) -> dict[str, Any] | None:
    thoughts = [part.content.strip() for part in message.parts if part.type == "thinking"]
    others = [part for part in message.parts if part.type != "thinking"]
    rest = chat_messages([Message(role=message.role, parts=others)])
    if not rest and not any(thoughts):
        return None
    source = _SOURCES.get(message.role, "user")
    step: dict[str, Any] = {"source": source, "message": rest[0]["content"] if rest else ""}
    if source != "agent":
        return step
    if any(thoughts):
        step["reasoning_content"] = "\n\n".join(thought for thought in thoughts if thought)
    if calls := read_calls(others)[0]:
        step["tool_calls"] = [
            {
                "tool_call_id": call.get("id") or f"call_{number}",
                "function_name": call["function"]["name"],
                "arguments": call["function"]["arguments"],
            }
            for number, call in enumerate(calls)
        ]
    return step


def _result(message: Message, calls: set[str]) -> dict[str, Any]:
    (answer,) = chat_messages([message]) or [{"content": ""}]
    call = answer.get("tool_call_id")
    # A result may only name a call of its own step.
    return {"content": answer["content"], **({"source_call_id": call} if call in calls else {})}
