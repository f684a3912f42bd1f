"""SQL over a run reads only the index, within limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import all_records

import rollscope
from rollscope.errors import LimitError, UsageError
from rollscope.query import limits
from rollscope.query.run import Run


def test_sql_over_all_four_tables(run: Run) -> None:
    total = run.sql("SELECT count(*) AS n, max(reward) AS best FROM samples")
    assert total.columns == ["n", "best"]
    assert total.rows == [[36, max(record["reward"] for record in all_records())]]
    assert run.sql("SELECT samples FROM steps WHERE step = 1").rows == [[12]]
    assert run.sql("SELECT format FROM runs").rows == [["relax"]]
    assert run.sql("SELECT count(*) FROM metrics WHERE name = 'rollouts/reward/mean'").rows == [[3]]


@pytest.mark.parametrize(
    "name", ["metrics", '"Metrics"', "steps", "query_table('met' || 'rics')", "query_table('st' || 'eps')"]
)
def test_tables_that_are_made_where_a_query_may_read_them_are_there(run: Run, name: str) -> None:
    assert run.sql(f"select count(*) from {name}").rows[0][0] > 0


@pytest.mark.parametrize(
    "statement",
    [
        "COPY samples TO '/tmp/stolen.csv'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/*')",
        "CREATE TABLE x AS SELECT 1",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "ATTACH '/tmp/x.db'",
        "SELECT 1; SELECT 2",
        "PRAGMA database_list",
    ],
)
def test_sql_reads_only_the_index(run: Run, statement: str) -> None:
    with pytest.raises(UsageError):
        run.sql(statement)


def test_sql_reads_no_file_beside_the_program(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB lets queries read in the folder of its temporary files, which is `.tmp` unless it is told."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".tmp").mkdir()
    (tmp_path / ".tmp" / "secret.csv").write_text("a,b\n1,2\n")
    for asked in ("'.tmp/secret.csv'", "read_csv('.tmp/secret.csv')"):
        with pytest.raises(UsageError, match="Permission Error"):
            run.sql(f"SELECT * FROM {asked}")


def test_sql_has_a_time_limit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # So short that it has passed before the query begins, as it may on a busy machine.
    monkeypatch.setattr(limits, "_current", limits.Limits(seconds=0.001))
    with pytest.raises(LimitError, match=r"longer than 0\.001 s"):
        run.sql("SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7")


def test_names_that_differ_only_in_case_stay_apart(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "p", "response": "r", "reward": 0.0, "acc": 1.0, "Acc": 2.0}])
    run = rollscope.open(tmp_path)
    assert run.samples(where="metrics.acc = 1").total == 1
    assert run.samples(where="metrics.Acc = 2").total == 1
    assert run.sql("SELECT metrics.Acc_1, metrics.acc_2 FROM samples").rows == [[2.0, 1.0]]
    with pytest.raises(UsageError, match='"acc"'):  # not one of the two, without a word
        run.sql("SELECT metrics.acc FROM samples")
