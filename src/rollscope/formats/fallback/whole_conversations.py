"""Conversations as records of no known trainer have them: one list of messages, in whatever words (`from` and `value`, the
items of OpenAI's Responses API), or of the steps of a trajectory (observation, thought, action)."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from rollscope.formats.conversations.messages_api import bare, is_answer
from rollscope.formats.conversations.responses_api import chat_of_items
from rollscope.formats.conversations.turns import answer_start
from rollscope.formats.lines.lenient import printable

#: What a message has besides its role, one of these at least.
_SAID = frozenset({"content", "tool_calls", "reasoning_content"})
#: Where a message may name its speaker, and say what was said; ShareGPT had `from` and `value`.
_SPEAKER_KEYS = ("role", "from", "speaker", "author", "type")
_SAID_KEYS = ("content", "value", "text", "parts")
_SPEAKERS = {
    "human": "user",
    **dict.fromkeys(("gpt", "ai", "bot", "chatbot", "model", "function_call"), "assistant"),
    **dict.fromkeys(("observation", "function"), "tool"),
}
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", *_SPEAKERS})
#: Between the objects of a numpy array that was written as text: within texts an end of line is escaped.
_NO_COMMA = re.compile(r"\}\n \{")
#: What a piece of a message's content is.
_PIECES = frozenset({"text", "input_text", "output_text", "thinking", "tool_use", "image", "image_url", "input_image"})
#: What a step of a trajectory has: what was seen, what was thought, what was done, and what then was seen.
_SEEN = ("observation", "obs", "state", "user", "prompt", "input")
_OBSERVED = ("observation", "obs")
_THOUGHT = ("thought", "thoughts", "reasoning")
_DONE = ("action", "act", "response", "model_response", "llm_response", "assistant", "completion", "output")
_THEN = ("next_observation", "next_obs", "next_state")


def split_conversation(messages: Any) -> tuple[Any, Any]:
    """(what was asked, everything from the first answer on); the second is None where the assistant said nothing. In a
    text, a chat template's header says where it begins to speak."""
    if isinstance(messages, str) and (first_word := answer_start(messages)) is not None:
        return messages[:first_word], messages[first_word:]
    if not isinstance(messages, list):
        return messages, None
    answers = (at for at, item in enumerate(messages) if isinstance(item, dict) and item.get("role") == "assistant")
    first = next(answers, None)
    return (messages, None) if first is None else (messages[:first], messages[first:])


def as_messages(value: Any) -> Any:
    """A conversation that is written as JSON text, in other words than a chat's, or as steps, as a list of messages, and
    so a message on its own; anything else unchanged."""
    if isinstance(value, dict) and isinstance(value.get("role"), str) and not value.keys().isdisjoint(_SAID):
        return [bare(value) if is_answer(value) else value]
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        if any(map(_is_item, value)) and all(_is_item(item) or "role" in item for item in value):
            return chat_of_items(value)
        if all(map(_is_spoken, value)):
            return [_message(item) for item in value]
    if isinstance(value, list) and value and all(map(_is_pair, value)):
        return [_message({"role": role, "content": text}) for role, text in value]
    if is_trajectory(value):
        return _messages_of_steps(value)
    if isinstance(value, dict) and _are_columns(value):
        return [dict(zip(value, told)) for told in zip(*value.values())]
    if isinstance(value, str) and value.startswith("[") and ('"role"' in value or "'role'" in value):
        decoded = _written_as_text(value)
        if isinstance(decoded, list) and decoded and all(isinstance(item, dict) for item in decoded):
            return decoded
    return value


def as_one_message(value: Any, role: str) -> Any:
    """Pieces of one message's content, by themselves, as a message; anything else unchanged."""
    pieces = isinstance(value, list) and all(
        isinstance(item, dict) and "role" not in item and str(item.get("type")) in _PIECES for item in value
    )
    return [{"role": role, "content": value}] if pieces and value else value


def _are_columns(value: Mapping[str, Any]) -> bool:
    """Messages as lists of who spoke and of what was said, as `datasets` turns a sequence of objects into columns."""
    lengths = {len(column) if isinstance(column, list) else None for column in value.values()}
    roles = value.get("role")
    return (
        len(lengths) == 1
        and isinstance(roles, list)
        and "content" in value
        and all(isinstance(role, str) for role in roles)
        and None not in lengths
    )


def _written_as_text(text: str) -> Any:
    """What JSON says, or (as pandas fills the cells of a CSV) a Python literal."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):  # half a character is text too
        pass
    for written in (text, _NO_COMMA.sub("}, {", text)) if "'role'" in text else ():
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            return ast.literal_eval(written)
    return None


def _is_pair(item: Any) -> bool:
    """A speaker and a text."""
    two_texts = isinstance(item, list) and len(item) == 2 and all(isinstance(text, str) for text in item)
    return two_texts and item[0].lower() in _ROLES


def _is_item(item: Mapping[str, Any]) -> bool:
    """An item of OpenAI's Responses API."""
    kind = item.get("type")
    return isinstance(kind, str) and (kind in ("message", "reasoning") or kind.endswith(("_call", "_call_output")))


def _is_spoken(item: Mapping[str, Any]) -> bool:
    return _speaker_key(item) is not None and (_said_key(item) is not None or not item.keys().isdisjoint(_SAID))


def _speaker_key(item: Mapping[str, Any]) -> str | None:
    """A `type` is as often that of an event: it names a speaker only where it is a speaker's name."""
    keys = (key for key in _SPEAKER_KEYS if isinstance(item.get(key), str))
    return next((key for key in keys if key != "type" or item[key].lower() in _ROLES), None)


def _said_key(item: Mapping[str, Any]) -> str | None:
    return next((key for key in _SAID_KEYS if isinstance(item.get(key), (str, list))), None)


def _message(item: Mapping[str, Any]) -> dict[str, Any]:
    speaker, said = _speaker_key(item) or "", _said_key(item)
    name = item[speaker]
    role = name.lower() if name.lower() in _ROLES else name
    if (speaker, said) == ("role", "content") and role == name and role not in _SPEAKERS:
        return dict(item)
    told = {"role": _SPEAKERS.get(role, role)}
    if said is not None:
        told["content"] = _typed_parts(item[said]) if said == "parts" else item[said]
    return told | {key: value for key, value in item.items() if key not in (speaker, said)}


def _typed_parts(parts: Any) -> Any:
    """Gemini's parts are told apart by their keys, where others have a type."""
    if not isinstance(parts, list):
        return parts
    return [{"type": "text", **part} if isinstance(part, dict) and part.keys() == {"text"} else part for part in parts]


def is_trajectory(value: Any) -> bool:
    """Steps of which each says what was done, and one what was seen."""
    if not isinstance(value, list) or not value:
        return False
    if not all(isinstance(item, dict) and "role" not in item and _first(item, _DONE) is not None for item in value):
        return False
    return any(_first(item, (*_SEEN, *_THEN)) is not None for item in value)


def are_parallel(observations: Any, actions: Any) -> bool:
    """Two lists, what was seen and what was done: as many, or one more seen at the end."""
    if not isinstance(observations, list) or not isinstance(actions, list) or not actions:
        return False
    return len(observations) - len(actions) in (0, 1)


def interleaved(observations: Sequence[Any], actions: Sequence[Any]) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    for place, seen in enumerate(observations):
        steps.append({"role": "user", "content": _text(seen)})
        if place < len(actions):
            steps.append({"role": "assistant", "content": _text(actions[place])})
    return steps


def _messages_of_steps(steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    shown: Any = None
    follows = any(map(_observes_after, steps))
    for step in steps:
        seen, thought, done, then = (_first(step, names) for names in (_SEEN, _THOUGHT, _DONE, _THEN))
        if follows and then is None:
            seen, then = None, seen
        # What was seen after a step is often said again before the next.
        if seen is not None and seen != shown:
            found.append({"role": "user", "content": _text(seen)})
        reasoning = {} if thought is None else {"reasoning_content": _text(thought)}
        found.append({"role": "assistant", "content": _text(done), **reasoning})
        if then is not None:
            found.append({"role": "user", "content": _text(then)})
        shown = then
    return found


def _observes_after(step: Mapping[str, Any]) -> bool:
    """Whether a step tells what was done before what was seen, in an order that is not that of the alphabet."""
    names = list(step)
    seen = next((names.index(name) for name in _OBSERVED if name in step), -1)
    done = next((names.index(name) for name in _DONE if name in step), len(names))
    return seen > done and names != sorted(names)


def _first(step: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((step[name] for name in names if step.get(name) is not None), None)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(printable(value)).decode()
