"""What a compiled filter selects, in DuckDB, against a reading of the language that anybody can check."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fixtures import REPOSITORY
from tests.query.language.printer import to_source
from tests.query.language.slow_evaluator import FIELDS, KINDS, ROWS, Row, evaluate, run, selected, table

from rollscope.query.language.ast import (
    And,
    Comparison,
    Constant,
    Contains,
    Expr,
    FieldName,
    Flag,
    MatchesPattern,
    Membership,
    Not,
    Or,
    ValueState,
)
from rollscope.query.language.compile import TextPredicate, compile_filter
from rollscope.query.language.fields import Fields
from rollscope.query.language.parser import parse
from rollscope.query.language.sql import column_name


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


# Sentences


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("reward > 0.5", {1, 4}),
        ("reward <= 0.5", {0, 5, 6}),
        ("reward != 0.1", {1, 4, 5, 6}),
        ("not (reward > 0.5)", {0, 2, 3, 5, 6}),
        ("reward is missing", {3}),
        ("reward is nan", {2}),
        ("reward is not nan", {0, 1, 4, 5, 6}),
        ("not (reward is nan)", {0, 1, 3, 4, 5, 6}),
        ("reward > 1e308", {4}),
        ("reward in (0.1, 0)", {0, 6}),
        ("reward not in (0.1, 0)", {1, 4, 5}),
        ("metrics.correct = true", {1}),
        ("group = 7", {0, 1}),
        ("group > 8", {2}),
        ("group < '7'", {2, 6}),
        ("group != 7", {2, 3, 5, 6}),
        ("group in (7, 'abc')", {0, 1, 3}),
        ("tags = 'easy'", {0, 1}),
        ("tags != 'easy'", {4, 6}),
        ("tags contains 'ea'", set()),
        ("tags icontains 'EA'", {0, 1, 4}),
        ("tags matches /^.$|geo/", {1}),
        ("tags is missing", {2, 3, 5}),
        ("tags not contains 'easy'", {4, 6}),
        ("tags in ('geometry', \"x'y\")", {1, 4}),
        ("env = ''", {4}),
        ("env icontains 'MATH'", {0, 1, 6}),
        ("env not contains 'a'", {2, 4}),
        ("env matches /^[a-z]+$/ and env not matches 'th'", {2, 5}),
        ("discarded", {2, 6}),
        ("discarded = false and not verified", {0, 1, 4, 5}),
        ("verified != true", {4}),
        ("address = 'eval/aime24/20/3'", {3}),
        ("n in (1, 2)", {1, 2}),
        ("prompt_hash = 18446744073709551615", {4}),
        ("prompt_hash < 99999999999999999999999999", {4, 6}),
        ("prompt_hash != 18446744073709551615", {6}),
        ('status = "it\'s"', {4}),
        ("response contains 'I cannot'", {1}),
        ("response icontains 'I cannot'", {1, 3}),
        ("response not contains 'o' and reward > -5", {4, 6}),
        (r"text matches /\\boxed\{\d+\}/i", {5}),
        ("text contains '42' and golden contains '42'", {1}),
        ("response matches /^as/im", {1}),
        ("response matches /cannot..as/si", {1}),
        ("not (response contains 'a' or env = 'code')", {0, 3, 4, 5, 6}),
    ],
)
def test_what_is_selected(connection: duckdb.DuckDBPyConnection, source: str, rows: set[int]) -> None:
    expr = parse(source)
    assert selected(connection, expr) == rows
    assert {number for number, row in enumerate(ROWS) if evaluate(expr, row)} == rows


def test_a_field_of_the_table_goes_before_one_that_is_made() -> None:
    fields = Fields.of_columns({"discarded": "boolean", "discard_reason": "string"})
    assert compile_filter(parse("discarded"), fields).columns == ("discarded",)


def test_the_same_text_is_looked_for_once() -> None:
    compiled = compile_filter(
        parse("text contains 'a' and (reward > 1 or text contains 'a') or text matches /a/"), FIELDS
    )
    assert compiled.text == (TextPredicate("text", "literal", "a"), TextPredicate("text", "regex", "a"))


@pytest.mark.parametrize(
    ("source", "candidates"),
    [
        ("response contains 'a'", "TRUE"),
        ("not response contains 'a'", "TRUE"),
        ("reward = 1 or response contains 'a'", "TRUE"),
        ("reward = 1 and response contains 'a'", "reward = 1"),
        ("not (reward = 1 or response contains 'a')", "not reward = 1"),
        ("not (reward = 1 and response contains 'a')", "TRUE"),
        ("not (not (reward = 1) or not response contains 'a')", "reward = 1"),
        ("reward = 1 and (step = 2 or text contains 'a') and not text contains 'b'", "reward = 1"),
        ("(reward = 1 and text contains 'a') or (step = 2 and text contains 'b')", "reward = 1 or step = 2"),
    ],
)
def test_text_is_read_only_where_the_other_fields_allow_it(
    connection: duckdb.DuckDBPyConnection, source: str, candidates: str
) -> None:
    compiled = compile_filter(parse(source), FIELDS)
    rows = [{"reward": reward, "step": step, "index": 0} for reward in (0.0, 1.0, None) for step in (1, 2)]
    expected = (
        set(range(len(rows)))
        if candidates == "TRUE"
        else {number for number, row in enumerate(rows) if evaluate(parse(candidates), row)}
    )
    assert run(connection, compiled.candidates, table(rows)) == expected


def test_long_filters_run(connection: duckdb.DuckDBPyConnection) -> None:
    source = " or ".join(f"step = {number} and not (env = 'code' or reward > {number})" for number in range(300))
    assert selected(connection, parse(source)) == {0, 1, 3, 5}


# Every tree


words = st.text(st.sampled_from("ab'\"\\%_;-/()\0\n é数"), max_size=4)
numbers = st.sampled_from([-1, 0, 1, 7, 12, 0.1, 0.95, -3.5, 1e20, 1e999]) | st.floats(-20, 20)
patterns = st.sampled_from(["a", "^a", "b$", "[ab]+", "a.b", r"\\", "a|é", "(ab)*b", "^$"])


def names_of(kind: str) -> list[FieldName]:
    named = [name for name, each in KINDS.items() if each == kind]
    return [FieldName(*reversed(name.split(".", 1))) if "." in name else FieldName(name) for name in named]  # type: ignore[arg-type]


scalar_texts = st.sampled_from([*names_of("string"), FieldName("address")])
lists = st.sampled_from(names_of("list"))
said = st.sampled_from([FieldName(name) for name in ("prompt", "response", "golden", "text")])
operators = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
equalities = st.sampled_from(["=", "!="])


def constants(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Constant]:
    return st.builds(Constant, values)


def several(values: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Constant, ...]]:
    return st.lists(constants(values), min_size=1, max_size=3).map(tuple)


number_fields = st.sampled_from([*names_of("number"), FieldName("n")])
truths = st.sampled_from([*names_of("boolean"), FieldName("discarded")])
finite = numbers.filter(lambda number: not math.isinf(number))
conditions: st.SearchStrategy[Expr] = st.one_of(
    st.builds(Comparison, number_fields, operators, constants(numbers | st.booleans())),
    st.builds(Comparison, scalar_texts, operators, constants(words | finite)),
    st.builds(Comparison, lists, equalities, constants(words | finite)),
    st.builds(Comparison, truths, equalities, constants(st.booleans())),
    st.builds(Membership, number_fields, several(numbers), st.booleans()),
    st.builds(Membership, scalar_texts | lists, several(words | finite), st.booleans()),
    st.builds(ValueState, number_fields, st.sampled_from(["missing", "nan"]), st.booleans()),
    st.builds(ValueState, scalar_texts | lists | truths, st.just("missing"), st.booleans()),
    st.builds(Contains, scalar_texts | lists | said, words, st.booleans(), st.booleans()),
    st.builds(MatchesPattern, scalar_texts | lists | said, patterns, st.sampled_from(["", "i", "ms"]), st.booleans()),
    st.builds(Flag, truths),
)
trees = st.recursive(
    conditions,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)
values = {
    "number": st.none() | numbers | st.just(math.nan),
    "string": st.none() | words | st.sampled_from(["7", "12", "0.1", "nan", "inf", " 7 "]),
    "boolean": st.none() | st.booleans(),
    "list": st.none() | st.lists(words, max_size=3),
}
whole_numbers = {
    "step": st.integers(-2, 20),
    "index": st.integers(0, 20),
    "completion_tokens": st.none() | st.integers(0, 20),
    "prompt_hash": st.none() | st.integers(0, 20),
}
rows = st.fixed_dictionaries(
    {
        **{name: whole_numbers.get(name, values[kind]) for name, kind in KINDS.items()},
        "split": words,
        **dict.fromkeys(("prompt", "response", "golden"), words),
    }
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=150)
@given(expr=trees, rows=st.lists(rows, max_size=4))
def test_a_compiled_filter_selects_what_a_slow_reading_selects(
    connection: duckdb.DuckDBPyConnection, expr: Expr, rows: list[Row]
) -> None:
    expected = {number for number, row in enumerate(rows) if evaluate(expr, row)}
    assert selected(connection, expr, rows) == expected
    assert selected(connection, parse(to_source(expr)), rows) == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(st.characters(exclude_categories=["Cs"]))
    | st.sampled_from(["'; DROP TABLE view; --", "\\'", "''", "$$"])
)
def test_no_text_gets_out_of_its_quotes(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    rows = [
        {"step": 0, "index": 0, "env": text, "tags": [text]},
        {"step": 0, "index": 1, "env": text + "x", "tags": ["y" if text == "x" else "x"]},
    ]
    for expr in (
        Comparison(FieldName("env"), "=", Constant(text)),
        Membership(FieldName("env"), (Constant(text),)),
        Comparison(FieldName("tags"), "=", Constant(text)),
        Contains(FieldName("tags"), text),
    ):
        compiled = compile_filter(expr, FIELDS)
        assert len(connection.extract_statements(f"SELECT * FROM view WHERE {compiled.sql}")) == 1
        assert selected(connection, expr, rows) == {0}
    assert selected(connection, Contains(FieldName("env"), text), rows) == {0, 1}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_no_metric_s_name_gets_out_of_its_quotes(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    fields = Fields.of_columns({f"metrics.{name}": "number"})
    connection.register("view", pa.table({column_name(f"metrics.{name}"): [0.0, 1.0], "__row": [0, 1]}))
    source = to_source(Comparison(FieldName(name, "metrics"), ">", Constant(0.5)))
    sql = f"SELECT __row FROM view WHERE {compile_filter(parse(source), fields).sql}"
    assert connection.sql(sql).fetchall() == [(1,)]


# The documentation


def examples() -> list[str]:
    page = (REPOSITORY / "docs" / "filter-language.md").read_text(encoding="utf-8")
    return [line for block in re.findall(r"```filter\n(.*?)```", page, re.DOTALL) for line in block.splitlines()]


def test_the_page_has_examples() -> None:
    assert len(examples()) > 30


@pytest.mark.parametrize("source", examples())
def test_every_example_of_the_page_runs_and_tells_samples_apart(
    connection: duckdb.DuckDBPyConnection, source: str
) -> None:
    expr = parse(source)
    found = selected(connection, expr)
    assert found == {number for number, row in enumerate(ROWS) if evaluate(expr, row)}
    assert 0 < len(found) < len(ROWS)


def test_the_page_s_table_of_missing_values_is_right(connection: duckdb.DuckDBPyConnection) -> None:
    page = (REPOSITORY / "docs" / "filter-language.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| `([^`]*\breward\b[^`]*)` \|([yes |]*)\|$", page, re.MULTILINE)
    rewards = [0.1, 0.9, None, math.nan]
    rows = [{"step": 0, "index": 0, "reward": reward} for reward in rewards]
    assert len(lines) == 6
    for source, answers in lines:
        expected = {number for number, answer in enumerate(answers.split("|")) if "yes" in answer}
        assert selected(connection, parse(source), rows) == expected


def test_the_page_names_every_field_that_the_language_makes_or_reads() -> None:
    page = (REPOSITORY / "docs" / "filter-language.md").read_text(encoding="utf-8")
    for name in [*FIELDS.names(), "n"]:
        if not name.startswith(("metrics.", "rewards.")) and name != "verified":
            assert f"`{name}`" in page
