"""The fields of a sample: their names, their values as text, and which of them are shown unless told otherwise.

Texts (the prompt, the response, …) are fields too, so that one list shows and hides everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from rollscope.fields import BY_NAME, SPACES, shown_in
from rollscope.model import Message, Sample, encode_json
from rollscope.tui.palette import number

#: The texts, in reading order; they come first in the list of fields.
TEXT_FIELDS = ("prompt", "response", "golden_answers", "turns", "notes")

#: Scores before what they were given for; the header says which sample it is, and turns have a part of their own.
_SCALARS = tuple(
    field.name
    for field in sorted(shown_in("details"), key=lambda field: field.kind not in ("score", "signed"))
    if field.name not in ("address", "split", "step", "index", "turns")
)
_MAPPINGS = ("rewards", "metrics", "timings", "source", "record")


def shown_at_first(name: str) -> bool:
    """Not where the sample lies, nor the record that the other fields were read from: only when asked for."""
    top = name.partition(".")[0]
    if top in _MAPPINGS:
        return top in SPACES
    return top not in BY_NAME or "folded" not in BY_NAME[top].shown


def is_field(name: str) -> bool:
    """Is this column of the index something a sample shows? (Its place in the file is not.)"""
    return name in _SCALARS or name.partition(".")[0] in _MAPPINGS


def field_names(sample: Sample) -> list[str]:
    """Every field this sample has a value for."""
    texts = [name for name in TEXT_FIELDS if has_text(sample, name)]
    scalars = [name for name in _SCALARS if name in sample.nonfinite or getattr(sample, name) not in (None, [], 0, "")]
    # Zero is a value for everything but the attempt, where it means "the first".
    scalars += [name for name in _SCALARS if getattr(sample, name) == 0 and name != "attempt" and name not in scalars]
    scalars.sort(key=_SCALARS.index)
    nested = [f"{name}.{key}" for name in _MAPPINGS for key in _mapping(sample, name)]
    return texts + scalars + nested


def has_text(sample: Sample, name: str) -> bool:
    match name:
        case "prompt":
            return any(message.turn is None for message in sample.messages)
        case "response":
            return any(message.turn is not None for message in sample.messages)
        case _:
            return bool(getattr(sample, name))


def field_value(sample: Sample, name: str) -> str:
    """A field's value as one text, as it was (not yet made safe for a terminal)."""
    if name in sample.nonfinite:
        return sample.nonfinite[name]
    top, _, key = name.partition(".")
    value = _mapping(sample, top).get(key) if key else getattr(sample, name)
    return as_text(value, signed=name in BY_NAME and BY_NAME[name].kind == "signed")


def text_of(sample: Sample, name: str) -> str:
    """The text of a text field, for the table of fields."""
    match name:
        case "prompt":
            return "\n".join(_message_text(message) for message in sample.messages if message.turn is None)
        case "response":
            return "\n".join(text for _, text in turn_texts(sample))
        case "golden_answers":
            answers = sample.golden_answers
            return "\n".join(
                answers.values() if len(answers) == 1 else (f"{key}: {text}" for key, text in answers.items())
            )
        case "turns":
            return "\n".join(turn_summary(sample, turn.index) for turn in sample.turns)
        case _:
            return "\n".join(sample.notes)


def turn_texts(sample: Sample) -> list[tuple[int, str]]:
    """What was said in each turn that has words, by the model and by those who answered it."""
    said = [message for message in sample.messages if message.turn is not None]
    return [
        (turn, "\n".join(_message_text(message) for message in messages))
        for turn, messages in groupby(said, key=lambda message: message.turn)
        if turn is not None
    ]


def _message_text(message: Message) -> str:
    """The message's text. A tool call that was recorded beside the words, not in them, has a line of its own."""
    pieces: list[str] = []
    for part in message.parts:
        is_beside = part.type == "tool_call" and part.lead == 0
        if is_beside and pieces and not pieces[-1].endswith("\n"):
            pieces.append("\n")
        pieces.append(part.text)
    return "".join(pieces)


def turn_summary(sample: Sample, index: int) -> str:
    """The numbers and logs of one turn on one line, or nothing."""
    turn = next((turn for turn in sample.turns if turn.index == index), None)
    if turn is None:
        return ""
    facts: list[tuple[str, Any]] = [("reward", turn.reward), ("stop", turn.stop_reason)]
    facts += [("prompt tokens", turn.prompt_tokens), ("tokens", turn.completion_tokens)]
    facts += [*turn.metrics.items(), *turn.timings.items(), *turn.logs.items()]
    return joined(f"{name} {as_text(value)}" for name, value in facts if value is not None)


def joined(facts: Iterable[str]) -> str:
    return " · ".join(fact for fact in facts if fact)


def as_text(value: Any, *, signed: bool = False) -> str:
    """Numbers as people read them, texts as they are, everything else as JSON."""
    match value:
        case None:
            return "–"
        case bool():
            return str(value).lower()
        case int() | float():
            return number(value, signed=signed)
        case str():
            return value
        case [*items] if all(isinstance(item, str) for item in items):
            return ", ".join(items)
        case _:
            return encode_json(value).decode()


def _mapping(sample: Sample, name: str) -> Mapping[str, Any]:
    value = getattr(sample, name)
    return value if isinstance(value, Mapping) else {}
