"""What docs/python.md says of SQL and its tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs.conftest import Ask
from tests.fixtures import write_jsonl

import rollscope


def test_describe_lists_the_columns_of_the_run(ask: Ask) -> None:
    columns = [row["column_name"] for row in ask("sql", "PATH", "DESCRIBE samples", "--limit", "0", "--json").json]
    assert {"run", "address", "reward", "metrics"} <= set(columns)


def test_metrics_whose_names_differ_only_in_case_get_a_number_each(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "run" / "0.jsonl", [{"prompt": "p", "response": "r", "KL": 0.25, "kl": 0.75}])
    run = rollscope.open(tmp_path / "run")
    assert run.sql("SELECT metrics.KL_1, metrics.kl_2 FROM samples").rows == [[0.25, 0.75]]


@pytest.mark.parametrize(
    "value",
    [
        "DATE '2026-01-02'",
        "TIME '10:11:12'",
        "TIMESTAMP '2026-01-02 10:11:12'",
        "INTERVAL 3 DAY",
        "'101'::BIT",
        "'x'::BLOB",
        "340282366920938463463374607431768211455::UHUGEINT",
    ],
)
def test_values_that_json_lacks_are_texts_as_duckdb_writes_them(ask: Ask, value: str) -> None:
    ((shown, text),) = (
        row.values() for row in ask("sql", "PATH", f"SELECT {value} a, ({value})::TEXT b", "--json").json
    )
    assert isinstance(shown, str)
    assert shown == text


def test_integers_up_to_2_to_the_127_are_numbers(ask: Ask) -> None:
    ((shown,),) = (row.values() for row in ask("sql", "PATH", f"SELECT {2**127 - 1}::HUGEINT a", "--json").json)
    assert shown == 2**127 - 1


def test_the_kept_samples_are_those_without_a_reason(tmp_path: Path) -> None:
    records = [{"prompt": "p", "response": "r", "discard_reason": "stale" if n else None} for n in range(3)]
    write_jsonl(tmp_path / "run" / "0.jsonl", records)
    run = rollscope.open(tmp_path / "run")
    assert run.sql("SELECT count(*) FROM samples").rows == [[3]]
    addresses = [row.address for row in run.samples(discarded=False).rows]
    assert run.sql("SELECT address FROM samples WHERE discard_reason IS NULL").rows == [[name] for name in addresses]
