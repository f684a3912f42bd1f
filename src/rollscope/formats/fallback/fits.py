"""Whether values are of a kind that a field has: a name alone says little."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rollscope.formats.fallback.values import is_split, split_of
from rollscope.formats.mapping import FURTHER, OWN_NAMES, Record, dig
from rollscope.model import as_number

TEXTS = ("prompt", "response")
#: A judgement is the reward where there is no other, and only as yes or no, or 1 and 0: another number may be a count.
_VERDICTS = frozenset({"is_correct", "correct", "passed", "is_success", "success", "solved", "resolved", "exact_match"})
#: Shares of what was right: no less than 0, no more than 1.
_SHARES = frozenset({"acc", "accuracy"})
_COUNTS = ("step", "sampling_step", "prompt_tokens", "completion_tokens", "total_tokens", "turns")
_WORDS = ("status", "stop_reason", "discard_reason", "env", "dataset")
#: Where a record says what it is, among others.
KINDS = ("type", "event", "kind", "event_type", "record_type", "row_type")
#: What some write where there is no score.
_NOTHING = ("", "N/A", "n/a", "NA", "None", "null", "-")


def fits(field: str, key: str, values: Sequence[Any]) -> bool:
    if (key == "rollout_id" or key in FURTHER["step"]) and not _counts_up(values):
        return False  # of a sample in its group, or within a trajectory
    if field == "step" and any(type(value) is int for value in values):
        return True  # a line that says something else is left out and listed: in step 0 it would be wrong
    if field in _COUNTS:
        return all(_is_number(value) for value in values)
    if field == "split":
        if key in KINDS and not any(split_of(value) or value == "train" for value in values):
            return False
        return bool(values) and all(map(is_split, values)) and isinstance(values[0], bool) == key.startswith("is_")
    if field == "discard_reason" and not key.endswith("_reason"):
        return bool(values) and all(isinstance(value, bool) for value in values)
    if field in _WORDS:
        return all(isinstance(value, str) for value in values)
    if key in _VERDICTS:
        return bool(values) and all(not isinstance(value, list) and as_number(value) in (0, 1) for value in values)
    if key in _SHARES:
        return bool(values) and all(isinstance(value, (bool, int, float)) and 0 <= value <= 1 for value in values)
    if field in ("reward", "advantage"):
        given = [value for value in values if value not in _NOTHING]
        return all(map(_is_score, given)) and bool(given or not values)
    if field == "group":
        return all(isinstance(value, (str, int)) for value in values)
    if key in ("observation", "action"):
        return all(isinstance(value, str) for value in values)
    if field == "prompt" and any(isinstance(value, (int, float)) for value in values):
        return False  # a count of tokens
    if field == "prompt" and key == "content":
        return all(isinstance(value, list) for value in values)
    return True


def _is_score(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, (int, float)) or item is None or _is_named_score(item) for item in value)
    return isinstance(value, Mapping) or _is_number(value)


def _is_named_score(value: Any) -> bool:
    return (
        isinstance(value, Mapping) and isinstance(value.get("name"), str) and as_number(value.get("value")) is not None
    )


def _is_number(value: Any) -> bool:
    """Also one that is too large to be shown, or even to be more than its digits: it says what its key is all the same."""
    if isinstance(value, str) and value.removeprefix("-").isdecimal():
        return True
    return isinstance(value, (int, float)) or as_number(value) is not None


def is_ids(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(type(item) is int for item in value)


def _counts_up(values: Sequence[Any]) -> bool:
    """Whether these may be steps: never smaller than before, and the same for several samples."""
    numbers = [value for value in map(as_number, values) if value is not None]
    return numbers == sorted(numbers) and (len(numbers) < 2 or len(set(numbers)) < len(numbers))


def are_texts(rows: Sequence[Record], key: str) -> bool:
    values = [value for row in rows if (value := row.get(key)) is not None]
    return bool(values) and all(isinstance(value, str) for value in values)


def kind_of_samples(rows: Sequence[Record], chosen: Mapping[str, str]) -> tuple[str, ...]:
    """See `KeyMapping.kind`."""
    texts = [chosen[field] for field in TEXTS if field in chosen]
    for key in KINDS:
        said = [row.get(key) for row in rows if any(dig(row, text) is not None for text in texts)]
        if said and key not in chosen.values() and all(isinstance(word, str) for word in said):
            return (key, *sorted({str(word) for word in said}))
    return ()


def are_numbers(rows: Sequence[Record], key: str) -> bool:
    values = [value for row in rows if (value := dig(row, key)) is not None]
    return bool(values) and all(isinstance(value, (int, float)) for value in values)


def is_group(rows: Sequence[Record], key: str, prompt: str | None, step: str = "") -> bool:
    """A key that is different for every sample of a step, although prompts come back, is a sample's own name."""
    names = [(repr(dig(row, step)), name) for row in rows if (name := dig(row, key)) is not None]
    if _repeat(names):
        return True
    if key.rpartition(".")[2] in OWN_NAMES:
        return False
    return prompt is None or not _repeat([(repr(dig(row, step)), repr(dig(row, prompt))) for row in rows])


def _repeat(values: Iterable[Any]) -> bool:
    listed = list(values)
    return len(set(listed)) < len(listed)
