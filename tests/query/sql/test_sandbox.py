"""A user's SQL is held to its memory and its time, whatever it asks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from rollscope.errors import LimitError, RollscopeError, UsageError
from rollscope.query import limits
from rollscope.query.limits import Limits
from rollscope.query.sql.connection import query_untrusted
from rollscope.query.sql.sandbox import is_harmless

NUMBERS = {"samples": pa.table({"i": list(range(3_000)), "name": ["x" * 20] * 3_000})}


@pytest.fixture(autouse=True)
def small() -> Iterator[None]:
    before = limits.current()
    limits.set_limits(Limits(seconds=10.0, memory_mb=64))
    yield
    limits.set_limits(before)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT step, avg(reward) FROM samples WHERE name = 'repeat(' GROUP BY 1 HAVING count(*) > 2",
        "SELECT row_number() OVER (PARTITION BY step ORDER BY i) FROM samples",
        """SELECT count(*) AS "it's é", max(i) AS "a""b" FROM samples WHERE name LIKE 'é''$%' AND metrics."x(y" > 0""",
        'SELECT "group" FROM samples WHERE i IN (1, 2) AND (status IS NOT NULL)',
    ],
)
def test_ordinary_questions_need_no_process(sql: str) -> None:
    assert is_harmless(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT repeat('x', 9)",
        'SELECT "repeat" (name, 9) FROM samples',
        "SELECT lpad(name, 1000000000, 'x') FROM samples",
        "SELECT len(range(1000000000))",
        "WITH RECURSIVE t(x) AS (SELECT 'x' UNION ALL SELECT x FROM t) SELECT * FROM t",
        "SELECT name || name FROM samples",
        "SELECT [i FOR i IN [1]]",
        "SELECT /* ' */ repeat(name, 9) /* ' */ FROM samples",
        # Each hides the call from a reader that takes other signs for the ends of a text than DuckDB does.
        """SELECT 1 AS "'", repeat(name, 9) AS "' " FROM samples""",
        "SELECT $$'$$, repeat(name, 9), $$'$$ FROM samples",
        "SELECT E'\\'', repeat(name, 9), 'x' FROM samples",
        "SELECT 1 -- ' \r, repeat(name, 9) -- '\n FROM samples",
        "SELECT /* /* */ ' */ 1, repeat(name, 9) /* ' */ FROM samples",
        "SELECT repeat\u200b(name, 9) FROM samples",
    ],
)
def test_what_may_make_much_of_little_is_kept_apart(sql: str) -> None:
    assert not is_harmless(sql)


def test_both_ways_give_the_same() -> None:
    asked = "SELECT i, name, i / 7.0 AS x, NULL AS nothing FROM samples WHERE i % 3 = 0 ORDER BY i DESC"
    plain = query_untrusted(asked, NUMBERS)
    contained = query_untrusted(f"SELECT * FROM ({asked}) WHERE md5(name) IS NOT NULL ORDER BY i DESC", NUMBERS)
    assert plain.num_rows == 1_000
    assert contained.equals(plain)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a.i, b.i, a.name FROM samples a, samples b",  # a result that is too large
        "SELECT i, repeat('x', 1000000) FROM samples",
        "SELECT repeat('x', 2000000000)",
        "SELECT length(repeat('x', 2000000000))",
        "SELECT len(range(1000000000))",
        "SELECT list(a.i) FROM samples a, samples b, samples c",
    ],
)
def test_too_much_memory_is_an_error(sql: str) -> None:
    with pytest.raises(LimitError, match="64 MB"):
        query_untrusted(sql, NUMBERS)


def test_this_process_does_not_grow_by_what_a_query_wants() -> None:
    """In a fresh process, since the most it ever had is what is asked."""
    code = """
import resource
import pyarrow as pa
from rollscope.errors import LimitError
from rollscope.query import limits
from rollscope.query.sql.connection import query_untrusted
limits.set_limits(limits.Limits(seconds=20.0, memory_mb=64))
tables = {"samples": pa.table({"i": list(range(3_000))})}
query_untrusted("SELECT 1", tables)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for sql in ("SELECT a.i, b.i, c.i FROM samples a, samples b, samples c", "SELECT repeat('x', 2000000000)"):
    try:
        query_untrusted(sql, tables)
    except LimitError:
        pass
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3)
"""
    grown = float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout)
    assert grown < 4 * 64


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(a.i * b.i * c.i) FROM samples a, samples b, samples c, samples d",
        "SELECT sum(length(md5(a.name))) FROM samples a, samples b, samples c",
    ],
)
def test_too_long_is_an_error(sql: str) -> None:
    limits.set_limits(Limits(seconds=0.5, memory_mb=512))
    with pytest.raises(LimitError, match=r"0\.5 s"):
        query_untrusted(sql, NUMBERS)


def test_rows_that_nobody_asked_for_are_not_made() -> None:
    found = query_untrusted("SELECT a.i FROM samples a, samples b, samples c", NUMBERS, max_rows=11)
    assert found.num_rows == 11
    assert query_untrusted("SELECT upper(md5(name)) FROM samples", NUMBERS, max_rows=11).num_rows == 11


def test_mistakes_are_told_as_they_are_of_other_queries() -> None:
    with pytest.raises(UsageError, match="nosuch"):
        query_untrusted("SELECT nosuch(i) FROM samples", NUMBERS)
    with pytest.raises(UsageError, match="one SELECT"):
        query_untrusted("SELECT repeat('x', 1); DROP TABLE samples", NUMBERS)
    with pytest.raises(UsageError):
        query_untrusted("SELECT * FROM read_csv('/etc/passwd')", NUMBERS)


def test_a_fault_of_ours_is_not_called_a_lack_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "duckdb.py").write_text("def memory():\n    raise RuntimeError('planted')\nmemory()\n")
    asked = "SELECT md5(name) FROM samples"
    assert query_untrusted(asked, NUMBERS).num_rows == 3_000  # its own duckdb is loaded in this process before
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(RollscopeError, match="planted") as caught:
        query_untrusted(asked, NUMBERS)
    assert not isinstance(caught.value, LimitError)
    assert "report" in caught.value.hint
