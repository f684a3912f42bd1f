"""NeMo-RL's tables of NeMo-Gym's results, `train/<agent>/full_result`: one column, each cell a record as JSON text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rollscope.formats.conversations.responses_api import chat_of_items
from rollscope.formats.json_values import decoded, items, mapping, numbers_of, text
from rollscope.formats.nemo_gym import GOLDEN, OWN, asked_messages

COLUMN = "Full result"
_NAMES = ("prompt", "completion", "reward", "group_id", "env", "prompt_tokens", "completion_tokens")


def unfold_results(data: Sequence[Sequence[Any]]) -> tuple[list[str], list[list[Any]]]:
    """The records as a table with a column for each of their values. A cell that is no record is left out."""
    found = [record for row in data if row and isinstance(record := decoded(row[0]), dict)]
    rows = [_values(record) for record in found]
    names = list(dict.fromkeys([*_NAMES, *(name for row in rows for name in row)]))
    return names, [[row.get(name) for name in names] for row in rows]


def _values(record: dict[str, Any]) -> dict[str, Any]:
    response = mapping(record.get("response"))
    usage = mapping(response.get("usage"))
    known = {key: value for key, value in record.items() if key not in OWN and not key.startswith("_ng_")}
    return {
        "prompt": asked_messages(mapping(record.get("responses_create_params"))),
        "completion": chat_of_items(items(response.get("output"))),
        "reward": record.get("reward"),
        "group_id": record.get("_ng_task_index"),
        "env": text(mapping(record.get("agent_ref")).get("name")),
        "prompt_tokens": usage.get("input_tokens"),
        "completion_tokens": usage.get("output_tokens"),
        **numbers_of(known),
        **{name: record[name] for name in GOLDEN if record.get(name) not in (None, "")},
    }
