"""Records whose values are columns: one line holds a batch, each key a list with one entry per sample."""

from __future__ import annotations

from typing import Any

#: Keys of which a columnar record has at least two as lists of one length.
TELLING = (
    "prompt",
    "completion",
    "response",
    "responses",
    "output",
    "input",
    "messages",
    "scores",
    "rewards",
    "reward",
    "step",
)


def explode(record: dict[str, Any]) -> list[dict[str, Any]] | None:
    """One record per sample; None where the record is no table. Values that are not of the columns' length belong to the
    batch and stand in every row."""
    lengths = [len(record[key]) for key in TELLING if _is_column(record.get(key))]
    if len(lengths) < 2 or len(set(lengths)) != 1:
        return None
    count = lengths[0]
    columns = {key: value for key, value in record.items() if isinstance(value, list) and len(value) == count}
    shared = {key: value for key, value in record.items() if key not in columns}
    return [{**shared, **{key: value[row] for key, value in columns.items()}} for row in range(count)]


def _is_column(value: Any) -> bool:
    """A list of messages is one value, a list of lists of messages is a column of them."""
    return isinstance(value, list) and not (bool(value) and all(isinstance(item, dict) for item in value))
