"""The table of operators is the grammar's: each of its rows parses, asked about a field of its kind."""

from __future__ import annotations

import pytest

from rollscope.fields import FIELDS
from rollscope.query.language.operators import OPERATORS, Asked, FilterOperator, asked_as, operators_of
from rollscope.query.language.parser import parse

OPERANDS = {"value": "1", "values": "(1, 2)", "text": '"a"', "pattern": "/a/", "nothing": ""}


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.word)
def test_every_operator_parses(operator: FilterOperator) -> None:
    parse(f"reward {operator.word} {OPERANDS[operator.operand]}")


@pytest.mark.parametrize("asked", ["number", "string", "list", "boolean", "text"])
def test_every_kind_of_field_can_be_asked_something(asked: Asked) -> None:
    assert operators_of(asked)
    assert len(operators_of(asked)) == len(set(operators_of(asked)))


def test_text_is_searched_and_not_compared() -> None:
    assert "<" not in operators_of("text")
    assert "contains" in operators_of("text")
    assert "contains" not in operators_of("number")


def test_every_field_is_of_a_kind_that_can_be_asked() -> None:
    kinds = {field.name: asked_as(field) for field in FIELDS}
    assert kinds["reward"] == "number"
    assert kinds["tags"] == "list"
    assert kinds["response"] == "text"
