"""What miles writes beside a rollout: `dashboard_columns/` (values per token) and `trajectory/` (whole conversations)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from rollscope.formats.base import Scan
from rollscope.formats.containers.parquet import Table
from rollscope.formats.run_files import read_lines
from rollscope.model import Message, Sample, TokenArrays, as_number
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

COLUMNS, CONVERSATIONS = "dashboard_columns", "trajectory"
_FILE = re.compile(r"rollout_(eval_)?(\d+)\.parquet")
_MARKS = frozenset({"sample_index", "response_length", "tokens"})
NO_TEXT = "Only token ids were written (dashboard_columns/): texts and rewards are in rollout_data/, which is not here."


def columns_file(step: int, is_eval: bool) -> str:
    return f"{COLUMNS}/rollout_{_stem(step, is_eval)}.parquet"


def conversations_file(step: int, is_eval: bool) -> str:
    return f"{CONVERSATIONS}/{_stem(step, is_eval)}.jsonl"


def _stem(step: int, is_eval: bool) -> str:
    return f"{'eval_' if is_eval else ''}{step}"


def column_files(store: Store, folder: str) -> Iterator[tuple[int, bool, str]]:
    """(step, whether it is an evaluation, path)."""
    for name in store.files(folder):
        if match := _FILE.fullmatch(name):
            yield int(match[2]), bool(match[1]), f"{folder}/{name}".lstrip("/")


def is_columns(store: Store, path: str) -> bool:
    return TABLES.use(store, path, lambda table: table.names >= _MARKS)


def token_columns(store: Store, path: str, index: Any, occurrence: int) -> dict[str, Any]:
    """The row of one sample, by its index; samples that share one are in the rollout's order."""
    if not isinstance(index, int) or not store.exists(path):
        return {}
    try:
        return TABLES.use(store, path, partial(_row_of, index=index, occurrence=occurrence))
    except DAMAGED:
        return {}


def _row_of(table: Table, index: int, occurrence: int) -> dict[str, Any]:
    rows = table.find("sample_index", index) if "sample_index" in table.names else []
    return table.rows(rows[occurrence : occurrence + 1])[0] if occurrence < len(rows) else {}


def conversation_of(store: Store, path: str, index: Any, occurrence: int) -> list[Any]:
    """The messages that were recorded for one sample."""
    if not isinstance(index, int) or not store.exists(path):
        return []
    try:
        return _CONVERSATIONS.use(store, path, lambda found: found.get((index, occurrence), []))
    except DAMAGED:
        return []


def _read_conversations(store: Store, path: str) -> dict[tuple[int, int], list[Any]]:
    """By index and occurrence of the sample. Twins are told apart by what the line says, else by their order."""
    found: dict[tuple[int, int], list[Any]] = {}
    seen: Counter[int] = Counter()
    for row in read_lines(store, path):
        index, messages = row.get("sample_index"), row.get("messages")
        if isinstance(index, int) and isinstance(messages, list):
            told = row.get("sample_occurrence")
            found[index, told if isinstance(told, int) else seen[index]] = messages
            seen[index] += 1
    return found


def scan_columns(store: Store, path: str) -> Scan:
    """The samples of a file of token columns alone."""
    stat = store.stat(path)
    names = ("sample_index", "response_length", "total_length")
    found = TABLES.use(store, path, lambda table: table.columns(*names))
    asked = [
        None if total is None or said is None else total - said
        for said, total in zip(found["response_length"], found["total_length"])
    ]
    columns: dict[str, list[Any]] = {
        "offset": list(range(len(asked))),
        "length": [0] * len(asked),
        "prompt_tokens": asked,
        "completion_tokens": found["response_length"],
        "total_tokens": found["total_length"],
    }
    return Scan(columns=dict(columns), rows=len(asked), end=stat.size if stat else 0)


def column_sample(store: Store, path: str, number: int) -> Sample:
    row = TABLES.use(store, path, lambda table: table.rows([number])[0])
    ids, length = row.get("tokens") or [], row.get("response_length") or 0
    said = ids[len(ids) - length :] if length else []
    values = row.get("rollout_log_probs") or []
    mask = row.get("loss_mask") or []
    return Sample(
        messages=[
            Message(role="prompt", tokens=len(ids) - len(said)),
            Message(role="assistant", tokens=len(said), turn=0),
        ],
        prompt_tokens=len(ids) - len(said),
        completion_tokens=len(said),
        total_tokens=len(ids),
        tokens=TokenArrays(
            ids=said,
            logprobs=[as_number(value) for value in values] if len(values) == len(said) else [],
            mask=[int(bool(flag)) for flag in mask] if len(mask) == len(said) else [],
        ),
        notes=[NO_TEXT],
        record=row,
    )


TABLES: KeptOpen[Table] = KeptOpen(lambda store, path: Table(store.open(path)), limit=4, attempts=2)
_CONVERSATIONS: KeptOpen[dict[tuple[int, int], list[Any]]] = KeptOpen(_read_conversations, limit=2, attempts=2)
