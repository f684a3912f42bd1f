"""What to say where no run was found: what lies there instead, why that holds no rollouts, and what to do."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from rollscope.formats.containers.any_table import ENDINGS, TABLES
from rollscope.formats.lines.step_files import first_keys
from rollscope.query.library.finder import MAX_DEPTH
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import Kind, Store

#: Files looked at to say what lies there.
SEEN_FILES = 1_000
#: What is written of other kinds of files, those first that say more.
MAX_NOTES = 2
#: Tables that are opened to say why they cannot be.
MAX_TRIED = 3
_MAPPING = (
    "If these are rollouts, say which key is what: --map prompt=KEY,response=KEY,reward=KEY, or a table [map] in a file "
    "rollscope.toml beside them; --format NAME takes them for a known trainer's"
)
_SETTING = (
    "Most trainers write rollouts only where a setting says so, often into a folder of their own: the documentation's page "
    "of formats names both for each"
)
_OTHERWISE = "rollscope.record writes runs from any loop"
RECORDS = re.compile(r".*\.(jsonl|ndjson|csv|parquet|arrow)(\.gz|\.zst)?")
#: Files that hold no samples, by their names, and why.
_NOT_SAMPLES = (
    (
        r"(.*/)?[^/]+\.wandb",
        (
            "W&B's binary log (.wandb) has metrics, no samples: only tables that the trainer logs, such as TRL with "
            "log_completions or verl with log_val_generations, have rollouts in local files"
        ),
    ),
    (
        r"(.*/)?trajectories/[^/]+/\d+\.ya?ml",
        "ART's files of before 0.4 (.yaml) are not read: `yq -o json -I 0 '.[]' 0001.yaml > 0001.jsonl` makes those of 0.4",
    ),
    (r"(.*/)?events\.out\.tfevents\..*", "TensorBoard's event files have metrics, no samples"),
    (r".*\.(pkl|pickle)", "pickles are not read, since reading one can run code: write the records as JSON lines"),
    (r".*\.(safetensors|bin|pth|ckpt|distcp|gguf)", "checkpoints have weights, no samples"),
    (r".*\.pt", "of PyTorch's files (.pt) only slime's and miles' dumps of rollouts are read"),
    (r".*\.(zip|tar|tgz|tar\.gz|tar\.zst|7z)", "archives are not looked into: unpack them"),
    (r".*\.(xlsx|xls|ods)", "spreadsheets are not read: save them as CSV"),
    (r".*\.(db|sqlite3?)", "of databases those of trackio, MLflow and Trinity-RFT are read"),
    (r".*\.(log|txt|out|err)", "logs for people are not read"),
)


def nothing_found(store: Store, only: Sequence[str]) -> str:
    """`only` are the formats that were asked for, where it was not looked for all."""
    looked = f"; looked for the files of {', '.join(sorted(only))} only" if only else ""
    if store.kind() is Kind.FILE:
        return f"{about_a_file(store)}{looked}. {_what_to_do([store.name])}"
    files = list(islice(store.walk(depth=MAX_DEPTH), SEEN_FILES))
    if not files:
        return f"{_about_no_files(store)}{looked}"
    return f"{_about(store, files)}{looked}. {_what_to_do(files)}"


def refusal(store: Store) -> str:
    """Why the first object there cannot be read, as where listing is permitted and reading is not; "" if it can."""
    if not store.far:
        return ""
    folder = store.parent() if store.kind() is Kind.FILE else store
    for path in [store.name] if folder is not store else islice(store.walk(depth=MAX_DEPTH), 1):
        try:
            folder.read(path, 0, 1)
        except OSError as error:
            return error.strerror or str(error)
    return ""


def about_a_file(store: Store) -> str:
    name, store = store.name, store.parent()
    if not store.exists(name):
        return "it is no plain file"
    stat = store.stat(name)
    if stat is not None and not stat.size:
        return "the file is empty"
    return f"no format knows this file{about_records(store, [name])}{_damage(store, [name])}{_notes([name])}"


def _about_no_files(store: Store) -> str:
    if not store.folders():
        return "it is empty, or what is in it may not be read"
    return f"there are folders in it, and no file down to the {MAX_DEPTH}th inside: give a folder nearer to the runs"


def _about(store: Store, files: list[str]) -> str:
    kinds = Counter(_ending(name) for name in files)
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(4))
    many = "at least " if len(files) == SEEN_FILES else ""
    sentence = f"it holds {many}{len(files):,} file{'s' if len(files) > 1 else ''}: {counted}"
    return sentence + about_records(store, files) + _damage(store, files) + _notes(files)


def about_records(store: Store, files: list[str]) -> str:
    """What the first record of JSON lines has."""
    lines = [name for name in files if name.endswith(".jsonl")]
    keys, first = first_keys(store, lines)
    if keys:
        return f"; {first} has records with {', '.join(sorted(keys)[:12])}"
    if lines and store.first_lines(lines[0], limit=16) == [b"{"]:
        return f"; the records of {lines[0]} stand over several lines, and are read one a line (jq -c . writes them so)"
    return ""


def _damage(store: Store, files: list[str]) -> str:
    """Why the first table or packed file that cannot be read cannot."""
    tables = [name for name in files if name.endswith(ENDINGS) and not name.endswith(".json")]
    for name in tables[:MAX_TRIED]:
        try:
            TABLES.use(store, name, lambda table: table.num_rows)
        except DAMAGED as error:
            return f"; {name} cannot be read: {error}"
    return ""


def _notes(files: list[str]) -> str:
    found = [note for pattern, note in _NOT_SAMPLES if any(re.fullmatch(pattern, name) for name in files)]
    return "".join(f"; {note}" for note in found[:MAX_NOTES])


def _ending(name: str) -> str:
    last = name.rpartition("/")[2]
    return "event file" if last.startswith("events.out.tfevents.") else os.path.splitext(last)[1] or "without an ending"


def _what_to_do(files: list[str]) -> str:
    # JSON lies beside whatever else there is; alone it may be records.
    records = any(map(RECORDS.fullmatch, files)) or all(name.endswith(".json") for name in files)
    first = _MAPPING if records else _SETTING
    return f"{first}; {_OTHERWISE}"
