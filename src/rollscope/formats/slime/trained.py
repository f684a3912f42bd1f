"""What the trainer made of a rollout's samples: `train_data/{rollout_id}.pt`, sorted as the rollout is, or one file per
rank, `train_data/{rollout_id}_{rank}.pt`, whose columns name their samples (miles, and slime before its second layout).

A field that pipeline parallelism has left out on some ranks is taken from one that has it; one that context parallelism has
split over ranks is put together (see `context_parallel`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from rollscope.formats.containers.pickle import plain
from rollscope.formats.json_values import items
from rollscope.formats.slime.context_parallel import assemble
from rollscope.formats.slime.dump import DUMPS, Dump, open_dump, samples_of
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

FOLDER = "train_data"
_RANK = re.compile(r"(\d+)_(\d+)\.pt")
#: Values of a sample's row.
_PER_TOKEN = ("advantages", "loss_masks", "log_probs", "ref_log_probs", "rollout_log_probs", "entropy", "returns")

Trained = dict[str, Any]


def trained_files(store: Store, step: int) -> list[str]:
    whole = f"{FOLDER}/{step}.pt"
    if store.exists(whole):
        return [whole]
    found = [(int(match[2]), name) for name in store.files(FOLDER)
             if (match := _RANK.fullmatch(name)) and int(match[1]) == step]  # fmt: skip
    return [f"{FOLDER}/{name}" for _, name in sorted(found)]


def trained_samples(
    store: Store, step: int, records: Sequence[dict[str, Any]], numbers: Sequence[int]
) -> list[Trained]:
    """For each of these samples of a rollout, by its number, what the trainer made of it; empty where nothing is known.

    `records` are all samples of the rollout: some share an index, and are told apart by their tokens."""
    paths = trained_files(store, step)
    try:
        if len(paths) == 1 and _RANK.fullmatch(paths[0].rpartition("/")[2]) is None:
            rows = _ROWS.use(store, paths[0], lambda found: found)
            found = [rows.get(number, {}) for number in numbers]
            raw = DUMPS.use(store, paths[0], lambda dump: _raw_rewards(dump.value))
        else:
            times = Counter(record.get("index") for record in records)
            found = [
                _merged(store, paths, record, times[record.get("index")] > 1)
                for record in map(records.__getitem__, numbers)
            ]
            raw = _SHARDS.use(store, paths[0], lambda shard: _raw_rewards(shard.columns)) if paths else []
        if len(raw) != len(records):
            return found
        return [{**row, "raw_reward": raw[number]} for row, number in zip(found, numbers)]
    except DAMAGED:
        return [{}] * len(numbers)


def _raw_rewards(told: Any) -> list[Any]:
    """What was taken for the rollout's rewards (`--reward-key`), in its order: one of the values of each that is a dict."""
    return items(plain(told.get("raw_reward"))) if isinstance(told, dict) else []


def _merged(store: Store, paths: Sequence[str], record: dict[str, Any], twin: bool) -> Trained:
    length, tokens = record.get("response_length"), record.get("tokens")
    found: Trained = {}
    pieces: dict[str, list[Any]] = {}
    for path in paths:
        for row in _SHARDS.use(store, path, partial(_rows_of, record=record, by_tokens=twin)):
            for key, value in row.items():
                if len(value) == length:
                    found.setdefault(key, value)
                pieces.setdefault(key, []).append(value)
    if isinstance(length, int) and isinstance(tokens, list):
        split = {key: assemble(told, len(tokens), length) for key, told in pieces.items() if key not in found}
        found |= {key: whole for key, whole in split.items() if whole}
    return found


class _Shard(Struct):
    dump: Dump
    columns: dict[str, Any]
    #: Index of a sample -> its rows.
    rows: dict[int, list[int]]


def _open_shard(store: Store, path: str) -> _Shard:
    dump = open_dump(store, path)
    columns = dump.value.get("rollout_data") if isinstance(dump.value, dict) else None
    if not isinstance(columns, dict):
        raise ValueError("it has no rollout_data")
    rows: dict[int, list[int]] = {}
    for row, index in enumerate(plain(columns.get("sample_indices")) or []):
        rows.setdefault(index, []).append(row)
    return _Shard(dump, columns, rows)


def _rows_of(shard: _Shard, record: dict[str, Any], by_tokens: bool) -> list[Trained]:
    found = []
    for row in shard.rows.get(record.get("index", -1), []):
        if by_tokens and _cell(shard, "tokens", row) != record.get("tokens"):
            continue
        cells = {key: _cell(shard, key, row) for key in _PER_TOKEN}
        found.append({key: cell for key, cell in cells.items() if isinstance(cell, list)})
    return found


def _cell(shard: _Shard, key: str, row: int) -> Any:
    column = shard.columns.get(key)
    return plain(column[row]) if isinstance(column, (list, tuple)) and row < len(column) else None


def _open_rows(store: Store, path: str) -> dict[int, Trained]:
    """What the trainer made of each sample, by its position in the rollout."""
    samples = DUMPS.use(store, path, lambda dump: [plain(item) for item in samples_of(dump)])
    told = [item for item in samples if isinstance(item, dict)]
    return {item["rollout_position"]: item for item in told if isinstance(item.get("rollout_position"), int)}


_ROWS: KeptOpen[dict[int, Trained]] = KeptOpen(_open_rows, limit=2, attempts=2)
#: Of each rank's file its list of tensors is kept, not their numbers.
_SHARDS: KeptOpen[_Shard] = KeptOpen(_open_shard, limit=64, attempts=2)
