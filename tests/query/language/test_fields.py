"""Which fields a filter may name here, and which one was probably meant."""

from __future__ import annotations

import pytest

from rollscope.errors import FilterError
from rollscope.query.language.ast import FieldName
from rollscope.query.language.fields import Fields
from rollscope.query.language.parser import parse

HERE = Fields.of_columns(
    {
        "reward": "number",
        "split": "string",
        "step": "number",
        "index": "number",
        "env": "string",
        "status": "string",
        "discard_reason": "string",
        "metrics.correct": "number",
        "metrics.pass rate": "number",
        "rewards.format": "number",
        "text.words": "number",
    }
)


def test_names_are_those_that_a_filter_may_write() -> None:
    names = list(HERE.names())
    assert {"reward", "metrics.correct", 'metrics."pass rate"', "rewards.format", "text.words", "response"} <= {*names}
    assert {"discarded", "address"} <= {*names}, "made of columns that are here"
    without = Fields.of_columns({"reward": "number"})
    assert {"discarded", "address"}.isdisjoint(without.names())


def test_a_field_knows_the_columns_it_reads() -> None:
    assert HERE.column(FieldName("reward")).reads == ("reward",)
    assert HERE.column(FieldName("correct", "metrics")).reads == ("metrics.correct",)
    assert HERE.column(FieldName("address")).reads == ("split", "step", "index")
    assert HERE.column(FieldName("words", "text")).kind == "number"


@pytest.mark.parametrize(
    ("field", "meant"),
    [
        (FieldName("rewrd"), "did you mean reward"),
        (FieldName("correct"), "did you mean metrics.correct"),
        (FieldName("Format", "rewards"), "did you mean rewards.format"),
        (FieldName("qqqqqqqq"), "fields: reward, split, step"),
        # What a column is headed with, what a trainer's files call it, a status.
        (FieldName("environment"), "did you mean env?"),
        (FieldName("Score"), "did you mean reward?"),
        (FieldName("question"), "did you mean prompt?"),
        (FieldName("truncated"), 'did you mean status = "truncated"?'),
    ],
)
def test_a_field_that_is_not_here_is_an_error_with_the_nearest_ones(field: FieldName, meant: str) -> None:
    with pytest.raises(FilterError) as problem:
        HERE.column(field)
    assert problem.value.hint.startswith(meant)


def test_a_kind_that_does_not_exist_is_a_wrong_call() -> None:
    with pytest.raises(ValueError, match="no such kind of column: text"):
        Fields.of_columns({"reward": "text"})


def test_every_field_is_named_as_a_filter_reads_it() -> None:
    columns = {f"metrics.{name}": "number" for name in ("correct", "format ok?", 'is "ok"', "a\\b", "two\nlines")}
    for name in Fields.of_columns(columns).names():
        parse(f"{name} is missing")
