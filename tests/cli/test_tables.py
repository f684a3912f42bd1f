"""`metrics`, `sql`, `export`."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.cli.conftest import COMMAND, Cli
from tests.fixtures import fixture_path


def test_series_have_a_name_a_section_and_points(cli: Cli, run_path: Path) -> None:
    series = {item["name"]: item for item in cli("metrics", run_path, "--json").json}
    assert all({*item} >= {"name", "section", "group", "points"} for item in series.values())
    rewards = [item for name, item in series.items() if "reward" in name and "mean" in name and "eval" not in name]
    assert [[0, pytest.approx(0.375)], [1, pytest.approx(0.385)], [2, pytest.approx(0.395)]] in [
        item["points"] for item in rewards
    ]


def test_series_by_name(cli: Cli, run_path: Path) -> None:
    everything = [item["name"] for item in cli("metrics", run_path, "--json").json]
    some = [item["name"] for item in cli("metrics", run_path, "--name", "*reward*", "--json").json]
    assert 0 < len(some) < len(everything)
    assert all("reward" in name for name in some)
    assert cli("metrics", run_path, "--name", "unicorn", "--json").json == []


def test_logged_series_are_there_beside_the_derived_ones(cli: Cli) -> None:
    path = fixture_path("tinker_flat")
    logged = {name for line in (path / "metrics.jsonl").read_text().splitlines() for name in json.loads(line)}
    names = {item["name"] for item in cli("metrics", path, "--limit", "0", "--json").json}
    assert len(logged & names) > 3
    assert names - logged


def test_series_for_people(cli: Cli, run_path: Path) -> None:
    done = cli("metrics", run_path, "--limit", "2")
    assert done.out.splitlines()[0].split() == ["name", "points", "first", "last", "min", "max"]
    assert len(done.out.splitlines()) == 3
    assert "2 of" in done.err


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


def test_export_to_each_kind_of_file(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    where = ["--where", 'split = "train" and reward > 0.5']
    for ending in ("parquet", "jsonl", "csv"):
        cli("export", run_path, "--to", tmp_path / f"out.{ending}", *where)
    table = pq.read_table(tmp_path / "out.parquet")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    with (tmp_path / "out.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    addresses = table.column("address").to_pylist()
    assert len(addresses) == 30
    assert [row["address"] for row in lines] == addresses
    assert [row["address"] for row in cells] == addresses


def test_export_with_text(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    done = cli("export", run_path, "--to", tmp_path / "out.jsonl", "--text", "--json")
    assert done.json["bytes"] == (tmp_path / "out.jsonl").stat().st_size
    first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert "数0" in json.dumps(first, ensure_ascii=False)


def test_export_to_an_unknown_kind_of_file_is_wrong_usage(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    assert "parquet" in cli("export", run_path, "--to", tmp_path / "out.xlsx", status=2).err
    assert not (tmp_path / "out.xlsx").exists()


def test_export_to_a_folder_that_is_not_there(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    assert "nowhere" in cli("export", run_path, "--to", tmp_path / "nowhere" / "out.csv", status=1).err
