"""Single conditions, run by DuckDB on values where types differ."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import pytest

from rollscope.errors import FilterError
from rollscope.query.language.ast import Constant, FieldName, Value
from rollscope.query.language.conditions import compare, is_missing, is_nan, one_of
from rollscope.query.language.fields import Column, ColumnKind

TWO_53 = 2**53
FLOATS = [1.5, float(TWO_53), float(TWO_53 + 2), -float(TWO_53), 1e300, math.inf, -math.inf, math.nan]
WHOLE = [0, TWO_53, TWO_53 + 1, TWO_53 + 2, -TWO_53 - 1]
OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge
}  # fmt: skip


def selected(condition: str, kind: str, values: Sequence[float]) -> list[str]:
    rows = ", ".join(f"('{value}'::{kind})" for value in values)
    found = duckdb.connect().execute(f"SELECT x FROM (VALUES {rows}) AS t(x) WHERE {condition}").fetchall()
    return sorted(str(value) for (value,) in found)


def field() -> FieldName:
    return FieldName("x")


@pytest.mark.parametrize("sign", OPERATORS)
@pytest.mark.parametrize("asked", [TWO_53 + 1, -TWO_53 - 1, 2**64 + 1, 3])
@pytest.mark.parametrize(("kind", "values"), [("DOUBLE", FLOATS), ("BIGINT", WHOLE)])
def test_whole_numbers_that_no_float_equals_are_compared_exactly(
    sign: str, asked: int, kind: str, values: Sequence[float]
) -> None:
    condition = compare(field(), Column("number", "x", ("x",)), sign, Constant(asked))
    expected = [value for value in values if not math.isnan(value) and OPERATORS[sign](value, asked)]
    assert selected(condition, kind, values) == sorted(str(value) for value in expected)


def test_a_list_of_numbers_has_no_neighbour_of_its_members() -> None:
    members = (Constant(TWO_53 + 1), Constant(1.5), Constant(0))
    column = Column("number", "x", ("x",))
    assert selected(one_of(field(), column, members, negated=False), "DOUBLE", FLOATS) == ["1.5"]
    assert selected(one_of(field(), column, members, negated=False), "BIGINT", WHOLE) == ["0", str(TWO_53 + 1)]
    left = selected(one_of(field(), column, members, negated=True), "DOUBLE", FLOATS)
    assert left == sorted(str(value) for value in FLOATS if value != 1.5 and not math.isnan(value))


TYPES = {"number": "DOUBLE", "string": "VARCHAR", "boolean": "BOOLEAN", "list": "VARCHAR[]"}


def column(kind: ColumnKind) -> Column:
    return Column(kind, '"x"', ("x",))


def holds(kind: ColumnKind, sql: str, value: Any) -> bool:
    """Whether the condition is true for the value; NULL is what callers make false."""
    rows = duckdb.execute(f"SELECT coalesce({sql}, false) FROM (SELECT CAST(? AS {TYPES[kind]}) AS x)", [value])
    [(found,)] = rows.fetchall()
    return bool(found)


@pytest.mark.parametrize(
    ("kind", "operator", "constant", "true_for", "false_for"),
    [
        ("number", ">", 0.5, [1.0, math.inf], [0.5, math.nan, None]),
        ("number", "!=", 1, [0.0], [1.0, math.nan, None]),
        ("number", "=", True, [1.0], [0.0, None]),
        ("string", "=", 3.0, ["3"], ["3.0", "x", None]),
        ("string", ">=", 3, ["3", "10", "3.5"], ["2", "x", "nan", None]),
        ("string", "<", "b", ["a"], ["b", None]),
        ("boolean", "!=", True, [False], [True, None]),
        ("list", "=", "a", [["a", "b"]], [["b"], [], None]),
        ("list", "!=", "a", [["b"]], [["a", "b"], [], None]),
    ],
)
def test_comparisons_hold_for_what_they_say(
    kind: ColumnKind, operator: str, constant: Value, true_for: list[Any], false_for: list[Any]
) -> None:
    sql = compare(FieldName("x"), column(kind), operator, Constant(constant))
    assert [value for value in true_for + false_for if holds(kind, sql, value)] == true_for


@pytest.mark.parametrize("negated", [False, True])
def test_nothing_is_a_member_of_what_is_missing_or_nan(negated: bool) -> None:
    number = one_of(FieldName("x"), column("number"), (Constant(1), Constant(2)), negated=negated)
    assert [holds("number", number, value) for value in (1.0, 3.0, math.nan, None)] == [
        not negated,
        negated,
        False,
        False,
    ]
    tags = one_of(FieldName("x"), column("list"), (Constant("a"),), negated=negated)
    assert [holds("list", tags, value) for value in (["a"], ["b"], [], None)] == [not negated, negated, False, False]


def test_a_list_without_elements_is_missing_and_only_numbers_are_nan() -> None:
    assert [holds("list", is_missing(column("list")), value) for value in (["a"], [], None)] == [False, True, True]
    assert [holds("number", is_missing(column("number")), value) for value in (0.0, math.nan, None)] == [
        False,
        False,
        True,
    ]
    assert [holds("number", is_nan(FieldName("x"), column("number")), value) for value in (0.0, math.nan, None)] == [
        False, True, False,
    ]  # fmt: skip
    with pytest.raises(FilterError, match="x is a text"):
        is_nan(FieldName("x", source="x is nan"), column("string"))


@pytest.mark.parametrize(
    ("kind", "operator", "constant", "why"),
    [
        ("number", "=", "high", "a number, and this is not"),
        ("boolean", "<", True, "true or false, and this is not"),
        ("string", "=", True, "a text, and this is not"),
        ("list", "<", "a", "has no order"),
    ],
)
def test_a_value_of_another_kind_is_a_mistake_with_an_example(
    kind: ColumnKind, operator: str, constant: Value, why: str
) -> None:
    with pytest.raises(FilterError, match=why) as error:
        compare(FieldName("x", source=f"x {operator} {constant}"), column(kind), operator, Constant(constant))
    assert "such as: x " in str(error.value) + error.value.hint
