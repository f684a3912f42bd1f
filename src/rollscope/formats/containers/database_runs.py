"""Databases that hold several runs: which there are, and what all of them need to open one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from rollscope.formats.base import Format, MetricRow, Scan, Source
from rollscope.formats.containers.sqlite import Sqlite, is_sqlite, use_database, wal_state
from rollscope.model import Skipped
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import Store

_T = TypeVar("_T")


class DatabaseRuns(Format):
    """Runs by name, each in a SQLite file of the folder (see `Format.runs`). Subclasses read tables."""

    @abstractmethod
    def run_names(self, database: Sqlite) -> list[tuple[str, str]]:
        """(id, name) of the runs in a database that have samples, in the order in which they began."""

    @abstractmethod
    def run_rows(
        self, store: Store, database: Sqlite, run: str, path: str
    ) -> tuple[dict[str, list[Any]], list[Skipped]]:
        """The columns of a run's samples, and what could not be read."""

    @abstractmethod
    def metric_rows(self, database: Sqlite, run: str) -> list[MetricRow]:
        """What the run logged."""

    def label(self, file: str, name: str) -> str:
        """What a run is called, of what it is called in its file."""
        return name

    def runs(self, store: Store) -> Sequence[str]:
        return list(self._runs_by_name(store))

    def _runs_by_name(self, store: Store) -> dict[str, tuple[str, str]]:
        """Name of a run -> (database, run id), over all databases in this folder."""
        found: dict[str, tuple[str, str]] = {}
        for file in store.files():
            if not file.endswith(".db") or not is_sqlite(store, file):
                continue
            try:
                names = use_database(store, file, self.run_names)
            except DAMAGED:
                continue
            for run, name in names:
                label = self.label(file, name)
                longer = (label, f"{label} ({run[:8]})", f"{label} ({run})", f"{label} ({run} in {file})")
                found[next((free for free in longer if free not in found), longer[-1])] = (file, run)
        return found

    def _place(self, store: Store) -> tuple[str, str]:
        """(database, id of this run)."""
        found = self._runs_by_name(store)
        return found.get(self.part) or next(iter(found.values()), ("", ""))

    def sources(self, store: Store) -> Iterable[Source]:
        path, _ = self._place(store)
        if path:
            yield Source(path=path, appendable=False, note=wal_state(store, path))

    def source_now(self, store: Store, source: Source) -> Source:
        return msgspec.structs.replace(source, note=wal_state(store, source.path))

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        stat = store.stat(source.path)
        size = stat.size if stat else 0
        _, run = self._place(store)
        try:
            columns, skipped = use_database(
                store, source.path, lambda database: self.run_rows(store, database, run, source.path)
            )
        except DAMAGED as error:
            reason = f"this database cannot be read: {error}. It is read again when it changes."
            return Scan(columns={}, rows=0, skipped=[Skipped(file=source.path, line=0, reason=reason)], end=size)
        return Scan(columns=dict(columns), rows=len(columns.get("offset", ())), skipped=skipped, end=size)

    def metric_files(self, store: Store) -> list[str]:
        path, _ = self._place(store)
        return [name for name in (path, f"{path}-wal") if path and store.exists(name)]

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        yield from self._ask(store, self.metric_rows) or ()

    def _ask(self, store: Store, question: Callable[[Sqlite, str], _T]) -> _T | None:
        """What the database says of this run; None where it cannot be read."""
        path, run = self._place(store)
        try:
            return use_database(store, path, lambda database: question(database, run)) if path else None
        except DAMAGED:
            return None
