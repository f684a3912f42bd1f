"""One record that holds many samples, as columns: `{"prompt": […], "completion": […], "score": […]}`.

The rule: the texts are lists of one length whose items are texts or conversations (a list of messages is a conversation,
not a column), and so are the scores, where there are any. Every other list of that length is a column too; the rest is
shared by all samples of the line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from rollscope.formats.lines.lenient import Unreadable, decode_line

#: What texts and scores are called by those who write columns.
TEXTS = ("prompt", "completion", "response", "responses", "output", "input", "messages")
#: Several answers to one prompt.
ANSWERS = (
    *("completions", "generations", "outputs", "predictions", "responses"),
    *("samples", "rollouts", "attempts", "candidates"),
)
#: Of these names: as often the turns of one, whose tools or environment then spoke in another list.
_OR_TURNS = "responses"
#: Lists whose items are samples of one prompt, each an object of its own.
ROLLOUTS = (
    *("rollouts", "samples", "trajectories", "candidates", "attempts", "results", "generation", "simulations"),
    *("completions", "generations", "outputs", "predictions", "responses"),
)
#: Lists whose items are prompts, each with samples of its own.
GROUPS = ("groups", "prompts", "problems", "tasks", "batch")
SCORES = ("scores", "score", "rewards", "reward")
_COUNTED = re.compile(r"([a-z_]+?)_?(\d+)")
#: Bytes in which a line's first sign lies.
_BLANKS = 64


def decode_record(line: bytes | memoryview) -> tuple[dict[str, Any], bool]:
    """As `decode_line`; a line that is a list is one that has a conversation's `messages`, or records as its `samples`."""
    if bytes(line[:_BLANKS]).lstrip().startswith(b"["):
        record, strict = decode_line(b'{"samples":%b}' % bytes(line))
        if _is_chat(record["samples"]):
            return {"messages": record["samples"]}, strict
        if record["samples"] and all(isinstance(item, dict) for item in record["samples"]):
            return record, strict
        raise Unreadable("not a JSON object but an array")
    return decode_line(line)


def explode(
    record: Mapping[str, Any], texts: Collection[str] = TEXTS, scores: Collection[str] = SCORES
) -> list[dict[str, Any]] | None:
    """The samples of a column-wise record; None where it is one sample. `texts` and `scores` are the keys to look at."""
    count = _columns(record, texts, scores)
    if count is None:
        return None
    return _rows(record, count)


def explode_answers(
    record: Mapping[str, Any], prompts: Collection[str], responses: Collection[str]
) -> list[dict[str, Any]] | None:
    """The samples of a record in which one text was asked, and the name of a list of texts says that they are answers to
    it; None where there is no such list, or the answer is one text."""
    asked = any(isinstance(value := record.get(key), str) or (value and _is_chat(value)) for key in prompts)
    lists = [key for key in ANSWERS if _are_texts(record.get(key)) and not _are_turns(record, key)]
    if not asked or len(lists) != 1 or any(isinstance(record.get(key), str) for key in responses):
        return None
    return _rows(record, len(record[lists[0]]))


def with_prompts_repeated(
    record: Mapping[str, Any], prompts: Collection[str], responses: Collection[str]
) -> dict[str, Any] | None:
    """The record with a prompt for each answer, where the column of answers is some times as long as that of prompts: each
    prompt's lie behind one another. None where it is not."""
    asked = next((record[key] for key in prompts if _is_column(record.get(key))), None)
    said = next((record[key] for key in responses if _is_column(record.get(key))), None)
    if not asked or not said or not 1 < len(asked) < len(said) or len(said) % len(asked):
        return None
    times = len(said) // len(asked)
    return {
        key: [item for item in value for _ in range(times)]
        if isinstance(value, list) and len(value) == len(asked) and not _is_chat(value)
        else value
        for key, value in record.items()
    }


def explode_rollouts(record: Mapping[str, Any], said: Collection[str]) -> list[dict[str, Any]] | None:
    """The samples of a record that lists them as objects: what it says besides is said of each. None where no list's items
    all have one of the keys `said`, or the record says such a text itself. Messages, which have a role, are no samples.
    Lists beside it of the same length are columns."""
    if any(isinstance(record.get(key), str) for key in said):
        return None
    for key in (*ROLLOUTS, *GROUPS):
        found = record.get(key)
        wanted = {*said, *ROLLOUTS} if key in GROUPS else said
        if isinstance(found, list) and found and all(_is_sample(item, wanted) for item in found):
            shared = _rows({name: value for name, value in record.items() if name != key}, len(found))
            return [{**row, **item} for row, item in zip(shared, found)]
    return None


def explode_numbered(record: Mapping[str, Any], responses: Collection[str]) -> list[dict[str, Any]] | None:
    """The samples of a record whose keys count them: `response_0`, `reward_0`, `response_1` and so on."""
    counted = [(match, key) for key in record if (match := _COUNTED.fullmatch(key))]
    numbers = {match[2] for match, _ in counted if match[1] in responses and isinstance(record[match[0]], str)}
    if len(numbers) < 2 or any(isinstance(record.get(name), (str, list)) for name in responses):
        return None
    shared = {
        key: value for key, value in record.items() if not (match := _COUNTED.fullmatch(key)) or match[2] not in numbers
    }
    return [
        {**shared, **{match[1]: record[key] for match, key in counted if match[2] == number}}
        for number in sorted(numbers, key=int)
    ]


def explode_list_with(record: Mapping[str, Any], key: str) -> list[dict[str, Any]] | None:
    """The samples of a record in which the objects of a list have this key, as the user says; what the record says besides
    is said of each."""
    for name, value in record.items():
        if isinstance(value, list) and value and all(isinstance(item, Mapping) and key in item for item in value):
            shared = {other: said for other, said in record.items() if other != name}
            return [{**shared, **item} for item in value]
    return None


def _is_sample(item: Any, said: Collection[str]) -> bool:
    return isinstance(item, Mapping) and "role" not in item and any(name in item for name in said)


def _rows(record: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """Lists, and objects of lists, are columns where they are as long."""
    rows: list[dict[str, Any]] = [dict(record) for _ in range(count)]
    for key, value in record.items():
        if isinstance(value, list) and len(value) == count and not _is_chat(value):
            for row, item in zip(rows, value):
                row[key] = item
        elif isinstance(value, Mapping) and value and all(_are_values(inner, count) for inner in value.values()):
            for place, row in enumerate(rows):
                row[key] = {name: inner[place] for name, inner in value.items()}
    return rows


def _are_values(value: Any, count: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == count
        and all(item is None or isinstance(item, (bool, int, float)) for item in value)
    )


def _is_chat(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) and "role" in item for item in value)
    )


def _are_turns(record: Mapping[str, Any], key: str) -> bool:
    """Another list that is as long, or one shorter or longer, and not of numbers: what was said in between."""
    said = len(record[key])
    others = [
        value for name, value in record.items() if name != key and isinstance(value, list) and not _is_chat(value)
    ]
    between = [
        other
        for other in others
        if abs(len(other) - said) <= 1 and any(isinstance(item, (str, Mapping)) for item in other)
    ]
    return key == _OR_TURNS and bool(between)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _columns(record: Mapping[str, Any], texts: Collection[str], scores: Collection[str]) -> int | None:
    columns: list[list[Any]] = [record[key] for key in texts if _is_column(record.get(key))]
    numbers: list[list[Any]] = [record[key] for key in scores if isinstance(record.get(key), list)]
    lengths = {len(value) for value in (*columns, *numbers)}
    if not columns or len(lengths) != 1:
        return None
    if lengths == {0} and any(_says_something(value) for value in record.values()):
        return None  # one sample, with empty lists beside what it says
    # One list of texts alone may be anything, such as the turns of one sample.
    return lengths.pop() if numbers or len(columns) > 1 else None


def _says_something(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, (list, Mapping)) and bool(value))


def _is_column(value: Any) -> bool:
    if not isinstance(value, list) or not all(item is None or isinstance(item, (str, list)) for item in value):
        return False
    return not value or any(item is not None for item in value)
