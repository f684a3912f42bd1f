"""Calls of a model as ART recorded them on the wire, in any of four protocols, as one conversation.

The last call's request says all that went before it; where the first call's request ends, the policy began to speak.
"""

from __future__ import annotations

from typing import Any

from rollscope.formats.conversations.responses_api import chat_of_items
from rollscope.formats.json_values import items, mapping, text

_PROTOCOLS = ("chat_completions", "completions", "responses", "messages")


def recorded_conversation(exchanges: Any) -> list[dict[str, Any]]:
    """Messages, and choices of completions that hold one; what the policy said is marked as `trainable`."""
    told = mapping(exchanges)
    calls = [(protocol, mapping(call)) for protocol in _PROTOCOLS for call in items(told.get(protocol))]
    if not calls:
        return []
    calls.sort(key=lambda found: str(found[1].get("start_time")))
    protocol, last = calls[-1]
    of_one = [call for name, call in calls if name == protocol]
    asked, said = _request_messages(protocol, last, of_one), _response_messages(protocol, mapping(last.get("response")))
    first = _request_messages(protocol, of_one[0], of_one)
    begun = len(first) if asked[: len(first)] == first else len(asked)
    marked = [{**message, "trainable": True} if message.get("role") == "assistant" else message for message in said]
    own = [
        {**message, "trainable": True} if message.get("role") == "assistant" else message for message in asked[begun:]
    ]
    return [*asked[:begun], *own, *marked]


def _request_messages(protocol: str, call: dict[str, Any], calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    request = mapping(call.get("request"))
    if protocol == "chat_completions":
        return [mapping(message) for message in items(request.get("messages"))]
    if protocol == "completions":
        return [{"role": "user", "content": request.get("prompt")}]
    if protocol == "messages":
        lead = [{"role": "system", "content": request["system"]}] if request.get("system") else []
        return [*lead, *(mapping(message) for message in items(request.get("messages")))]
    return _asked_of_responses(call, calls)


def _asked_of_responses(call: dict[str, Any], calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A request may go on from an answer by its name alone: then all that went before belongs to it."""
    named = {text(mapping(other.get("response")).get("id")): other for other in calls if other is not call}
    chain = [call]
    while name := text(mapping(chain[-1].get("request")).get("previous_response_id")):
        if (before := named.pop(name, None)) is None:
            break
        chain.append(before)
    asked: list[dict[str, Any]] = []
    for place, link in enumerate(reversed(chain)):
        request = mapping(link.get("request"))
        given = request.get("input")
        if request.get("instructions") and not place:
            asked.append({"role": "system", "content": request["instructions"]})
        asked += (
            chat_of_items(given) if isinstance(given, list) else [{"role": "user", "content": given}] if given else []
        )
        if link is not call:
            asked += chat_of_items(items(mapping(link.get("response")).get("output")))
    return asked


def _response_messages(protocol: str, response: dict[str, Any]) -> list[dict[str, Any]]:
    if protocol == "chat_completions":
        return [{**mapping(choice), "role": "assistant"} for choice in items(response.get("choices"))[:1]]
    if protocol == "completions":
        return [
            {
                "role": "assistant",
                "finish_reason": mapping(choice).get("finish_reason"),
                "message": {"role": "assistant", "content": mapping(choice).get("text")},
            }
            for choice in items(response.get("choices"))[:1]
        ]
    if protocol == "messages":
        message = {"role": "assistant", "content": response.get("content")}
        return [{"role": "assistant", "finish_reason": response.get("stop_reason"), "message": message}]
    return chat_of_items(items(response.get("output")))
