"""Names and values in SQL are what they were, whatever quotes they hold."""

from __future__ import annotations

import math

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.query.language.sql import all_of, any_of, column_name, identifier, literal, number_text

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


@given(value=st.one_of(texts, st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False)))
def test_a_literal_is_the_value(connection: duckdb.DuckDBPyConnection, value: str | float) -> None:
    [row] = connection.sql(f"SELECT {literal(value)}").fetchall()
    assert row[0] == value
    assert isinstance(row[0], type(value))


@given(name=texts.filter(bool))
def test_a_name_is_one_column(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    assert connection.sql(f"SELECT 1 AS {identifier(name)}").columns == [name]


def test_an_integer_beyond_all_types_is_the_nearest_number() -> None:
    assert literal(10**400) == "CAST('infinity' AS DOUBLE)"
    assert literal(-(10**400)) == "CAST('-infinity' AS DOUBLE)"
    assert float(literal(2**70)) == math.ldexp(1, 70)


@given(texts, texts)
def test_names_that_differ_only_in_case_differ_for_duckdb(first: str, second: str) -> None:
    same = column_name(first).lower() == column_name(second).lower()
    # Signs whose small letters are several, such as İ, may fall together with those; two of our names never do otherwise.
    assert (
        not same
        or first == second
        or first.lower() == second.lower() == column_name(first).partition("\x1f")[0].lower()
    )


def test_one_word_with_other_capitals_is_another_column() -> None:
    assert column_name("correct") == "correct"
    assert len({column_name(name).lower() for name in ("correct", "Correct", "CORRECT", "cOrrect")}) == 4


def test_a_number_in_a_column_of_texts_has_no_point_where_it_is_whole() -> None:
    assert [number_text(value) for value in (3, 3.0, 3.5)] == ["3", "3", "3.5"]


def test_conditions_that_are_always_true_are_left_out() -> None:
    assert all_of(["TRUE", "a", "b"]) == "(a AND b)"
    assert all_of(["TRUE"]) == "TRUE"
    assert any_of(["a", "b"]) == "(a OR b)"
    assert any_of(["a", "TRUE"]) == "TRUE"
