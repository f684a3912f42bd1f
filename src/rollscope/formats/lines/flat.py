"""Records with one prompt and one response a line: most trainers' dumps, which differ only in their keys.

A format of this kind is a table of keys (`Keys`) and a rule for its file names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, ClassVar

import msgspec
from msgspec import Raw, Struct

from rollscope import render
from rollscope.fields import STORED
from rollscope.formats.base import Place, Source, Texts, message_starts
from rollscope.formats.lines.jsonl import JsonlFormat, prompt_hash
from rollscope.formats.lines.lenient import Unreadable, decode_line, printable
from rollscope.formats.lines.preview import record_beginning
from rollscope.formats.lines.row_reader import metric_number, nested_prefix
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Message, Part, Sample, as_integer, as_number, as_text, numbers, split_reward
from rollscope.storage.store import Store

_TEXTS = ("prompt", "response", "golden")
#: Read one by one below, or not given by the source.
_APART = frozenset({"split", "index", "attempt", "response_bytes", "reward", "group", "tags"})
#: Scalars that are used unchanged, as columns and in samples.
_SCALARS = tuple(field for field in STORED if field.name not in _APART)
_NAMES = (*_TEXTS, "reward", "group", "tags", *(field.name for field in _SCALARS))
#: The prefix of the key for a field that the source does not have: no record has such a key.
_ABSENT = "<no "


class Keys:
    """The key of each field in the source: `Keys(prompt="question", reward="score")`. The source lacks fields that are
    not named.

    ``ignored`` are keys that are numbers but say nothing about the sample (its own position, copies of other counts).
    """

    def __init__(self, *, ignored: tuple[str, ...] = (), **keys: str | None) -> None:
        if unknown := keys.keys() - set(_NAMES):
            raise TypeError(f"no field of a sample: {', '.join(sorted(unknown))}; there are {', '.join(_NAMES)}")
        self.ignored = ignored
        self.by_field: dict[str, str] = {name: key for name, key in keys.items() if key is not None}
        self._identity = (ignored, tuple(sorted(self.by_field.items())))

    def __getattr__(self, name: str) -> str | None:
        if name in _NAMES:
            return self.by_field.get(name)
        raise AttributeError(name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keys) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)


#: The last question of a prompt is searched in this many characters at its end.
PREVIEW_FROM = 20_000


_PLAIN_MESSAGE = frozenset({"role", "content", "name", "tool_call_id", "trainable"})


#: A value that is shown as JSON in our spelling: an object, a list of more than texts, a number with a point or a power.
_NO_TEXT = rb'\s*:\s*(?:\{|\[\s*(?:[^"\]\s]|[^\]]*[^"\s\]]\s*[,\]])|-?(?:[0-9]+[.eE]|[NI]))'


class FlatFormat(JsonlFormat):
    """Subclasses give `keys` and the names of files; a few override how groups or splits are read."""

    keys: ClassVar[Keys]
    # Lists of messages: their calls and unknown fields are shown in our words, not in those of the line.
    # This is how they begin; `"role"` would be more specific, but quotes are everywhere and finding it takes ten times
    # as long.
    reworded = rb"\[\s*\{"

    def respelled(self, store: Store, source: Source) -> bytes | None:
        keys = self.keys_for(store, source)
        names = {key.rpartition(".")[2] for name in _TEXTS if (key := getattr(keys, name))}
        named = b"|".join(re.escape(msgspec.json.encode(name)[1:]) for name in sorted(names))
        return b"(?:%b)%b" % (named, _NO_TEXT) if names else None

    def keys_for(self, store: Store, source: Source) -> Keys:
        return self.keys

    def row_type(self, store: Store, source: Source) -> type[Struct]:
        return row_struct(self.keys_for(store, source))

    def group_of(self, value: Any) -> Any:
        """The group as it is compared within a step."""
        return value

    def split_of(self, row: Any, source: Source) -> str | None:
        """The split of a row, if its line decides; None if the file does."""
        return None

    def columns(self, rows: list[Any], source: Source) -> dict[str, Sequence[Any]]:
        columns: dict[str, Sequence[Any]] = {
            **_rewards([row.reward for row in rows]),
            "prompt_hash": [prompt_hash(row.prompt) for row in rows],
            "response_bytes": [len(row.response) for row in rows],
            "group": [self.group_of(row.group) for row in rows],
        }
        kind: Any = type(rows[0])
        for name in _named_scalars(kind):
            columns[name] = list(map(attrgetter(name), rows))
        if any(type(value) is list for value in columns.get("advantage", ())):
            columns["advantage"] = list(map(one_value, columns["advantage"]))
        if any(row.tags for row in rows):
            columns["tags"] = [row.tags if isinstance(row.tags, list) else None for row in rows]
        splits = [self.split_of(row, source) for row in rows]
        if any(splits):
            columns["split"] = splits
        if "stop_reason" in columns:
            given = columns.get("status", [None] * len(rows))
            columns["status"] = [
                status_of(stop) if status in (None, "") else status
                for status, stop in zip(given, columns["stop_reason"])
            ]
        return columns

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        sample = self.scalars(record, self.keys_for_record(record, source))
        sample.messages = self.messages(*self.question_and_answer(record, source))
        return sample

    def scalars(self, record: dict[str, Any], keys: Keys) -> Sample:
        """Everything in a sample except its messages."""

        def get(name: str) -> Any:
            key = getattr(keys, name)
            return self.value(record, key) if key is not None else None

        reward, rewards = split_reward(get("reward"))
        used = {*keys.by_field.values(), *keys.ignored}
        sample = Sample(
            reward=reward,
            rewards=rewards,
            metrics=self._metrics({key: value for key, value in record.items() if key not in used}),
            golden_answers=golden_answers(keys.golden or "answer", get("golden")),
            group=self.group_of(get("group")),
            tags=[str(tag) for tag in get("tags") or []] if isinstance(get("tags"), list) else [],
        )
        for field in _SCALARS:
            if field.name not in ("step", "turns"):
                # As in `columns`: only an advantage may be a list over tokens.
                value = one_value(get(field.name)) if field.name == "advantage" else get(field.name)
                setattr(sample, field.name, _READERS[field.type](value))
        if sample.status is None:
            sample.status = status_of(sample.stop_reason)
        return sample

    def value(self, record: dict[str, Any], key: str) -> Any:
        return record.get(key)

    def question_and_answer(self, record: dict[str, Any], source: Source) -> tuple[Any, Any]:
        """(prompt, response) as the record has them."""
        keys = self.keys_for_record(record, source)
        asked, said = (getattr(keys, name) for name in ("prompt", "response"))
        return (self.value(record, asked) if asked else None), (self.value(record, said) if said else None)

    def _metrics(self, values: dict[str, Any]) -> dict[str, float]:
        """Numbers, nested ones too."""
        nested: dict[str, float] = {}
        plain: dict[str, float] = {}
        for key, value in values.items():
            if isinstance(value, dict):
                nested.update(numbers(value, nested_prefix(key)))
            elif (number := metric_number(key, value, self.number_texts)) is not None:
                plain[key] = number
        return {**nested, **plain}

    def keys_for_record(self, record: dict[str, Any], source: Source) -> Keys:
        return self.keys

    def messages(self, prompt: Any, response: Any) -> list[Message]:
        if isinstance(prompt, list) or isinstance(response, list):
            return [*chat(prompt, "user", None), *chat(response, "assistant", 0)]
        found = self.split_text(_plain(prompt), _plain(response))
        if response == "" and all(message.turn is None for message in found):
            found.append(Message(role="assistant", turn=0))  # an empty response is not the same as no response
        return found

    def split_text(self, prompt: str, response: str) -> list[Message]:
        """Two flat texts as messages: by the chat template's markers, unless a format knows better."""
        return render.split_conversation(prompt, response)

    def line_texts(self, line: bytes | memoryview, source: Source, place: Place) -> Texts:
        """Prompt, response and answer without splitting them: what search reads, 10 times faster than a whole sample."""
        if (decoder := text_decoder(type(self), self.keys)) is not None:  # type: ignore[arg-type]  # classes are hashable
            with suppress(msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                row = decoder.decode(line)
                return _named_texts(row.prompt, row.response, row.golden)
        try:
            record = decode_line(line)[0]
        except Unreadable:
            return []
        return self.record_texts(record, source)

    def text_reader(self) -> Callable[[bytes | memoryview], Any] | None:
        if type(self).line_texts is not FlatFormat.line_texts:
            return None
        decoder = text_decoder(type(self), self.keys)  # type: ignore[arg-type]  # classes are hashable
        return None if decoder is None else decoder.decode

    def record_texts(self, record: dict[str, Any], source: Source) -> Texts:
        asked, said = self.question_and_answer(record, source)
        golden = self.keys_for_record(record, source).golden
        answers = self.value(record, golden) if golden else None
        return _named_texts(asked, said, answers)

    def starts(self, store: Store, source: Source, place: Place, chars: int) -> Texts:
        """From the first characters of the texts only: splitting a response of 20 MB for a list would take a second."""
        record = record_beginning(store, source, place)
        prompt, response = self.question_and_answer(record, source)
        if isinstance(prompt, str):
            prompt = prompt[-PREVIEW_FROM:] if len(prompt) > PREVIEW_FROM else prompt
        if isinstance(response, str):
            response = response[: 2 * chars]
        return message_starts(self.messages(prompt, response), chars)


def one_value(value: Any) -> Any:
    """The value of a list that has the same value for all tokens. Any other list gives no value for the sample."""
    if type(value) is not list:
        return value
    return value[0] if value and all(item == value[0] for item in value) else None


def _rewards(values: list[Any]) -> dict[str, Sequence[Any]]:
    """The total, and the components of rewards that are dicts. A list has one value per token or turn."""
    if not any(type(value) in (dict, list) for value in values):
        return {"reward": values}
    rewards = [split_reward(value) for value in values]
    names = {name for _, parts in rewards for name in parts}
    return {
        "reward": [total for total, _ in rewards],
        **{f"rewards.{name}": [parts.get(name) for _, parts in rewards] for name in sorted(names)},
    }


@cache
def _named_scalars(row: type[Struct]) -> tuple[str, ...]:
    """The scalars this source has a key for."""
    keys = {item.name: item.encode_name for item in msgspec.structs.fields(row)}
    return tuple(field.name for field in _SCALARS if not keys[field.name].startswith(_ABSENT))


@lru_cache(maxsize=64)
def row_struct(keys: Keys) -> type[Struct]:
    """A Struct that reads the scalars of `keys` and leaves the texts as raw bytes."""
    fields: list[tuple[str, Any, Any]] = [(name, Raw, Raw()) for name in _TEXTS]
    fields += [(name, Any, None) for name in _NAMES if name not in _TEXTS]
    fields += [(f"ignored_{i}", Raw, Raw()) for i in range(len(keys.ignored))]
    rename = {name: getattr(keys, name, None) or f"{_ABSENT}{name}>" for name, _, _ in fields}
    rename.update({f"ignored_{i}": key for i, key in enumerate(keys.ignored)})
    return msgspec.defstruct("Row", fields, kw_only=True, rename=rename)


def chat(value: Any, role: str, turn: int | None) -> list[Message]:
    """Messages from a list of them, or from plain text in the given role."""
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return render.messages_from_chat(value, turn=turn)
    return [Message(role=role, parts=render.split_parts(_plain(value)), turn=turn)]


@lru_cache(maxsize=64)
def text_decoder(kind: Any, keys: Keys) -> msgspec.json.Decoder[Any] | None:
    """Reads the texts of a line and skips everything else in it. None for a format that finds them in another way."""
    ways = ("record_texts", "question_and_answer", "keys_for_record", "value")
    names = [keys.by_field.get(name) or f"{_ABSENT}{name}>" for name in _TEXTS]
    if any(getattr(kind, way) is not getattr(FlatFormat, way) for way in ways) or len(set(names)) < len(names):
        return None
    fields: list[tuple[str, Any, Any]] = [(name, Any, None) for name in _TEXTS]
    return msgspec.json.Decoder(msgspec.defstruct("LineTexts", fields, rename=dict(zip(_TEXTS, names)), gc=False))


def _named_texts(prompt: Any, response: Any, golden: Any) -> Texts:
    answers = (golden,) if type(golden) is str else golden_answers("", golden).values()
    values = (("prompt", prompt), ("response", response), *(("golden", answer) for answer in answers))
    texts = [(name, value if type(value) is str else content_text(value)) for name, value in values]
    return [(name, text) for name, text in texts if text or (name == "response" and _is_empty_answer(response))]


def _is_empty_answer(response: Any) -> bool:
    """An empty text, or messages that say nothing: that was the answer. No messages at all are none."""
    return response == "" or (isinstance(response, list) and any(isinstance(item, dict) for item in response))


def content_text(value: Any) -> str:
    """All text of a prompt or response: a string, or what the messages of a list say and call."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        texts = (text_and_parts(item) if isinstance(item, dict) else (content_text(item), ()) for item in value)
        return render.join_messages((text, parts) for text, parts in texts if text)
    return _plain(value)


def text_and_parts(message: dict[str, Any]) -> tuple[str, Sequence[Part]]:
    """As the sample shows it. Nearly every message is one plain text, which needs no splitting."""
    content = message.get("content")
    if isinstance(content, str) and message.keys() <= _PLAIN_MESSAGE:
        return content, [Part(type="tool_result", text=content)] if message.get("role") == "tool" else ()
    parts = render.messages_from_chat([message], turn=None)[0].parts
    return "".join(part.text for part in parts), parts


def golden_answers(key: str, value: Any) -> dict[str, str]:
    """The answers by name, as they are shown, searched and compared."""
    if value is None or value == "":
        return {}
    if isinstance(value, dict):
        return {str(name): _answer(item) for name, item in value.items() if item is not None}
    return {key: _answer(value)}


def _answer(value: Any) -> str:
    """A list of plain answers has each on a line of its own; whatever else is no text stays JSON."""
    if isinstance(value, list) and value and not any(item is None or isinstance(item, (dict, list)) for item in value):
        return "\n".join(map(_plain, value))
    return _plain(value)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(printable(value)).decode()


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else as_text(value)


_READERS: dict[str, Callable[[Any], Any]] = {"number": as_number, "integer": as_integer, "string": _text}
