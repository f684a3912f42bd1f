"""DuckDB over Arrow tables, locked down: no files, no network, no settings, a time and a memory limit."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rollscope.errors import UsageError, check_utf8
from rollscope.query import limits
from rollscope.query.sql.result_types import as_shown
from rollscope.query.sql.sandbox import NO_MEMORY, is_harmless, query_in_sandbox, too_large, too_slow
from rollscope.query.sql.thread_connection import ThreadConnection

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")
_local = threading.local()
_TABLES = "tables: samples, steps, metrics, runs; DESCRIBE samples lists columns"
#: Rows of a result that are made at once.
_BATCH_ROWS = 10_000
_SORTED_ROWS = 250_000
_QUOTED_NAME = re.compile(r'"([^"]+)"')


def _connect(memory_mb: int | None = None, temp_directory: str = "") -> duckdb.DuckDBPyConnection:
    import duckdb  # as long as numpy and pyarrow together; most commands ask nothing of it

    # Without a folder named, DuckDB would write into `.tmp` where the program was started, and let queries read there.
    config = {
        "memory_limit": f"{memory_mb or limits.current().memory_mb}MB",
        "threads": "2",
        "temp_directory": temp_directory,
    }
    connection = duckdb.connect(":memory:", config=config)
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


def _kept() -> ThreadConnection:
    """This thread's."""
    kept: ThreadConnection | None = getattr(_local, "kept", None)
    if kept is None:
        kept = _local.kept = ThreadConnection(_connect)
    return kept


def row_numbers(sql: str, rows: pa.Table) -> NDArray[np.int64]:
    """Run a query of ours that gives one column of integers over the table `rows`. Raises LimitError when it takes too
    long or too much."""
    started = time.monotonic()
    with _kept().use() as kept:
        (numbers,) = _run(kept, {"rows": rows}, lambda connection: connection.execute(sql).fetchnumpy().values())
    if hasattr(_local, "left"):
        _local.left -= time.monotonic() - started
        if _local.left < 0:
            raise too_slow(limits.current())
    found: NDArray[np.int64] = numbers
    return found


#: Memory of an order that is made on disk; what is beyond it lies in a temporary folder.
_SORT_MB = 200


def streamed_row_numbers(sql: str, parts: Iterator[pa.Table]) -> Iterator[NDArray[np.int64]]:
    """The same over tables that come one after the other, for results of any size."""
    first = next(parts, None)
    if first is None:
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="rollscope-sort-", ignore_cleanup_errors=True) as folder:
        connection = _connect(memory_mb=_SORT_MB, temp_directory=folder)
        batches = (batch for table in chain([first], parts) for batch in table.to_batches())
        rows = pa.RecordBatchReader.from_batches(first.schema, batches)
        try:
            with _limited(connection, {"rows": rows}), connection.sql(sql).to_arrow_reader(_SORTED_ROWS) as reader:
                for batch in reader:
                    yield batch.column(0).to_numpy()
        finally:
            connection.close()


@contextmanager
def one_time_limit() -> Iterator[None]:
    """The queries of ours in here belong together: they have the time of one."""
    _local.left = limits.current().seconds
    try:
        yield
    finally:
        del _local.left


def query_untrusted(
    sql: str, tables: Mapping[str, pa.Table], *, setup: str = "", max_rows: int | None = None
) -> pa.Table:
    """Run a user's SQL: one SELECT in a connection of its own, which is thrown away; in a process of its own where it
    may need more than DuckDB counts. The result is no larger than the memory limit, and has no more than ``max_rows``."""
    check_utf8(sql, "the query")
    if not is_harmless(sql):
        _check_select(sql)
        found = query_in_sandbox(sql, tables, setup=setup, limits=limits.current(), max_rows=max_rows)
    else:
        schema, *batches = stream_untrusted(sql, tables, setup=setup, max_rows=max_rows)
        found = pa.Table.from_batches(batches, schema)
    return distinct_names(found, str)


def stream_untrusted(
    sql: str, tables: Mapping[str, pa.Table], *, setup: str = "", max_rows: int | None = None
) -> Iterator[Any]:
    """The result's schema, then its batches as they are made: all that is held at once is one of them."""
    _check_select(sql)
    connection = _connect()
    try:
        with _limited(connection, tables):
            if setup:
                connection.execute(setup)
            with as_shown(connection.sql(sql)).to_arrow_reader(_BATCH_ROWS) as reader:
                yield reader.schema
                yield from _within(reader, max_rows)
    finally:
        connection.close()


def _within(reader: Any, max_rows: int | None) -> Iterator[Any]:
    """Batches until there are rows enough. Too many bytes are an error, because a result must not be cut without saying so."""
    allowed = limits.current()
    end = time.monotonic() + allowed.seconds
    rows = size = 0
    for batch in reader:
        taken = batch if max_rows is None else batch.slice(0, max_rows - rows)
        rows += taken.num_rows
        size += taken.nbytes
        if size > allowed.memory_mb * 1_000_000:
            raise too_large(allowed)
        if time.monotonic() > end:
            raise too_slow(allowed)
        yield taken
        if rows == max_rows:
            return


def _check_select(sql: str) -> None:
    import duckdb

    try:
        with duckdb.connect(":memory:") as parser:
            statements = parser.extract_statements(sql)
    except duckdb.Error as error:
        raise _sql_error(error) from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise UsageError("SQL: one SELECT statement is expected", hint=_TABLES)


def _run(
    connection: duckdb.DuckDBPyConnection,
    tables: Mapping[str, pa.Table],
    ask: Callable[[duckdb.DuckDBPyConnection], T],
) -> T:
    with _limited(connection, tables):
        return ask(connection)


@contextmanager
def _limited(connection: duckdb.DuckDBPyConnection, tables: Mapping[str, pa.Table]) -> Iterator[None]:
    """A time limit for what is asked here, over these tables; DuckDB's errors as ours."""
    import duckdb

    allowed = limits.current()
    finished = threading.Event()
    watchdog = threading.Thread(target=_interrupt, args=(connection, allowed.seconds, finished), daemon=True)
    for name, table in tables.items():
        connection.register(name, table)
    watchdog.start()
    try:
        yield
    except duckdb.InterruptException:
        raise too_slow(allowed) from None
    except (duckdb.OutOfMemoryException, MemoryError):
        raise too_large(allowed) from None
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        # Through an Arrow stream DuckDB's errors come as Arrow's, with DuckDB's words.
        if "INTERRUPT Error" in str(error):
            raise too_slow(allowed) from None
        if NO_MEMORY.search(str(error)):
            raise too_large(allowed) from None
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


def _sql_error(error: Exception) -> UsageError:
    """What DuckDB says in its first line, and the names it offers instead, where it has some."""
    what, *more = str(error).splitlines() or [type(error).__name__]
    offered = next((line for line in more if line.startswith(("Candidate ", "Did you mean "))), None)
    if offered is None:
        return UsageError(f"SQL: {what}", hint=_TABLES)
    names = ", ".join(name for name in _QUOTED_NAME.findall(offered) if not name.startswith("_"))
    return UsageError(f"SQL: {what}", hint=f"nearest: {names}; {_TABLES}" if names else _TABLES)


def distinct_names(table: pa.Table, same: Callable[[str], str]) -> pa.Table:
    """Of two columns whose names are the `same`, the second is called NAME_2: an object can hold a name only once."""
    seen: set[str] = set()
    names = []
    for name in table.column_names:
        candidate, number = name, 2
        while same(candidate) in seen:
            candidate, number = f"{name}_{number}", number + 1
        seen.add(same(candidate))
        names.append(candidate)
    return table.rename_columns(names)


def plain(value: Any) -> Any:
    """A value of a result as JSON can hold it."""
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, Decimal):  # a sum of integers, which has 128 bits, or a number that the query wrote
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return str(value)
