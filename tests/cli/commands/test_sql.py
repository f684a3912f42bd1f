"""`rollscope sql`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import COMMAND, Cli


def test_sql_over_samples(cli: Cli, run_path: Path) -> None:
    query = (
        "SELECT step, count(*) AS n, max(reward) AS best FROM samples WHERE split = 'train' GROUP BY step ORDER BY step"
    )
    rows = cli("sql", run_path, query, "--json").json
    assert rows == [{"step": step, "n": 24, "best": pytest.approx(0.75 + step / 100)} for step in range(3)]
    assert cli("sql", run_path, query).out.splitlines()[0].split() == ["step", "n", "best"]


@pytest.mark.parametrize("table", ["samples", "steps", "metrics", "runs"])
def test_all_four_tables_are_there(cli: Cli, run_path: Path, table: str) -> None:
    assert cli("sql", run_path, f"SELECT count(*) AS n FROM {table}", "--json").json[0]["n"] > 0


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY samples TO '/tmp/out.csv'",
        "ATTACH '/tmp/other.db'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "SELEKT 1",
        "SELECT nothing FROM samples",
    ],
)
def test_sql_that_reaches_outside_or_is_wrong_is_one_line(cli: Cli, run_path: Path, query: str) -> None:
    done = subprocess.run([*COMMAND, "sql", run_path, query], capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2)
    assert not done.stdout
    assert done.stderr.startswith("rollscope: ")
    assert done.stderr.count("\n") == 1


def test_sql_over_several_runs_sees_all_of_them(cli: Cli, root: Path) -> None:
    query = "SELECT run, count(*) AS n FROM samples WHERE split = 'train' GROUP BY run ORDER BY run"
    assert cli("sql", root, query, "--json").json == [{"run": "run-a", "n": 16}, {"run": "run-b", "n": 4}]
    assert cli("sql", root, query, "--json", "--run", "run-b").json == [{"run": "run-b", "n": 4}]


def test_a_query_that_takes_too_long_is_stopped(cli: Cli, run_path: Path) -> None:
    forever = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range % 7 = b.range % 5"
    assert "longer than 0.2 s" in cli("sql", run_path, forever, "--query-seconds", "0.2", status=1).err


def test_a_query_that_takes_too_much_memory_is_stopped(cli: Cli, run_path: Path) -> None:
    # The limit of time is far away: a busy machine must not reach it first.
    hungry = "SELECT list(range) FROM range(100000000)"
    done = cli("sql", run_path, hungry, "--query-seconds", "100000", status=1, ROLLSCOPE_QUERY_MEMORY="16")
    assert "more than 16 MB" in done.err


def test_sql_shows_a_column_that_is_missing_everywhere(cli: Cli, run_path: Path) -> None:
    said = cli("sql", run_path, "SELECT step, advantage FROM samples LIMIT 1").out.splitlines()
    assert [line.split() for line in said] == [["step", "advantage"], ["0", "–"]]


def test_sql_limit(cli: Cli, run_path: Path) -> None:
    done = cli("sql", run_path, "SELECT address FROM samples", "--limit", "5", "--json")
    assert len(done.json) == 5
    assert "5 of 76 rows" in done.err


def test_sums_of_integers_and_decimals_are_numbers(cli: Cli, run_path: Path) -> None:
    query = "SELECT sum(step) AS steps, 1.5::DECIMAL(5, 2) AS decimal, [2::HUGEINT] AS list FROM samples"
    (row,) = cli("sql", run_path, query, "--json").json
    assert (type(row["steps"]), row["decimal"], row["list"]) == (int, 1.5, [2])
    assert cli("sql", run_path, "SELECT sum(2) AS sum FROM samples LIMIT 1").out.splitlines()[1].strip().isdecimal()
