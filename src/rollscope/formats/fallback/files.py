"""Which files a run of no known trainer has, and what the keys of their records are taken for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from rollscope.formats.containers import packed_records
from rollscope.formats.containers.any_table import ENDINGS as TABLE_ENDINGS
from rollscope.formats.containers.any_table import TABLES, first_records
from rollscope.formats.fallback.guess import guess
from rollscope.formats.lines.columnar import decode_record
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.path_names import split_in_path, step_in_path
from rollscope.formats.mapping import CANDIDATES, CONVERSATIONS, KeyMapping
from rollscope.storage.fingerprint import Sighting
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import Store

#: `cache-….arrow` is what `datasets` made of a table and keeps beside it.
_NOT_SAMPLES = re.compile(
    r"(metrics|checkpoints|timings?|logs?|logging|events|traces?|aggregated)(?![a-z])[^/]*\.(jsonl|parquet|json|csv)(\.gz|\.zst)?"
    r"|cache-.*\.arrow",
    re.IGNORECASE,
)
#: Folders that are parts of a run by their names; others are runs of their own.
_PART = re.compile(
    r"(train|val|test|eval|rollout|step|global_?step|iter|epoch|checkpoint|ckpt|dumped_evals)[\w.=-]*|\d+"
    r"|split=\w+|(group|prompt|problem|question|task|episode|batch|rank|worker|shard|node|gpu)s?[_.=-]?\d+",
    re.IGNORECASE,
)
#: How deep parts of a run lie in one another: `eval-rollout/3`, `rollouts/step_3/eval`.
_DEPTH = 3
#: Lines that are looked at to learn a file's keys, and the bytes that are read for it.
KEY_LINES = 32
KEY_BYTES = 1 << 20
LONG_LINE = 256 << 20
#: Kinds of JSON files of a folder that are looked into: most hold no records.
MAX_LISTS = 64
_NUMBER_OR_HASH = re.compile(r"(?=[a-f]*\d)[0-9a-f]{8,}|\d+")
#: JSON objects that are about a run, a model or a dataset.
_SETTINGS = re.compile(
    r".*(config|args|arguments|settings|params|summary|metadata|manifest|index|state|tokenizer|tokens_map|vocab|info|stats|report)[^/]*\.json|(package|tsconfig|results?|all_results)\.json",
    re.IGNORECASE,
)

#: What was learned of files, by their paths, for as long as they stay as they were.
_learned: dict[tuple[str, str, tuple[tuple[str, str], ...]], tuple[Sighting, KeyMapping]] = {}
MAX_LEARNED = 4096


def learn(store: Store, path: str, told: tuple[tuple[str, str], ...]) -> KeyMapping:
    name = (store.address, path, told)
    known = _learned.get(name)
    if known is None or not known[0].is_current(store, path):
        if len(_learned) >= MAX_LEARNED:
            _learned.clear()
        known = _learned[name] = (Sighting(store, path), _read_keys(store, path, dict(told)))
    return known[1]


def _read_keys(store: Store, path: str, told: dict[str, str]) -> KeyMapping:
    """From the first records of a file: the first line alone may lack an optional key. Where that is longer than what is
    read at first, it is read whole: what follows a text of 20 MB is as telling as what goes before it."""
    if is_container(path):
        try:
            rows = TABLES.use(store, path, lambda table: first_records(table, KEY_LINES))
        except DAMAGED:
            return KeyMapping()
        return guess(rows, told) if rows else KeyMapping()
    lines = store.first_lines(path, count=KEY_LINES, limit=KEY_BYTES)
    records = _records(lines)
    if not records and lines:
        records = _records(store.first_lines(path, count=1, limit=LONG_LINE))
    found = guess(records, told) if records else KeyMapping()
    # A line that is a list is no object whose keys can be read one by one.
    are_lists = any(line.lstrip().startswith(b"[") for line in lines)
    return msgspec.structs.replace(found, judged=True) if are_lists else found


def _records(lines: Iterable[bytes]) -> list[dict[str, Any]]:
    found = []
    for line in lines:
        try:
            found.append(decode_record(line)[0])
        except Unreadable:
            continue
    return found


def candidates(
    store: Store, told: Collection[str] = (), folder: str = "", depth: int = _DEPTH, *, logs: bool = False
) -> list[str]:
    """Files directly here, and in folders that are parts of a run by their names; other folders are runs of their own.
    With `logs`, those that are named as something else than samples."""
    prefix = f"{folder}/" if folder else ""
    names = [name for name in store.files(folder) if name.endswith((".jsonl", ".ndjson", *TABLE_ENDINGS))]
    found = [prefix + name for name in names if (_NOT_SAMPLES.fullmatch(name) is not None) == logs]
    found = [path for path in found if not path.endswith(packed_records.CSV) or _names_samples(store, path, told)]
    lists = [path for path in found if path.endswith(packed_records.LIST)]
    known = _records_in(store, lists, told)
    # Lines that lie there plain and packed are the same.
    found = [
        path
        for path in found
        if (path not in lists or path in known) and not (_is_packed(path) and path.rpartition(".")[0] in found)
    ]
    for name in store.folders(folder) if depth else ():
        # In a folder of evals, a folder is a dataset, whatever its name; in a step's, it is a part of that step.
        if _PART.fullmatch(name) or split_in_path(f"{prefix}0.jsonl") != "train" or _is_step(folder):
            found += candidates(store, told, prefix + name, depth - 1, logs=logs)
    return found


def _is_step(folder: str) -> bool:
    return bool(folder) and step_in_path(f"{folder}/-") is not None


def kind_of_name(path: str) -> str:
    """The same for files whose names differ by a number or a hash only: their records have the same keys."""
    return _NUMBER_OR_HASH.sub("#", path)


def _records_in(store: Store, paths: list[str], told: Collection[str]) -> set[str]:
    """The `.json` files that hold records: a list of them, or one each. Of each kind of name one is looked into."""
    alike: dict[str, list[str]] = {}
    for path in paths:
        alike.setdefault(kind_of_name(path), []).append(path)
    texts = {*CANDIDATES["prompt"], *CANDIDATES["response"], *CONVERSATIONS, *(key.split(".")[-1] for key in told)}
    known: set[str] = set()
    for found in list(alike.values())[:MAX_LISTS]:
        path, name = found[0], found[0].rpartition("/")[2]
        is_record = not _SETTINGS.fullmatch(name) and packed_records.is_one_record(store, path, texts)
        if is_record or packed_records.is_record_list(store, path):
            known.update(found)
    return known


def _names_samples(store: Store, path: str, told: Collection[str]) -> bool:
    """Whether a CSV names a prompt and a response, a conversation, or what the user did: another table is not read."""
    names = packed_records.csv_names(store, path)
    known = [name.lower() for name in names]
    return (
        not set(told).isdisjoint(names)
        or not set(known).isdisjoint(CONVERSATIONS)
        or all(any(name in CANDIDATES[field] for name in known) for field in ("prompt", "response"))
    )


def is_container(path: str) -> bool:
    """Its records are numbered, and scanned all at once."""
    return path.endswith(TABLE_ENDINGS)


def is_table(path: str) -> bool:
    """It may be a dataset as well; a file of lines is somebody's log."""
    return is_container(path) and not _is_packed(path)


def _is_packed(path: str) -> bool:
    return path.endswith(packed_records.LINES)


def evaluation_of(store: Store, path: str) -> str | None:
    """The split of an evaluation's `samples.jsonl` beside its `metrics.json`, as Atropos writes them."""
    folder, _, name = path.rpartition("/")
    beside = f"{folder}/metrics.json" if folder else "metrics.json"
    return (
        f"eval/{folder.rpartition('/')[2] or store.name}" if name == "samples.jsonl" and store.exists(beside) else None
    )
