"""trackio: one SQLite database per project, which holds many runs; verl, TRL and ROLL log into it.

Table `traces` has one conversation a row, with its numbers in `metadata`. A table of completions may also be logged as a
metric's value. The database may be written while it is read (see `containers.sqlite`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

import xxhash

from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, MetricRow, Place, Source
from rollscope.formats.containers.database_runs import DatabaseRuns
from rollscope.formats.containers.sqlite import Sqlite, use_database
from rollscope.formats.lines.lenient import Unreadable, printable
from rollscope.formats.tables import completion_table
from rollscope.formats.tables.logged_before import LoggedBefore, read_before
from rollscope.formats.tables.rewards import Weights, configured_weights, with_evidence
from rollscope.formats.trackio import traces
from rollscope.formats.trackio.traces import COLUMNS, as_bytes, as_object, numbers_in, split_of
from rollscope.model import Sample, Skipped, as_integer
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import Store

_TRACES, _METRICS, _CONFIGS = "traces", "metrics", "configs"
_TABLE = re.compile(r"(trackio\.)?table", re.IGNORECASE)


class TrackioFormat(DatabaseRuns):
    name: ClassVar[str] = "trackio"
    limits: ClassVar[tuple[str, ...]] = (
        "Trainers log only some samples of a step (TRL at most 16 a call).",
        "A conversation's first assistant message is taken for the beginning of the response.",
        "The total of a table's rewards follows from reward_weights in the configuration, if the logged reward allows it.",
        "Without those it is the plain sum of the rewards, where the logged means or the advantages agree with it.",
        "Where they contradict the plain sum no total is shown; where nothing speaks for or against it, it is a guess.",
        "Where no group is logged, samples of a step with an equal prompt are shown as one group.",
        "The database must be a local file.",
    )

    def detect(self, store: Store) -> Claim | None:
        runs = self.runs(store)
        if not runs:
            return None
        return Claim(confidence=0.95, reasons=(f"a trackio project with {len(runs)} runs that have traces or tables",))

    def label(self, file: str, name: str) -> str:
        return f"{file.removesuffix('.db')}/{name}"

    def run_names(self, database: Sqlite) -> list[tuple[str, str]]:
        return _run_names(database)

    def run_rows(
        self, store: Store, database: Sqlite, run: str, path: str
    ) -> tuple[dict[str, list[Any]], list[Skipped]]:
        return _scan(database, run, path)

    def metric_rows(self, database: Sqlite, run: str) -> list[MetricRow]:
        return _metric_rows(database, run)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        try:
            if place.member == _TRACES:
                sample = traces.sample(use_database(store, source.path, partial(_one, place=place)))
            else:
                sample = use_database(store, source.path, partial(_table_sample, place=place))
        except (*DAMAGED, Unreadable) as error:
            raise NotFoundError(f"{source.path} cannot be read: {error}", hint="Refresh the run.") from error
        sample.split, sample.step = place.split, place.step
        return sample

    def config(self, store: Store) -> Any:
        return self._ask(store, _config)

    def claims(self, store: Store, path: str) -> bool:
        return path.endswith((".db", ".db-wal", ".db-shm", ".lock", ".parquet")) or path.startswith(
            ("traces/", "media/")
        )


def _run_names(database: Sqlite) -> list[tuple[str, str]]:
    """(id, name) of the runs with traces or tables, in the order in which they began. Before run ids there were names,
    and before traces there were tables."""
    found: dict[str, str] = {}
    for run, label in database.rows(_TRACES, ["run_id", "run_name"], order="rowid") if _has_traces(database) else ():
        found.setdefault(str(run or label), str(label or run))
    if database.has(_METRICS, "run_name", "metrics"):
        for run, label, metrics in database.rows(_METRICS, ["run_id", "run_name", "metrics"], order="rowid"):
            if str(run or label) not in found and b"_type" in as_bytes(metrics) and _tables(as_object(metrics)):
                found[str(run or label)] = str(label or run)
    return list(found.items())


def _has_traces(database: Sqlite) -> bool:
    return database.has(_TRACES, "run_name", "step", "messages")


def _of_run(database: Sqlite, table: str, run: str) -> tuple[str, tuple[str, ...]]:
    """The condition and its values. Rows from before run ids have none in a database that was brought up to date."""
    if not database.has(table, "run_id"):
        return "run_name = ?", (run,)
    return "(run_id = ? OR (run_id IS NULL AND run_name = ?))", (run, run)


def _scan(database: Sqlite, run: str, path: str) -> tuple[dict[str, list[Any]], list[Skipped]]:
    found: list[dict[str, Any]] = []
    skipped: list[Skipped] = []
    where = _of_run(database, _TRACES, run)
    for row in database.rows(_TRACES, COLUMNS, *where, "step, rowid") if _has_traces(database) else ():
        try:
            values = traces.values(row)
        except Unreadable as error:
            skipped.append(Skipped(file=path, line=0, reason=f"row {row[0]} of {_TRACES}: {error}"))
            continue
        found.append({**values, "member": _TRACES, "offset": row[0], "length": len(as_bytes(row[4]))})
    found += _table_rows(database, run, resumes=not found)
    names = {name for values in found for name in values}
    return {name: [values.get(name) for values in found] for name in sorted(names)}, skipped


def _tables(metrics: dict[str, Any]) -> dict[str, tuple[completion_table.Rules, list[dict[str, Any]]]]:
    """The values of a row of metrics that are tables of completions."""
    found = {}
    for name, value in metrics.items():
        kind = value.get("_type") if isinstance(value, dict) else None
        rows = value.get("_value") if isinstance(kind, str) and _TABLE.fullmatch(kind) else None
        if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
            continue
        names = list(dict.fromkeys(key for row in rows for key in row))
        names, cells = completion_table.unfold(names, [[row.get(key) for key in names] for row in rows])
        rules = completion_table.find_rules(names, cells)
        if rules is not None:
            found[name] = (rules, [dict(zip(names, row)) for row in cells])
    return found


def _table_rows(database: Sqlite, run: str, resumes: bool) -> Iterator[dict[str, Any]]:
    """The rows of all logged tables. What another split's table of the step has already was only left in the trainer's
    buffer. With `resumes`, a table of training that has other rows for a step that was there begins a new attempt."""
    if not database.has(_METRICS, "step", "metrics"):
        return
    splits: dict[tuple[Any, str], str] = {}
    last = attempt = 0
    logged: Any = None
    weights = configured_weights(_config(database, run))
    columns = ("rowid", "step", "metrics")
    for rowid, step, metrics in database.rows(_METRICS, columns, *_of_run(database, _METRICS, run), "rowid"):
        if b"_type" in as_bytes(metrics):
            before = read_before(as_object(logged))
            for rows in _table_values(rowid, step, as_object(metrics), before, weights):
                names = [(row["step"], row["key"]) for row in rows]
                if resumes and before.trains and names[0][0] <= last and not splits.keys() >= set(names):
                    attempt += 1
                last = names[0][0] if before.trains else last
                for name, row in zip(names, rows):
                    if splits.setdefault(name, row["split"]) == row["split"]:
                        yield row | {"attempt": attempt}
        logged = metrics


def _table_values(
    rowid: int, step: Any, metrics: dict[str, Any], before: LoggedBefore, weights: Weights
) -> Iterator[list[dict[str, Any]]]:
    for name, (found, rows) in _tables(metrics).items():
        rules = with_evidence(found, rows, before, weights)
        split = split_of(name, {})
        place = {"split": before.split or split if split == "train" else split, "offset": rowid}
        told = []
        for number, row in enumerate(rows):
            values = completion_table.row_values(rules, row)
            values["step"] = (as_integer(step) or 0) if values["step"] is None else values["step"]
            key = xxhash.xxh3_128_hexdigest(repr(row).encode("utf-8", "replace"))
            values |= {"member": f"{_METRICS}/{number}/{name}", "key": f"{key}-{rows[:number].count(row)}"}
            told.append(values | place | {"length": values["response_bytes"]})
        yield told


def _table_sample(database: Sqlite, place: Place) -> Sample:
    _, number, name = place.member.split("/", 2)
    rules, rows = _tables(as_object(_one(database, place)[0]))[name]
    before, config = _beside(database, place.offset)
    rules = with_evidence(rules, rows, before, configured_weights(config))
    return completion_table.row_sample(rules, rows[int(number)])


def _beside(database: Sqlite, rowid: int) -> tuple[LoggedBefore, Any]:
    """What the table's run logged in the call before it, and the run's configuration."""
    names = [name for name in ("run_id", "run_name") if name in database.tables[_METRICS]]
    for run in database.rows(_METRICS, names, "rowid = ?", (rowid,)):
        config = _config(database, str(next(filter(None, run), "")))
        where = " AND ".join(f"{name} IS ?" for name in names)
        for (metrics,) in database.rows(_METRICS, ["metrics"], f"{where} AND rowid < ?", (*run, rowid), "rowid DESC"):
            return read_before(as_object(metrics)), config
        return LoggedBefore(), config
    return LoggedBefore(), None


def _one(database: Sqlite, place: Place) -> tuple[Any, ...]:
    table, columns = (_TRACES, COLUMNS) if place.member == _TRACES else (_METRICS, ("metrics",))
    for row in database.rows(table, columns, "rowid = ?", (place.offset,)):
        return row
    raise ValueError(f"it has no row {place.offset} in {table} any more")


def _metric_rows(database: Sqlite, run: str) -> list[MetricRow]:
    found = []
    if database.has(_METRICS, "step", "metrics"):
        columns = ("step", "timestamp", "metrics")
        for step, timestamp, metrics in database.rows(_METRICS, columns, *_of_run(database, _METRICS, run), "rowid"):
            told = {name: value for name, value in as_object(metrics).items() if not isinstance(value, dict)}
            found.append(MetricRow(step=as_integer(step) or 0, time=_time(timestamp), values=dict(numbers_in(told))))
    return found


def _config(database: Sqlite, run: str) -> Any:
    if not database.has(_CONFIGS, "config"):
        return None
    for (config,) in database.rows(_CONFIGS, ["config"], *_of_run(database, _CONFIGS, run), "rowid DESC"):
        return printable(as_object(config)) or None
    return None


def _time(text: Any) -> float | None:
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except ValueError:
        return None
