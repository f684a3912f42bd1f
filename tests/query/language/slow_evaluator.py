"""The language read slowly: an evaluator that anybody can check, a few samples, and what DuckDB selects of them."""

from __future__ import annotations

import math
import re
from typing import Any

import duckdb
import pyarrow as pa

from rollscope.query.language.ast import (
    And,
    Comparison,
    Contains,
    Expr,
    FieldName,
    Flag,
    MatchesPattern,
    Membership,
    Not,
    Or,
    Value,
    ValueState,
)
from rollscope.query.language.compile import Compiled, TextPredicate, compile_filter
from rollscope.query.language.fields import Fields

Row = dict[str, Any]

KINDS = {
    "split": "string",
    "step": "number",
    "index": "number",
    "group": "string",
    "env": "string",
    "tags": "list",
    "reward": "number",
    "advantage": "number",
    "status": "string",
    "stop_reason": "string",
    "discard_reason": "string",
    "staleness": "number",
    "completion_tokens": "number",
    "prompt_hash": "number",
    "verified": "boolean",
    "metrics.correct": "number",
    "metrics.pass@2/correct": "number",
    "metrics.format ok?": "number",
    "rewards.total": "number",
}
TYPES = {"string": pa.string(), "number": pa.float64(), "boolean": pa.bool_(), "list": pa.list_(pa.string())}
INTEGERS = {"step": pa.int64(), "index": pa.int64(), "prompt_hash": pa.uint64(), "completion_tokens": pa.int64()}
FIELDS = Fields.of_columns(KINDS)

ROWS: list[Row] = [
    {
        "step": 12,
        "group": "7",
        "env": "math",
        "tags": ["easy"],
        "reward": 0.1,
        "advantage": -0.5,
        "status": "truncated",
        "stop_reason": "max_tokens",
        "completion_tokens": 4096,
        "metrics.correct": 0.0,
        "response": "<think>so \\boxed{12",
    },
    {
        "step": 12,
        "group": "7",
        "env": "math",
        "tags": ["easy", "geometry"],
        "reward": 0.95,
        "advantage": 0.5,
        "status": "completed",
        "completion_tokens": 210,
        "metrics.correct": 1.0,
        "rewards.total": 0.95,
        "response": "I cannot.\nAs an AI language model </think> <answer>42</answer>",
        "golden": "42",
    },
    {
        "step": 12,
        "group": "10",
        "env": "code",
        "tags": [],
        "reward": math.nan,
        "status": "aborted",
        "discard_reason": "zero_advantage",
        "response": "",
    },
    {
        "step": 20,
        "group": "abc",
        "env": None,
        "tags": None,
        "reward": None,
        "verified": True,
        "prompt": "Prove it.",
        "response": "数学 i CANNOT",
    },
    {
        "step": 20,
        "group": None,
        "env": "",
        "tags": ["x'y", "Easy"],
        "reward": math.inf,
        "verified": False,
        "status": "it's",
        "stop_reason": "length",
        "staleness": 3.0,
        "prompt_hash": 2**64 - 1,
        "metrics.pass@2/correct": 1.0,
    },
    {
        "step": 30,
        "group": "nan",
        "env": "search",
        "reward": -math.inf,
        "advantage": math.nan,
        "status": "completed",
        "completion_tokens": 9000,
        "metrics.correct": math.nan,
        "metrics.format ok?": 0.0,
        "response": "\\BOXED{3}",
    },
    {
        "step": -1,
        "group": "-3.5",
        "env": "Math",
        "tags": ["a\\b", ""],
        "reward": 0.0,
        "advantage": 0.0,
        "discard_reason": "max_async",
        "prompt_hash": 0,
        "golden": "x",
    },
]
for number, row in enumerate(ROWS):
    row |= {"index": number, "split": "train" if number % 2 == 0 else "eval/aime24"}


def table(rows: list[Row]) -> pa.Table:
    columns = {
        name: pa.array([row.get(name) for row in rows], INTEGERS.get(name) or TYPES[kind])
        for name, kind in KINDS.items()
    }
    return pa.table({**columns, "__row": pa.array(range(len(rows)), pa.int64())})


def selected(connection: duckdb.DuckDBPyConnection, expr: Expr, rows: list[Row] = ROWS) -> set[int]:
    """The rows that the compiled filter selects; on the way, what must hold for every filter is checked."""
    compiled = compile_filter(expr, FIELDS)
    view = table(rows)
    for number, predicate in enumerate(compiled.text):
        view = view.append_column(f"__text{number}", pa.array([looks(predicate, row) for row in rows]))
    found = run(connection, compiled.sql, view)
    assert found <= run(connection, compiled.candidates, table(rows)), "a candidate was lost"
    assert found == run(connection, compiled.sql, view.select([*compiled.columns, *texts(compiled), "__row"]))
    return found


def texts(compiled: Compiled) -> list[str]:
    return [f"__text{number}" for number in range(len(compiled.text))]


def run(connection: duckdb.DuckDBPyConnection, condition: str, view: pa.Table) -> set[int]:
    connection.register("view", view)
    return {row for (row,) in connection.sql(f"SELECT __row FROM view WHERE {condition}").fetchall()}


# The language, read slowly.


def evaluate(expr: Expr, row: Row) -> bool:
    match expr:
        case And(operands):
            return all(evaluate(operand, row) for operand in operands)
        case Or(operands):
            return any(evaluate(operand, row) for operand in operands)
        case Not(operand):
            return not evaluate(operand, row)
        case Comparison(field, operator, constant):
            return compares(value_of(field, row), operator, constant.value)
        case Membership(field, constants, negated):
            value = value_of(field, row)
            if missing(value) or is_nan(value):
                return False
            return any(compares(value, "=", constant.value) for constant in constants) != negated
        case ValueState(field, state, negated):
            value = value_of(field, row)
            if state == "nan" and missing(value):
                return False
            return (missing(value) if state == "missing" else is_nan(value)) != negated
        case Contains() | MatchesPattern():
            return searches(expr, row)
        case Flag(field):
            return value_of(field, row) is True


def value_of(field: FieldName, row: Row) -> Any:
    if field.name == "address":
        return f"{row['split']}/{row['step']}/{row['index']}"
    if field.name == "discarded":
        return row.get("discard_reason") is not None
    return row.get("index" if field.name == "n" else field.column)


def missing(value: Any) -> bool:
    return value is None or value == []


def is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def compares(value: Any, operator: str, constant: Value) -> bool:
    if missing(value) or is_nan(value):
        return False
    if isinstance(value, list):
        found = any(compares(each, "=", constant) for each in value)
        return found if operator == "=" else not found
    if isinstance(value, str) and isinstance(constant, int | float):
        if operator in ("=", "!="):
            constant = str(int(constant)) if constant == int(constant) else repr(constant)
        else:
            try:
                value = float(value)
            except ValueError:
                return False
            if is_nan(value):
                return False
    left, right = value, constant
    return bool(
        {"=": left == right, "!=": left != right}[operator]
        if operator in ("=", "!=")
        else {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator]
    )


def searches(expr: Contains | MatchesPattern, row: Row) -> bool:
    if expr.field.name in ("prompt", "response", "golden", "text"):
        if isinstance(expr, Contains):
            predicate = TextPredicate(expr.field.name, "literal", expr.text, expr.ignore_case)
        else:
            predicate = TextPredicate(expr.field.name, "regex", *inlined(expr))
        return looks(predicate, row) != expr.negated
    value = value_of(expr.field, row)
    if missing(value):
        return False
    if isinstance(value, list):
        exact = isinstance(expr, Contains) and not expr.ignore_case
        found = expr.text in value if exact and isinstance(expr, Contains) else any(holds(expr, each) for each in value)
    else:
        found = holds(expr, value)
    return found != expr.negated


def inlined(expr: MatchesPattern) -> tuple[str, bool]:
    flags = expr.flags.replace("i", "")
    return (f"(?{flags}){expr.pattern}" if flags else expr.pattern), "i" in expr.flags


def holds(expr: Contains | MatchesPattern, value: str) -> bool:
    if isinstance(expr, Contains):
        return looks_in(re.escape(expr.text), expr.ignore_case, value)
    pattern, ignore_case = inlined(expr)
    return looks_in(pattern, ignore_case, value)


def looks_in(pattern: str, ignore_case: bool, value: str) -> bool:
    return re.search(pattern, value, re.IGNORECASE if ignore_case else 0) is not None


def looks(predicate: TextPredicate, row: Row) -> bool:
    """The text scan's part, done by hand."""
    names = ("prompt", "response", "golden") if predicate.field == "text" else (predicate.field,)
    pattern = predicate.pattern if predicate.kind == "regex" else re.escape(predicate.pattern)
    return any(looks_in(pattern, predicate.ignore_case, row.get(name) or "") for name in names)
