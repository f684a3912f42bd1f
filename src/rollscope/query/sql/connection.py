"""DuckDB over Arrow tables, locked down: no files, no network, no settings, a time and a memory limit."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.errors import LimitError, UsageError, check_utf8
from rollscope.query.sql import limits
from rollscope.query.sql.kept_connection import KeptConnection

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")
_local = threading.local()
_TABLES = "tables: samples, steps, metrics, runs; DESCRIBE samples lists columns"
_QUOTED_NAME = re.compile(r'"([^"]+)"')


def _connect() -> duckdb.DuckDBPyConnection:
    import duckdb  # as long as numpy and pyarrow together; most commands ask nothing of it

    connection = duckdb.connect(":memory:", config={"memory_limit": f"{limits.current().memory_mb}MB", "threads": "2"})
    for statement in (
        "SET enable_external_access = false",
        "SET python_enable_replacements = false",
        "SET autoinstall_known_extensions = false",
        "SET autoload_known_extensions = false",
        "SET enable_progress_bar = false",
        "SET lock_configuration = true",
    ):
        connection.execute(statement)
    return connection


def _kept() -> KeptConnection:
    """This thread's."""
    kept: KeptConnection | None = getattr(_local, "kept", None)
    if kept is None:
        kept = _local.kept = KeptConnection(_connect)
    return kept


def row_numbers(sql: str, rows: pa.Table) -> NDArray[np.int64]:
    """Run a query of ours that gives one column of integers over the table `rows`. Raises LimitError when it takes too
    long or too much."""
    with _kept().use() as kept:
        (numbers,) = _run(kept, {"rows": rows}, lambda connection: connection.execute(sql).fetchnumpy().values())
    found: NDArray[np.int64] = numbers
    return found


def query_untrusted(sql: str, tables: Mapping[str, pa.Table], *, setup: str = "") -> pa.Table:
    """Run a user's SQL: one SELECT in a connection of its own, which is thrown away."""
    import duckdb

    check_utf8(sql, "the query")
    connection = _connect()
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise _sql_error(error) from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise UsageError("SQL: one SELECT statement is expected", hint=_TABLES)

    def ask(connection: duckdb.DuckDBPyConnection) -> pa.Table:
        if setup:
            connection.execute(setup)
        return distinct_names(connection.sql(sql).to_arrow_table(), str)

    try:
        return _run(connection, tables, ask)
    finally:
        connection.close()


def _run(
    connection: duckdb.DuckDBPyConnection,
    tables: Mapping[str, pa.Table],
    ask: Callable[[duckdb.DuckDBPyConnection], T],
) -> T:
    import duckdb

    allowed = limits.current()
    finished = threading.Event()
    watchdog = threading.Thread(target=_interrupt, args=(connection, allowed.seconds, finished), daemon=True)
    for name, table in tables.items():
        connection.register(name, table)
    watchdog.start()
    try:
        return ask(connection)
    except duckdb.InterruptException:
        raise LimitError(
            f"the query took longer than {allowed.seconds:g} s and was stopped", hint="narrow it to fewer steps"
        ) from None
    except duckdb.OutOfMemoryException:
        raise LimitError(
            f"the query needs more than {allowed.memory_mb} MB of memory", hint="select fewer columns or rows"
        ) from None
    except duckdb.Error as error:
        raise _sql_error(error) from None
    finally:
        finished.set()
        watchdog.join()  # at exit a thread that still holds the connection would make DuckDB complain on stderr
        for name in tables:
            connection.unregister(name)


def _interrupt(connection: duckdb.DuckDBPyConnection, seconds: float, finished: threading.Event) -> None:
    """End what still runs after `seconds`. DuckDB forgets an interruption that comes before a statement or between two,
    which a busy machine makes likely for short limits: so it is repeated until the query is over."""
    if not finished.wait(seconds):
        connection.interrupt()
        while not finished.wait(0.05):
            connection.interrupt()


def _sql_error(error: duckdb.Error) -> UsageError:
    """What DuckDB says in its first line, and the names it offers instead, where it has some."""
    what, *more = str(error).splitlines() or [type(error).__name__]
    offered = next((line for line in more if line.startswith(("Candidate ", "Did you mean "))), None)
    if offered is None:
        return UsageError(f"SQL: {what}", hint=_TABLES)
    names = ", ".join(name for name in _QUOTED_NAME.findall(offered) if not name.startswith("_"))
    return UsageError(f"SQL: {what}", hint=f"nearest: {names}; {_TABLES}" if names else _TABLES)


def distinct_names(table: pa.Table, same: Callable[[str], str]) -> pa.Table:
    """Of two columns whose names are the `same`, the second is called NAME_2: a row as an object has room for one."""
    seen: set[str] = set()
    names = []
    for name in table.column_names:
        candidate, number = name, 2
        while same(candidate) in seen:
            candidate, number = f"{name}_{number}", number + 1
        seen.add(same(candidate))
        names.append(candidate)
    return table.rename_columns(names)


def quoted(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def plain(value: Any) -> Any:
    """A value of a result as JSON can hold it."""
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return str(value)
