"""What a query gives is what DuckDB would have printed, whatever its type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rollscope.cli.main import run
from rollscope.errors import UsageError
from rollscope.query.sql.connection import plain, query_untrusted


def _value(expression: str) -> Any:
    ((value,),) = [record.values() for record in query_untrusted(f"SELECT {expression} AS v", {}).to_pylist()]
    return plain(value)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("340282366920938463463374607431768211455::UHUGEINT", "340282366920938463463374607431768211455"),
        ("170141183460469231731687303715884105727::HUGEINT", 170141183460469231731687303715884105727),
        ("12345678901234567890123::BIGNUM", "12345678901234567890123"),
        ("'101'::BIT", "101"),
        ("'\\xAA'::BLOB", "\\xAA"),
        ("TIMETZ '10:00:00+02'", "10:00:00+02"),
        ("TIME '24:00:00'", "24:00:00"),
        ("INTERVAL 14 MONTH", "1 year 2 months"),
        ("DATE '2020-01-01'", "2020-01-01"),
        ("DATE '290000-01-01'", "290000-01-01"),
        ("DATE '0044-03-15 (BC)'", "0044-03-15 (BC)"),
        ("'infinity'::TIMESTAMP", "infinity"),
        ("TIMESTAMP_NS '2020-01-01 00:00:00.123456789'", "2020-01-01 00:00:00.123456789"),
        ("[DATE 'infinity', NULL]", ["infinity", None]),
        ("array_value(DATE 'infinity')", ["infinity"]),
        ("array_value(1, 2)", [1, 2]),
        ("{'a b': DATE 'infinity', 'c': [1]}", {"a b": "infinity", "c": [1]}),
        ("map {'k': DATE 'infinity'}", [["k", "infinity"]]),
        ("map {'k': 1}", [["k", 1]]),
        ("{'a': 0.5::DOUBLE}", {"a": 0.5}),
        ("NULL", None),
    ],
)
def test_a_value_is_handed_on_as_it_is(expression: str, value: Any) -> None:
    assert _value(expression) == value


def test_columns_keep_their_names_and_order_beside_one_that_becomes_text() -> None:
    table = query_untrusted(
        """SELECT 2 AS a, DATE '2020-01-01' AS a, 1 AS "q""t" UNION ALL SELECT 1, NULL, 2 ORDER BY 1 DESC""", {}
    )
    assert table.to_pylist() == [{"a": 2, "a_2": "2020-01-01", 'q"t': 1}, {"a": 1, "a_2": None, 'q"t': 2}]


def test_a_text_that_cannot_be_converted_is_no_time_limit() -> None:
    with pytest.raises(UsageError, match="Could not convert string 'Interrupted'"):
        query_untrusted("SELECT 'Interrupted'::INT", {})


@pytest.mark.parametrize("flags", [["--json"], []])
def test_the_command_line_prints_dates_of_any_year(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str]
) -> None:
    (tmp_path / "1.jsonl").write_text(json.dumps({"input": "q", "output": "a", "score": 1}) + "\n")
    query = "SELECT DATE '290000-01-01' AS d, TIMESTAMP_NS '2020-01-01 00:00:00.123456789' AS t"
    assert run(["sql", str(tmp_path), query, *flags]) == 0
    printed = capsys.readouterr().out
    assert "290000-01-01" in printed
    assert "00:00:00.123456789" in printed
