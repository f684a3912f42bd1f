"""trackio's exports: `{project}_traces.parquet` of all projects, or `aux/traces.parquet` of a published one.

They have the columns of the database's table `traces`, and are read where no database lies beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, ClassVar

from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, Format, Place, Scan, Source
from rollscope.formats.containers.parquet import Table
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.trackio import traces
from rollscope.model import Sample, Skipped
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

_SUFFIX, _PUBLISHED = "_traces.parquet", "aux/traces.parquet"
_MARKS = frozenset({"run_name", "step", "key", "messages", "metadata"})
_TABLES: KeptOpen[Table] = KeptOpen(lambda store, path: Table(store.open(path)), limit=4, attempts=2)


class TrackioExportFormat(Format):
    name: ClassVar[str] = "trackio_export"
    limits: ClassVar[tuple[str, ...]] = (
        "Only traces are read of an export: tables of completions that were logged as metrics are in the database.",
        "Logged metrics and configurations are not read from an export.",
        "A conversation's first assistant message is taken for the beginning of the response.",
    )

    def detect(self, store: Store) -> Claim | None:
        runs = self.runs(store)
        if not runs:
            return None
        return Claim(confidence=0.9, reasons=(f"an export of trackio with {len(runs)} runs that have traces",))

    def runs(self, store: Store) -> Sequence[str]:
        return list(self._runs_by_name(store))

    def _runs_by_name(self, store: Store) -> dict[str, tuple[str, str]]:
        """Name of a run -> (file, its id in it)."""
        paths = [name for name in store.files() if name.endswith(_SUFFIX)]
        paths = [name for name in paths if not store.exists(f"{name.removesuffix(_SUFFIX)}.db")]
        paths += [_PUBLISHED] if store.exists(_PUBLISHED) else []
        found: dict[str, tuple[str, str]] = {}
        for path in paths:
            try:
                names = _TABLES.use(store, path, _run_names)
            except DAMAGED:
                continue
            project = store.name if path == _PUBLISHED else path.removesuffix(_SUFFIX)
            for run, name in names:
                label = f"{project}/{name}"
                found[label if label not in found else f"{label} ({run[:8]})"] = (path, run)
        return found

    def sources(self, store: Store) -> Iterable[Source]:
        found = self._runs_by_name(store)
        path, run = found.get(self.part) or next(iter(found.values()), ("", ""))
        if path:
            yield Source(path=path, appendable=False, note=run)

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        skipped: list[Skipped] = []
        found: list[dict[str, Any]] = []
        try:
            rows = _TABLES.use(store, source.path, partial(_rows, run=source.note))
        except DAMAGED as error:
            reason = f"this export cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=end)
        for row in sorted(rows, key=lambda row: (row[1] or 0, row[0])):
            try:
                found.append({**traces.values(row), "offset": row[0], "length": len(traces.as_bytes(row[4]))})
            except Unreadable as error:
                skipped.append(Skipped(file=source.path, line=0, reason=f"row {row[0]}: {error}"))
        names = sorted({name for values in found for name in values})
        columns = {name: [values.get(name) for values in found] for name in names}
        return Scan(columns=dict(columns), rows=len(found), skipped=skipped, end=end)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        try:
            (row,) = _TABLES.use(store, source.path, lambda table: table.rows([place.offset]))
            sample = traces.sample(_row(place.offset, row))
        except (*DAMAGED, Unreadable) as error:
            raise NotFoundError(f"{source.path} cannot be read: {error}", hint="Refresh the run.") from error
        sample.split, sample.step = place.split, place.step
        return sample

    def claims(self, store: Store, path: str) -> bool:
        return path.endswith((".parquet", ".json")) or path.startswith("media/")


def _run_names(table: Table) -> list[tuple[str, str]]:
    """(id, name) of the runs: two may have one name. Before run ids there were names."""
    if not table.names >= _MARKS:
        return []
    found: dict[str, str] = {}
    for run, name in _runs(table):
        found.setdefault(run, name)
    return list(found.items())


def _runs(table: Table) -> list[tuple[str, str]]:
    """(id, name) of each row's run."""
    names = table.columns("run_name")["run_name"]
    ids = table.columns("run_id")["run_id"] if "run_id" in table.names else [None] * len(names)
    return [(str(run or name), str(name or run)) for run, name in zip(ids, names)]


def _rows(table: Table, run: str) -> list[tuple[Any, ...]]:
    names = [name for name in traces.COLUMNS if name != "rowid"]
    columns = table.columns(*(name for name in names if name in table.names))
    wanted = (place for place, (other, _) in enumerate(_runs(table)) if other == run)
    return [(place, *(columns[name][place] if name in columns else None for name in names)) for place in wanted]


def _row(number: int, row: dict[str, Any]) -> tuple[Any, ...]:
    return (number, *(row.get(name) for name in traces.COLUMNS if name != "rowid"))
