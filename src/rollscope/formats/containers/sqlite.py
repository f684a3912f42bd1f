"""A SQLite database that somebody else may be writing: read-only, without a lock that its writer could wait for.

- No ``-wal`` beside it: opened as immutable. No lock is taken (a reader's lock would make a rollback-journal writer fail);
  a read that met a half-written page is damaged data, and is tried again when the file changes.
- A ``-wal`` with its ``-shm``: opened read-only. Readers of a WAL database never block its writer.
- A ``-wal`` without ``-shm`` (a crashed writer, a copied folder): SQLite would have to write beside the file to read it,
  so a copy of both is opened.

A database is also a program: views, triggers and expressions are not run. Only real tables are read, with a limit on
the work of one query.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

from rollscope.storage.open_files import KeptOpen
from rollscope.storage.store import Store

HEADER = b"SQLite format 3\0"
#: A database with a `-wal` that nobody has open is copied to be read; a larger one is refused.
MAX_COPY_BYTES = 4 << 30
#: One value longer than this is an error of its row.
MAX_VALUE_BYTES = 512 << 20
#: Virtual machine steps of one query: a table scan of 100 million cells; an endless recursive view never ends.
MAX_STEPS = 2_000_000_000
_STEPS_AT_ONCE = 10_000_000
_T = TypeVar("_T")


class Sqlite:
    """An open database. `tables` are its real tables and their columns."""

    def __init__(self, path: str) -> None:
        self._copy: str | None = None
        wal, shm = f"{path}-wal", f"{path}-shm"
        self._wal, self._wal_seen = wal, _size_and_time(wal)
        logged = self._wal_seen[0] > 0
        if logged and not os.path.exists(shm):
            path = self._copied(path, wal)
        options = "mode=ro" if logged else "mode=ro&immutable=1"
        self._steps = 0
        try:
            self._connection = sqlite3.connect(
                f"file:{quote(path)}?{options}", uri=True, timeout=2.0, check_same_thread=False
            )
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
            self._connection.set_progress_handler(self._count, _STEPS_AT_ONCE)
            for pragma in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
                self._connection.execute(f"PRAGMA {pragma}")
            self._connection.text_factory = lambda data: data.decode("utf-8", "replace")
            self.tables: dict[str, list[str]] = self._real_tables()
        except sqlite3.Error as error:
            raise ValueError(f"it is no SQLite database that can be read ({error})") from error

    def __del__(self) -> None:
        if connection := getattr(self, "_connection", None):
            connection.close()
        if copy := getattr(self, "_copy", None):
            shutil.rmtree(copy, ignore_errors=True)

    def is_current(self) -> bool:
        """False where a `-wal` has come, gone or (behind a copy) changed since it was opened."""
        now = _size_and_time(self._wal)
        return now == self._wal_seen if self._copy is not None else (now[0] > 0) == (self._wal_seen[0] > 0)

    def _copied(self, path: str, wal: str) -> str:
        size = os.path.getsize(path) + os.path.getsize(wal)
        if size > MAX_COPY_BYTES:
            raise ValueError(
                f"its -wal belongs to no open writer and {size:,} bytes would have to be copied; "
                f"more than {MAX_COPY_BYTES:,} are not"
            )
        self._copy = tempfile.mkdtemp(prefix="rollscope-sqlite-")
        target = os.path.join(self._copy, "copy.db")
        shutil.copyfile(path, target)
        shutil.copyfile(wal, f"{target}-wal")
        return target

    def _count(self) -> int:
        self._steps += _STEPS_AT_ONCE
        return int(self._steps > MAX_STEPS)

    def _real_tables(self) -> dict[str, list[str]]:
        listed = self._connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' LIMIT 1000"
        )
        names = [str(row[0]) for row in listed.fetchall()]
        # `table_info` leaves generated columns out: they are expressions of the database's own.
        return {
            name: [str(row[1]) for row in self._connection.execute(f"PRAGMA table_info({_quoted(name)})")]
            for name in names
        }

    def has(self, table: str, *columns: str) -> bool:
        return table in self.tables and set(columns) <= set(self.tables[table])

    def rows(
        self, table: str, columns: Sequence[str], where: str = "", parameters: Sequence[Any] = (), order: str = ""
    ) -> Iterator[tuple[Any, ...]]:
        """Rows of a real table. A column that it has not is None. `where` and `order` are ours, values are parameters."""
        if table not in self.tables:
            raise ValueError(f"it has no table {table}")
        known = {"rowid", *self.tables[table]}
        picked = ", ".join(_quoted(name) if name in known else "NULL" for name in columns)
        self._steps = 0
        query = f"SELECT {picked} FROM {_quoted(table)}"  # names are those the database has, quoted
        query += f" WHERE {where}" if where else ""
        query += f" ORDER BY {order}" if order else ""
        try:
            # One at a time: a row may hold all tensors of an experience.
            yield from self._connection.execute(query, tuple(parameters))
        except (sqlite3.Error, OverflowError) as error:
            raise ValueError(f"table {table} cannot be read ({error})") from error


def _size_and_time(path: str) -> tuple[int, int]:
    try:
        stat = os.stat(path)
    except OSError:
        return 0, 0
    return stat.st_size, stat.st_mtime_ns


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def is_sqlite(store: Store, path: str) -> bool:
    try:
        return store.read(path, 0, len(HEADER)) == HEADER
    except OSError:
        return False


def wal_state(store: Store, path: str) -> str:
    """What tells that rows were added while the database file itself stays: for `Source.note`."""
    stat = store.stat(f"{path}-wal") if store.exists(f"{path}-wal") else None
    return f"{stat.size} {stat.mtime_ns}" if stat is not None and stat.size else ""


def open_sqlite(store: Store, path: str) -> Sqlite:
    """SQLite reads files by name: only those of a local store have one."""
    local = store.local_path(path)
    if local is None or not os.path.exists(local):
        raise ValueError("a SQLite database can be read only where it is a local file: copy it here first")
    if not is_sqlite(store, path):
        raise ValueError("it is no SQLite database")
    return Sqlite(local)


_databases: KeptOpen[Sqlite] = KeptOpen(open_sqlite, limit=4, attempts=3)


def use_database(store: Store, path: str, work: Callable[[Sqlite], _T]) -> _T:
    """What `work` makes of the open database, which is kept open. What is added to a -wal is seen by the next query."""

    def current(database: Sqlite) -> _T:
        if not database.is_current():
            raise ValueError("its -wal changed")  # opened anew
        return work(database)

    return _databases.use(store, path, current)
