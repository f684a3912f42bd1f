"""A user's SQL in a process of its own, which the operating system holds to its memory and we to its time.

DuckDB counts what it keeps, not what one function makes in one go: `repeat('x', 4000000000)` takes its memory whatever the
limit, and cannot be interrupted meanwhile. Queries that call nothing of that kind need no process (a quarter of a second):
:func:`is_harmless` knows them.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import IO, Any

import msgspec
import pyarrow as pa
from msgspec import Struct

from rollscope.errors import LimitError, RollscopeError, UsageError
from rollscope.query.limits import Limits

#: Functions whose result is no larger than what they are given, and what looks like a function and is none.
_HARMLESS = frozenset(
    re.findall(
        r"\w+",
        """
        abs any_value approx_count_distinct approx_quantile arg_max arg_min argmax argmin avg bool_and bool_or cast ceil
        ceiling coalesce contains corr count count_if countif covar_pop covar_samp cume_dist date_part date_trunc
        dense_rank ends_with epoch exists exp extract filter first first_value floor greatest histogram if ifnull in
        instr isfinite isinf isnan kurtosis lag last last_value lead least left len length list list_avg list_contains
        list_distinct list_max list_min list_sum ln log log10 log2 lower ltrim max mean median min mod mode not
        nth_value ntile nullif over partition percent_rank position pow power product quantile quantile_cont
        quantile_disc rank regexp_matches regr_slope right round row_number rtrim sign sqrt starts_with stddev
        stddev_pop stddev_samp string_agg strlen strpos struct_extract substr substring sum to_timestamp trim trunc
        try_cast typeof unnest upper var_pop var_samp variance
        and as between by else from having ilike interval like on or select then using values when where
        """,
    )
)
_CALL = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)\s*\(")
#: Texts, and names in quotes, which may hold the sign that a text begins with.
_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"(?!")""")
#: Where it is not plain what is code: comments (they nest, and end at more than a line feed), texts between dollars or with
#: a letter before them (E'…'), spaces that only DuckDB takes for some. Then functions in quotes; loops; and text made
#: longer by joining it to itself.
_NOT_PLAIN = re.compile(
    r"""--|/\*|\$|\\|[\w&]''|[^\x00-\x7f]|""\s*\(|\brecursive\b|\|\||->|\[""",
    re.IGNORECASE,
)

#: How programs say that they got no memory. A thread needs some, too.
NO_MEMORY = re.compile(
    r"out of memory|allocate memory|memoryerror|failed to allocate|bad_alloc|can't start new thread", re.IGNORECASE
)
#: After its time a query is interrupted; if it does not end then, it is killed.
_GRACE_SECONDS = 2.0


def is_harmless(sql: str) -> bool:
    """Whether no part of the query can make much out of little in one go."""
    code = _QUOTED.sub(lambda found: "''" if found[0].startswith("'") else '""', sql)
    calls = {name.lower() for name in _CALL.findall(code)}
    return calls <= _HARMLESS and not _NOT_PLAIN.search(code)


class _Task(Struct):
    sql: str
    setup: str
    limits: Limits
    max_rows: int | None
    tables: dict[str, str]


class _Failure(Struct):
    """An error on its way from the process to its caller."""

    kind: str
    message: str
    hint: str = ""


def query_in_sandbox(
    sql: str, tables: Mapping[str, pa.Table], *, setup: str, limits: Limits, max_rows: int | None
) -> pa.Table:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="rollscope-sql-") as folder:
        paths = {}
        for number, (name, table) in enumerate(tables.items()):
            paths[name] = os.path.join(folder, f"{number}.arrow")
            with pa.OSFile(os.fsencode(paths[name]), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
        return _ask_process(_Task(sql, setup, limits, max_rows, paths))


def _ask_process(task: _Task) -> pa.Table:
    # Nothing of the caller's folder on the path, and its warnings are not the query's business.
    command = [sys.executable, "-c", "from rollscope.query.sql.sandbox import main; main()"]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    import subprocess  # most commands start no query

    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Event()

        def kill() -> None:
            late.set()
            process.kill()

        # What it says on stderr is read beside its answer: a full pipe would hold it up.
        errors: list[bytes] = []
        listener = threading.Thread(target=lambda: errors.append(process.stderr.read()), daemon=True)  # type: ignore[union-attr]
        # Its imports are not the query's time.
        timer = threading.Timer(task.limits.seconds + _GRACE_SECONDS + 3.0, kill)
        listener.start()
        timer.start()
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(msgspec.json.encode(task))
                process.stdin.close()
            table = _read_answer(process.stdout)
        finally:
            process.wait()  # it ends itself, or is ended by the timer
            timer.cancel()
            listener.join()
    if table is not None and process.returncode == 0:
        return table
    raise too_slow(task.limits) if late.is_set() else _failure(b"".join(errors), process.returncode, task.limits)


def _read_answer(stdout: IO[bytes]) -> pa.Table | None:
    """None when the process ended before it had sent the whole table."""
    try:
        with pa.ipc.open_stream(stdout) as reader:
            return reader.read_all()
    except (pa.ArrowInvalid, OSError):
        return None


def _failure(errors: bytes, status: int, limits: Limits) -> RollscopeError:
    try:
        failure = msgspec.json.decode(errors.splitlines()[-1] if errors.strip() else b"", type=_Failure)
    except msgspec.DecodeError:
        return _unforeseen(errors, status, limits)
    kinds: dict[str, type[RollscopeError]] = {"UsageError": UsageError, "LimitError": LimitError}
    return kinds.get(failure.kind, RollscopeError)(failure.message, hint=failure.hint)


def _unforeseen(errors: bytes, status: int, limits: Limits) -> RollscopeError:
    """It ended without an answer of ours: most often for lack of memory, and then it says so, or nothing."""
    # Indented lines of a traceback are code, which may speak of memory, too.
    words = [line for line in errors.decode("utf-8", "replace").splitlines() if line.strip() and line[0] != " "]
    if (status < 0 and not words) or NO_MEMORY.search("\n".join(words)):
        return too_large(limits)
    ended = f"signal {-status}" if status < 0 else f"status {status}"
    return RollscopeError(
        f"the query's process ended with {ended}: {words[-1] if words else 'it said nothing'}",
        hint="this is a fault of Rollscope: please report it with the query",
    )


def too_slow(limits: Limits) -> LimitError:
    return LimitError(
        f"the query took longer than {limits.seconds:g} s and was stopped", hint="narrow it to fewer steps"
    )


def too_large(limits: Limits) -> LimitError:
    return LimitError(
        f"the query needs more than {limits.memory_mb} MB of memory", hint="select fewer columns or rows, or aggregate"
    )


# In the process


def _end_with_parent() -> None:
    """A server that is stopped in the middle of a query leaves no process behind (Linux; elsewhere the time limit ends it)."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None, use_errno=True).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


#: PR_SET_PDEATHSIG of <sys/prctl.h>.
_SET_DEATH_SIGNAL = 1


def main() -> None:
    _end_with_parent()
    from rollscope.query import limits as current
    from rollscope.query.sql.connection import stream_untrusted

    task = msgspec.json.decode(sys.stdin.buffer.read(), type=_Task)
    current.set_limits(task.limits)
    try:
        import duckdb  # noqa: F401  # before the limit: its code is not the query's memory

        tables = {
            name: pa.ipc.open_file(pa.memory_map(os.fsencode(path))).read_all() for name, path in task.tables.items()
        }
        _hold_memory(task.limits.memory_mb)
        _send(stream_untrusted(task.sql, tables, setup=task.setup, max_rows=task.max_rows))
    except MemoryError:
        _fail(too_large(task.limits))
    except RollscopeError as error:
        _fail(error)
    os._exit(0)


def _send(batches: Iterator[Any]) -> None:
    writer = pa.ipc.new_stream(sys.stdout.buffer, next(batches))
    for batch in batches:
        writer.write_batch(batch)
    writer.close()  # not when something failed: an answer without its end is none
    sys.stdout.buffer.flush()


def _fail(error: RollscopeError) -> None:
    failure = _Failure(type(error).__name__, str(error), error.hint)
    sys.stderr.buffer.write(b"\n" + msgspec.json.encode(failure) + b"\n")
    sys.stderr.buffer.flush()
    os._exit(3)


def _hold_memory(megabytes: int) -> None:
    """Limit memory to what the process has now, what DuckDB may keep, and as much again for intermediate results."""
    try:
        import resource

        with open("/proc/self/status", encoding="ascii") as status:
            now = next(int(line.split()[1]) for line in status if line.startswith("VmData")) * 1024
        most = now + 2 * megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    except (ImportError, OSError, ValueError, StopIteration):
        return  # not on every system; DuckDB's own limit holds everywhere


if __name__ == "__main__":
    main()
