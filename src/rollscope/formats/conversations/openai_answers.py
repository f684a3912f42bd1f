"""Answers of OpenAI's interface that a script wrote down as they came: `{"messages": […], "choices": [{"message": …}]}`.

The answer may lie in the record itself, under `response`, or in a batch's `response.body`. Each of its choices is a sample.
An answer of Anthropic's interface, which is one message, may lie there too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollscope.formats.conversations.messages_api import is_answer

ChatRecord = Mapping[str, Any]

#: Where the answer may lie, as a path of keys.
_ANSWERS: tuple[tuple[str, ...], ...] = ((), ("response",), ("response", "body"), ("completion",), ("output",))
#: The same for answers of Anthropic's.
_MESSAGES = (("response",), ("response", "body"), ("result", "message"), ("completion",), ("output",), ("message",))
#: Where the request may lie that it answers.
_REQUESTS = ("request.messages", "request.body.messages", "body.messages", "request.prompt")
#: Where there is a score for each choice.
_SCORES = ("reward", "rewards", "score", "scores", "advantage", "advantages")
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


def choices_of(record: ChatRecord) -> list[dict[str, Any]] | None:
    """One record per choice of the answer; None where the record holds no such answer, or one choice."""
    path = _answer_path(record)
    choices = [] if path is None else _under(record, path)["choices"]
    if path is None or len(choices) < 2:
        return None
    per_choice = [key for key in _SCORES if isinstance(record.get(key), list) and len(record[key]) == len(choices)]
    return [
        {**_with_choice(record, path, choice), **{key: record[key][place] for key in per_choice}}
        for place, choice in enumerate(choices)
    ]


def answer_keys(records: Sequence[ChatRecord]) -> dict[str, str]:
    """Field -> path of keys, of the first record that holds an answer; empty where none does."""
    for record in records:
        if (found := _message_keys(record)) is not None:
            return found
        if (path := _answer_path(record)) is not None:
            answer = _under(record, path)
            lead = "".join(f"{key}." for key in path)
            first = answer["choices"][0]
            found = {"response": f"{lead}choices.0.{'message' if 'message' in first else 'text'}"}
            found["stop_reason"] = f"{lead}choices.0.finish_reason"
            usage = answer.get("usage")
            found |= {name: f"{lead}usage.{name}" for name in _COUNTS if isinstance(usage, Mapping) and name in usage}
            return {**_request_key(record), **found}
    return {}


def _message_keys(record: ChatRecord) -> dict[str, str] | None:
    """The same of an answer of Anthropic's interface."""
    path = next((path for path in _MESSAGES if is_answer(_under(record, path))), None)
    if path is None:
        return None
    lead = ".".join(path)
    usage = _under(record, (*path, "usage"))
    found = {"response": lead, "stop_reason": f"{lead}.stop_reason"}
    named = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}
    found |= {name: f"{lead}.usage.{key}" for name, key in named.items() if isinstance(usage, Mapping) and key in usage}
    return {**_request_key(record), **found}


def _request_key(record: ChatRecord) -> dict[str, str]:
    key = next((key for key in _REQUESTS if _under(record, key.split(".")) is not None), None)
    return {} if key is None else {"prompt": key}


def _answer_path(record: ChatRecord) -> tuple[str, ...] | None:
    return next((path for path in _ANSWERS if _is_answer(_under(record, path))), None)


def _is_answer(value: Any) -> bool:
    """The choices of a question have texts too: those of an answer have messages, or say why they ended."""
    choices = value.get("choices") if isinstance(value, Mapping) else None
    return isinstance(choices, list) and bool(choices) and all(map(_is_choice, choices))


def _is_choice(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    return isinstance(value.get("message"), Mapping) or (
        isinstance(value.get("text"), str) and "finish_reason" in value
    )


def _under(record: ChatRecord, path: Sequence[str]) -> Any:
    value: Any = record
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _with_choice(record: ChatRecord, path: Sequence[str], choice: Any) -> dict[str, Any]:
    if path:
        return {**record, path[0]: _with_choice(record[path[0]], path[1:], choice)}
    # What was generated was counted over all choices together.
    usage = record.get("usage")
    asked = {"prompt_tokens": usage["prompt_tokens"]} if isinstance(usage, Mapping) and "prompt_tokens" in usage else {}
    return {**record, "choices": [choice], **({"usage": asked} if "usage" in record else {})}
