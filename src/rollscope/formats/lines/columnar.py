"""One record that holds many samples, as columns: `{"prompt": […], "completion": […], "score": […]}`.

The rule: the texts are lists of one length whose items are texts or conversations (a list of messages is a conversation,
not a column), and so are the scores, where there are any. Every other list of that length is a column too; the rest is
shared by all samples of the line.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

#: What texts and scores are called by those who write columns.
TEXTS = ("prompt", "completion", "response", "responses", "output", "input", "messages")
SCORES = ("scores", "score", "rewards", "reward")


def explode(
    record: Mapping[str, Any], texts: Collection[str] = TEXTS, scores: Collection[str] = SCORES
) -> list[dict[str, Any]] | None:
    """The samples of a column-wise record; None where it is one sample. `texts` and `scores` are the keys to look at."""
    count = _columns(record, texts, scores)
    if count is None:
        return None
    lists = {key for key, value in record.items() if isinstance(value, list) and len(value) == count}
    return [{key: value[i] if key in lists else value for key, value in record.items()} for i in range(count)]


def _columns(record: Mapping[str, Any], texts: Collection[str], scores: Collection[str]) -> int | None:
    columns: list[list[Any]] = [record[key] for key in texts if _is_column(record.get(key))]
    numbers: list[list[Any]] = [record[key] for key in scores if isinstance(record.get(key), list)]
    lengths = {len(value) for value in (*columns, *numbers)}
    if not columns or len(lengths) != 1:
        return None
    # One list of texts alone may be anything, such as the turns of one sample.
    return lengths.pop() if numbers or len(columns) > 1 else None


def _is_column(value: Any) -> bool:
    if not isinstance(value, list) or not all(item is None or isinstance(item, (str, list)) for item in value):
        return False
    return not value or any(item is not None for item in value)
