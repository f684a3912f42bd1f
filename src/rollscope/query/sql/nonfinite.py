"""Numbers that JSON has no word for, named beside a record that holds them: they are null in it, which alone would say
that they are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rollscope.model import nonfinite_name

NAMES = "nonfinite"


def with_names(record: dict[str, Any]) -> dict[str, Any]:
    """The record and, where it holds NaN or an infinity, `{"nonfinite": {"metrics.kl": "NaN"}}`. A column of that name
    is the query's own and stays."""
    if NAMES in record:
        return record
    names = dict(_named("", record))
    return {**record, NAMES: names} if names else record


def names_by_row(columns: list[str], rows: Iterable[list[Any]]) -> dict[str, str]:
    """The same for rows without keys: `{"3.reward": "NaN"}` is row 3, from 0."""
    return {
        f"{number}.{name}": word
        for number, row in enumerate(rows)
        for column, value in zip(columns, row)
        for name, word in _named(column, value)
    }


def _named(place: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, float):
        word = nonfinite_name(value)
        if word is not None:
            yield place, word
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _named(f"{place}.{key}" if place else str(key), item)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _named(f"{place}.{number}", item)
