"""One condition as SQL, by the kind of the column it asks about.

NaN compares with nothing, where DuckDB would call it the greatest of all numbers, and a list without elements is
missing. What may be NULL here is made false by the caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rollscope.errors import FilterError
from rollscope.query.language.ast import Constant, FieldName, Value
from rollscope.query.language.fields import Column
from rollscope.query.language.lexer import mistake
from rollscope.query.language.sql import literal, number_text, true_or_false

if TYPE_CHECKING:
    from rollscope.query.language.compile import TextPredicate

#: How a field of each kind is asked about, for messages.
EXAMPLES: Final = {"number": "> 0.5", "string": '= "math"', "list": 'contains "easy"', "boolean": "= true"}
_KINDS: Final = {"number": "a number", "string": "a text", "list": "a list of texts", "boolean": "true or false"}

# Where DuckDB counts NaN as greater than everything and different from it.
_TRUE_FOR_NAN: Final = frozenset({"!=", ">", ">="})


def compare(field: FieldName, column: Column, operator: str, constant: Constant) -> str:
    if column.kind == "list":
        if operator not in ("=", "!="):
            advice = f'such as: {field.column} = "easy"'
            raise mistake(field.source, field.position, f"{field.column} is {_KINDS['list']} and has no order", advice)
        return one_of(field, column, (constant,), negated=operator == "!=")
    value = constant.value
    if column.kind == "string":
        if isinstance(value, bool):
            raise _wrong_kind(field, column, constant)
        if isinstance(value, str):
            return f"{column.sql} {operator} {literal(value)}"
        if operator in ("=", "!="):
            return f"{column.sql} {operator} {literal(number_text(value))}"
        return _compare_number(f"TRY_CAST({column.sql} AS DOUBLE)", operator, value)
    if column.kind == "boolean":
        if not isinstance(value, bool) or operator not in ("=", "!="):
            raise _wrong_kind(field, column, constant)
        return f"{column.sql} {operator} {literal(value)}"
    return _compare_number(column.sql, operator, _number(field, column, constant))


def _compare_number(sql: str, operator: str, value: float) -> str:
    comparison = f"{sql} {operator} {literal(value)}"
    if _is_between_floats(value):
        # As a float it would be another number. What is no whole number, infinity and NaN, is compared as before.
        comparison = f"coalesce(TRY_CAST({sql} AS HUGEINT) {operator} {value}, {comparison})"
    return f"({comparison} AND NOT isnan({sql}))" if operator in _TRUE_FOR_NAN else comparison


def _is_between_floats(value: float) -> bool:
    """Whether it is a whole number that no float is equal to. Those beyond 128 bits no column can hold exactly."""
    return isinstance(value, int) and abs(value) < 2**127 and int(float(value)) != value


def one_of(field: FieldName, column: Column, constants: tuple[Constant, ...], *, negated: bool) -> str:
    members = [_member(field, column, constant) for constant in constants]
    if column.kind == "number":
        return _one_of_numbers(column, members, negated=negated)
    values = ", ".join(map(literal, members))
    if column.kind == "list":
        found = f"list_has_any({column.sql}, [{values}])"
        return f"(NOT {is_missing(column)} AND NOT {found})" if negated else found
    return f"{column.sql} {'NOT ' if negated else ''}IN ({values})"


def _one_of_numbers(column: Column, members: Sequence[Value], *, negated: bool) -> str:
    """Whole numbers and others are listed apart: one fraction in a list would make floats of all, and of an integer above
    2^53 another one."""
    exact = [value for value in members if isinstance(value, int) and _is_between_floats(value)]
    whole = [literal(value) for value in members if not isinstance(value, float) and value not in exact]
    others = [literal(value) for value in members if isinstance(value, float)]
    lists = [f"{column.sql} IN ({', '.join(values)})" for values in (whole, others) if values]
    found = " OR ".join([*lists, *(_compare_number(column.sql, "=", value) for value in exact)])
    return f"(NOT ({found}) AND NOT isnan({column.sql}))" if negated else f"({found})"


def _member(field: FieldName, column: Column, constant: Constant) -> Value:
    """The constant as a value of the column's kind."""
    value = constant.value
    if column.kind == "number":
        return _number(field, column, constant)
    if column.kind == "boolean":
        if not isinstance(value, bool):
            raise _wrong_kind(field, column, constant)
        return value
    if isinstance(value, bool):
        raise _wrong_kind(field, column, constant)
    return value if isinstance(value, str) else number_text(value)


def _number(field: FieldName, column: Column, constant: Constant) -> float:
    """Metrics that are true or false are recorded as 1 and 0."""
    if isinstance(constant.value, str):
        raise _wrong_kind(field, column, constant)
    return int(constant.value) if isinstance(constant.value, bool) else constant.value


def wrong_use(field: FieldName, column: Column) -> FilterError:
    """The field is asked something that its kind has no answer to."""
    advice = f"such as: {field.column} {EXAMPLES[column.kind]}"
    return mistake(field.source, field.position, f"{field.column} is {_KINDS[column.kind]}: compare it", advice)


def _wrong_kind(field: FieldName, column: Column, constant: Constant) -> FilterError:
    advice = f"such as: {field.column} {EXAMPLES[column.kind]}"
    return mistake(field.source, constant.position, f"{field.column} is {_KINDS[column.kind]}, and this is not", advice)


def is_missing(column: Column) -> str:
    if column.kind == "list":
        return f"(coalesce(len({column.sql}), 0) = 0)"
    return f"({column.sql} IS NULL)"


def is_nan(field: FieldName, column: Column) -> str:
    if column.kind != "number":
        raise wrong_use(field, column)
    return true_or_false(f"isnan({column.sql})")


def in_string(sql: str, predicate: TextPredicate) -> str:
    """Whether a text column holds what is looked for. RE2 ignores case in DuckDB exactly as it does in the text scan."""
    if predicate.kind == "literal" and not predicate.ignore_case:
        return f"contains({sql}, {literal(predicate.pattern)})"
    pattern = predicate.pattern if predicate.kind == "regex" else _quoted(predicate.pattern)
    flags = ", 'i'" if predicate.ignore_case else ""
    return f"regexp_matches({sql}, {literal(pattern)}{flags})"


def in_list(sql: str, predicate: TextPredicate) -> str:
    """``contains`` asks for an element; everything else for an element that holds it."""
    if predicate.kind == "literal" and not predicate.ignore_case:
        return f"list_contains({sql}, {literal(predicate.pattern)})"
    return f"EXISTS (SELECT 1 FROM unnest({sql}) AS each(element) WHERE {in_string('element', predicate)})"


def _quoted(text: str) -> str:
    import re2

    return str(re2.escape(text))
