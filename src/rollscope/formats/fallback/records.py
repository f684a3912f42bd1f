"""Which files and lines of no known trainer hold samples, and how many a line holds."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from rollscope.formats.base import Source
from rollscope.formats.fallback.files import is_table
from rollscope.formats.fallback.values import errors
from rollscope.formats.mapping import KeyMapping, dig, exploded, from_note

TEXTS = frozenset({"prompt", "response"})
#: What else a line says only of a sample.
_JUDGED = ("reward", "group", "status", "discard_reason")


def may_hold_samples(source: Source) -> bool:
    """Lines with a prompt or a response do. Tables are datasets as often: one that holds samples has both."""
    return is_whole(source) if is_table(source.path) else bool(from_note(source.note).keys.keys() & TEXTS)


def may_belong(source: Source, beside_whole: bool) -> bool:
    """As `may_hold_samples`; beside samples, questions that nobody answered or judged are what these were asked from."""
    keys = from_note(source.note).keys.keys()
    asked_only = "prompt" in keys and keys.isdisjoint(("response", "reward", "status", "discard_reason"))
    return may_hold_samples(source) and not (beside_whole and asked_only and not is_whole(source))


def is_whole(source: Source) -> bool:
    """Its records have a prompt and a response."""
    mapping = from_note(source.note)
    return mapping.keys.keys() >= TEXTS or mapping.conversation


class Line(NamedTuple):
    """A record, and the samples that it holds."""

    record: dict[str, Any]
    parts: list[dict[str, Any]]


def tells(row: Any, mapping: KeyMapping, kind: str) -> bool:
    """Whether there is a sample in what a line says: metrics and the like may stand between them. `kind` is the name that
    what the line says it is has in a row."""
    if not isinstance(row, Line):
        if row.prompt or row.response:
            return True
        other = bool(kind) and _is_other(decoded(getattr(row, kind)), mapping)
        return not other and any(getattr(row, name, None) is not None for name in _JUDGED)
    texts = [key for name, key in mapping.keys.items() if name in TEXTS]
    if not row.parts or any(dig(part, key) is not None for part in row.parts for key in texts):
        return True
    if mapping.kind and _is_other(row.record.get(mapping.kind[0]), mapping):
        return False
    keys = [key for name, key in mapping.keys.items() if name in _JUDGED]
    return any(any(dig(part, key) is not None for key in keys) or bool(errors(part)) for part in row.parts)


def _is_other(said: Any, mapping: KeyMapping) -> bool:
    return isinstance(said, str) and said not in mapping.kind[1:]


def parts_of(record: dict[str, Any], mapping: KeyMapping) -> list[dict[str, Any]]:
    parts = exploded(record, {field: mapping.keys[field] for field in mapping.told})
    return [record] if parts is None else parts


def decoded(raw: msgspec.Raw) -> Any:
    return msgspec.json.decode(raw) if len(raw) else None
