"""prime-rl's `token_exports/step_N/rank_R.jsonl`: what the trainer computed per token of every sequence it trained on.

A row names no rollout: only its token ids say which sample it is of. A sequence that occurs twice is joined to none.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec
import xxhash
from msgspec import Struct

from rollscope.formats.lines.lenient import Unreadable, decode_line
from rollscope.formats.prime_rl.annotations import StateKey, lines_after
from rollscope.formats.prime_rl.sample import graph, main_path, trace_of
from rollscope.model import Sample, as_number
from rollscope.storage.store import Store

FOLDER = "token_exports"
_FIELDS = {"trainer_logprobs": "trainer_logprobs", "entropy": "entropy", "advantages": "advantage"}


class _Ids(Struct):
    token_ids: list[int] = []


_decode = msgspec.json.Decoder(_Ids).decode


def add_export(store: Store, step: int, sample: Sample, record: dict[str, Any], member: str) -> None:
    """Fill what the sample's token arrays lack from the export of its step, where there is one."""
    folder = f"{FOLDER}/step_{step}"
    if sample.tokens is None or f"step_{step}" not in store.folders(FOLDER):
        return
    trace = trace_of(record, member)
    nodes = graph(trace)
    calls = [call for call in trace.get("calls") or [] if isinstance(call, dict)]
    path = main_path(nodes, calls)
    ids = [token for number in path for token in nodes[number].get("token_ids") or []]
    row = _row(store, folder, ids)
    before = len(ids) - len(sample.tokens.ids)
    for key, name in _FIELDS.items():
        values = row.get(key)
        if isinstance(values, list) and len(values) == len(ids) and not getattr(sample.tokens, name):
            kept = zip(values[before:], sample.tokens.mask)
            setattr(sample.tokens, name, [as_number(value) if flag else None for value, flag in kept])
    left_out = row.get("is_masked")
    if isinstance(left_out, list) and len(left_out) == len(ids) and not sample.tokens.masked:
        flags = zip(left_out[before:], sample.tokens.mask)
        sample.tokens.masked = [int(bool(gone) and bool(flag)) for gone, flag in flags]


def _row(store: Store, folder: str, ids: list[int]) -> dict[str, Any]:
    paths = [f"{folder}/{name}" for name in store.files(folder) if name.endswith(".jsonl")]
    places = _places(StateKey(store, folder, *((path, store.stat(path)) for path in paths)))
    path, offset, length = places.get(_name(ids), ("", 0, 0))
    try:
        return decode_line(store.read(path, offset, length))[0] if path else {}
    except (OSError, Unreadable):
        return {}


@lru_cache(maxsize=8)
def _places(key: StateKey) -> dict[int, tuple[str, int, int]]:
    """Where the row of each sequence lies, by a hash of its ids; nowhere for one that occurs twice."""
    found: dict[int, tuple[str, int, int]] = {}
    for name in key.store.files(key.path):
        path = f"{key.path}/{name}"
        for offset, line in lines_after(key.store, path, -1) if name.endswith(".jsonl") else ():
            try:
                sequence = _name(_decode(line).token_ids)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue
            found[sequence] = ("", 0, 0) if sequence in found else (path, offset, len(line))
    return found


def _name(ids: list[int]) -> int:
    return int(xxhash.xxh3_64_intdigest(msgspec.json.encode(ids)))
