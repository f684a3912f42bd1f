"""W&B's local files: tables of completions under `files/media/table/`, in online and offline runs.

`<key>_<step>_<hash>.table.json` = {"columns": […], "data": [[…], …]}. Which tables hold completions is told by their
columns, not by their keys. A table that is logged again repeats its rows: the same row counts once. Metrics, the
configuration and the step at which a table was logged lie in W&B's binary log beside `files/` (`containers.wandb_log`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, ClassVar

import msgspec
import xxhash
from msgspec import Struct

from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, Format, Grouping, MetricRow, Place, Scan, Source
from rollscope.formats.folders import folder_named
from rollscope.formats.lines.lenient import Unreadable, read_record
from rollscope.formats.tables import completion_table
from rollscope.formats.tables.completion_table import Rules
from rollscope.formats.tables.logged_before import LoggedBefore
from rollscope.formats.tables.rewards import Weights, configured_weights, with_evidence
from rollscope.formats.wandb_table.history import (
    LOG,
    TableCall,
    base_folder,
    has_ended,
    logged_metrics,
    logs,
    run_config,
    table_calls,
)
from rollscope.model import Sample, Skipped
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

_MEDIA, _TABLES = "media", "table"
_NAME = re.compile(r"(?P<key>.+?)_(?P<step>\d+)_[0-9a-f]{16,40}\.table\.json")
_EVAL = re.compile(r"(^|[/_\-.])(eval|val|valid|validation|test)([/_\-.]|$)", re.IGNORECASE)
_OTHER_FILES = frozenset({"config.yaml", "wandb-summary.json", "wandb-metadata.json", "output.log", "requirements.txt"})
#: A table is one JSON document: a larger one is refused.
MAX_TABLE_BYTES = 1 << 30
#: Folders that slashes in a key make.
_DEPTH = 6
#: Of a table that is asked whether it holds completions: its columns come first.
_HEAD = 64 << 10
_COLUMNS = re.compile(rb'"columns"\s*:\s*(\[.*?\])', re.DOTALL)


class LoggedTable(Struct, frozen=True):
    """One file: its key, its step, and what was logged with it."""

    path: str
    key: str
    step: int
    #: W&B's own count of calls, by which tables of one step are ordered.
    number: int = 0
    before: LoggedBefore = LoggedBefore()

    @property
    def split(self) -> str:
        return f"eval/{_eval_name(self.key)}" if _EVAL.search(self.key) else self.before.split or "train"


class TableNote(Struct, frozen=True):
    """What a source says beside its path, to scan and load."""

    step: int
    #: The table of this key before it.
    before: str
    #: Earlier ones of its key and step, but of another split.
    others: list[str]
    logged: LoggedBefore
    weights: Weights


class OpenTable(Struct):
    rules: Rules
    rows: list[dict[str, Any]]
    #: Of each row: what it says, and which of several equal ones it is.
    keys: list[str]
    #: The rules with what a source's note knows of rewards, found once for each.
    judged: dict[str, Rules] = {}

    def rules_for(self, source: Source) -> Rules:
        if source.note not in self.judged:
            note = msgspec.json.decode(source.note, type=TableNote)
            self.judged[source.note] = with_evidence(self.rules, self.rows, note.logged, note.weights)
        return self.judged[source.note]


class WandbTableFormat(Format):
    name: ClassVar[str] = "wandb_table"
    # A table holds a batch: only neighbours with one prompt are one group.
    grouping: ClassVar[Grouping] = "consecutive_prompt"
    limits: ClassVar[tuple[str, ...]] = (
        "Only what the trainer logged as a table is here: often a few samples of a step.",
        "Columns are told by their names: a column of numbers that is called neither reward nor score is a metric.",
        "Without a column for the total it follows from reward_weights in the configuration, if the logged reward allows it.",
        "Without those it is the plain sum of the rewards, where the logged means or the advantages agree with it.",
        "Where they contradict the plain sum no total is shown; where nothing speaks for or against it, it is a guess.",
        "A row that is logged again in a later table counts once.",
        "Metrics, and which tables evaluations wrote, are in W&B's binary log beside files/: without it there are none.",
    )

    def detect(self, store: Store) -> Claim | None:
        folder = _tables_folder(store)
        if folder is None or (not store.folders(folder) and not store.files(folder)):
            return None
        for table in self.tables(store):
            return Claim(confidence=0.85, reasons=(f"{table.path} has the columns of completions",))
        return None

    def run_name(self, store: Store) -> str | None:
        """W&B calls every run's folder `files`; the folder around it has the run's date and id."""
        if base_folder(store):
            return store.name
        return store.parent_name or None if store.name == "files" else None

    def tables(self, store: Store) -> Iterable[LoggedTable]:
        found = []
        base, folder = base_folder(store), _tables_folder(store)
        calls = table_calls(store) if base else {}
        for path in store.walk(folder, _DEPTH) if folder is not None else ():
            if path.endswith(".table.json"):
                name = path.removeprefix(f"{folder}/")
                match = _NAME.fullmatch(name)
                key = match["key"] if match else name.removesuffix(".table.json")
                number = int(match["step"]) if match else 0
                # The number in the name is the step before the one that it was logged at, where a step was given.
                call = calls.get(path.removeprefix(base), TableCall(number, LoggedBefore()))
                found.append(LoggedTable(path, key, call.step, number, call.before))
        for table in sorted(found, key=lambda table: (table.key, table.step, table.number, table.path)):
            if holds_completions(store, table.path):
                yield table

    def sources(self, store: Store) -> Iterable[Source]:
        earlier: dict[str, list[LoggedTable]] = {}
        weights = configured_weights(run_config(store))
        for rank, table in enumerate(self.tables(store)):
            same = earlier.setdefault(table.key, [])
            note = TableNote(
                step=table.step,
                before=same[-1].path if same else "",
                others=[other.path for other in same if other.step == table.step and other.split != table.split],
                logged=table.before,
                weights=weights,
            )
            text = msgspec.json.encode(note).decode()
            yield Source(path=table.path, split=table.split, rank=rank, appendable=False, note=text)
            same.append(table)

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        stat = store.stat(source.path)
        size = stat.size if stat else 0
        note = msgspec.json.decode(source.note, type=TableNote)
        try:
            table = TABLES.use(store, source.path, lambda table: table)
            repeated = _repeated(store, note, table)
        except DAMAGED as error:
            reason = f"this table cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=size)
        columns: dict[str, list[Any]] = {}
        rules = table.rules_for(source)
        rows = [number for number in range(len(table.rows)) if number not in repeated]
        for place, number in enumerate(rows):
            values = completion_table.row_values(rules, table.rows[number])
            values["step"] = note.step if values["step"] is None else values["step"]
            values |= {"offset": number, "length": values["response_bytes"], "key": table.keys[number]}
            for name, value in values.items():
                columns.setdefault(name, [None] * len(rows))[place] = value
        return Scan(columns=dict(columns), rows=len(rows), end=size)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        try:
            rules, row = TABLES.use(store, source.path, partial(_one_row, source=source, number=place.offset))
        except DAMAGED as error:
            raise NotFoundError(
                f"{source.path} cannot be read: {error}", hint="It may be being rewritten; try again."
            ) from error
        sample = completion_table.row_sample(rules, row)
        sample.split, sample.step = place.split, place.step
        sample.source = {"file": source.path, "row": place.offset}
        return sample

    def config(self, store: Store) -> Any:
        return run_config(store)

    def finished(self, store: Store) -> bool | None:
        return has_ended(store)

    def metric_files(self, store: Store) -> list[str]:
        return logs(store)

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        return logged_metrics(store)

    def claims(self, store: Store, path: str) -> bool:
        if LOG.fullmatch(path) or path.startswith(("logs/", "tmp/")):
            return True
        path = path.removeprefix(base_folder(store))
        return path in _OTHER_FILES or path.startswith(("media/", "code/", "diff"))


def _tables_folder(store: Store) -> str | None:
    """Where the tables lie, seen from the run or from a folder on the way to them."""
    media = folder_named(store, _MEDIA)
    if media is not None:
        return f"{media}{_TABLES}"
    if store.name == _TABLES and store.parent_name == _MEDIA:
        return ""
    base = base_folder(store)
    return f"{base}{_MEDIA}/{_TABLES}" if base else None


def holds_completions(store: Store, path: str) -> bool:
    """By its columns, which W&B writes before the data; the whole table is read where they do not stand there."""
    try:
        head = store.read(path, 0, _HEAD)
        match = _COLUMNS.search(head)
        columns = msgspec.json.decode(match[1], type=list[Any]) if match else _read_table(store, path)[0]
    except (OSError, ValueError, Unreadable, msgspec.DecodeError, UnicodeDecodeError):
        return False
    return completion_table.find_rules(completion_table.unfold([str(name) for name in columns], [])[0]) is not None


def _eval_name(key: str) -> str:
    """`val/generations` -> generations; `eval_completions` -> completions."""
    rest = _EVAL.sub(lambda match: match[1] if match[1] and match[3] else "", key).strip("/_-.")
    return rest.replace("/", "_") or "all"


def _read_table(store: Store, path: str) -> tuple[list[str], list[Any]]:
    stat = store.stat(path)
    if stat is not None and stat.size > MAX_TABLE_BYTES:
        raise ValueError(f"it is a table of {stat.size:,} bytes; more than {MAX_TABLE_BYTES:,} are not read")
    try:
        record = read_record(store.read(path))
    except Unreadable as error:
        raise ValueError(str(error)) from error
    columns, data = record.get("columns"), record.get("data")
    if not isinstance(columns, list) or not isinstance(data, list):
        raise ValueError("it has no columns and data")
    return [str(name) for name in columns], data


def _open_table(store: Store, path: str) -> OpenTable:
    columns, data = completion_table.unfold(*_read_table(store, path))
    rules = completion_table.find_rules(columns, data)
    if rules is None:
        raise ValueError("its columns are not those of completions")
    seen: Counter[str] = Counter()
    keys = []
    for row in data:
        name = xxhash.xxh3_128_hexdigest(msgspec.json.encode(printable_row(row)))
        keys.append(f"{name}-{seen[name]}")
        seen[name] += 1
    return OpenTable(rules, [dict(zip(columns, row)) for row in data], keys)


def printable_row(row: list[Any]) -> list[str]:
    return [repr(value) for value in row]


def _repeated(store: Store, note: TableNote, table: OpenTable) -> set[int]:
    """The rows that are those of earlier tables: what the one before it has at its beginning, where rows have no step of
    their own; what an evaluation found in the trainer's buffer, or left there."""
    found: set[int] = set()
    for path in note.others:
        keys = set(_keys(store, path))
        found |= {number for number, key in enumerate(table.keys) if key in keys}
    if note.before and table.rules.step is None:
        keys_before = _keys(store, note.before)
        if keys_before and table.keys[: len(keys_before)] == keys_before:
            found |= set(range(len(keys_before)))
    return found


def _keys(store: Store, path: str) -> list[str]:
    try:
        return TABLES.use(store, path, lambda earlier: earlier.keys)
    except DAMAGED:
        return []


def _one_row(table: OpenTable, source: Source, number: int) -> tuple[Rules, dict[str, Any]]:
    if number >= len(table.rows):
        raise ValueError(f"it has {len(table.rows)} rows now, and no row {number}")
    return table.rules_for(source), table.rows[number]


#: Decoded tables; a table of W&B has at most 200,000 rows.
TABLES: KeptOpen[OpenTable] = KeptOpen(_open_table, limit=4, attempts=2)
