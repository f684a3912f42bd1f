"""Everything the vocabulary offers is a filter that parses and compiles."""

from __future__ import annotations

import pytest
from scripts.reference import EXAMPLE_VOCABULARY, example_vocabulary

from rollscope.features.registry import registry
from rollscope.index.features.columns import TYPES
from rollscope.index.segments.rows import SCHEMA, column_type
from rollscope.query.language.compile import compile_filter
from rollscope.query.language.fields import Fields
from rollscope.query.language.parser import parse
from rollscope.query.language.vocabulary import VocabularyField, vocabulary
from rollscope.query.samples.columns import Columns
from rollscope.query.samples.sort import order_by

VOCABULARY = vocabulary()
_VALUES = {"number": "0.5", "integer": "3", "string": '"math"', "strings": '"easy"', "boolean": "true"}


def fields() -> Fields:
    import pyarrow as pa

    stored = {name: pa.nulls(0, column_type(name)) for name in (*SCHEMA, "index", "metrics.correct")}
    features = {name: pa.nulls(0, TYPES[feature.type]) for name, feature in registry().features.items()}
    table = pa.table({**stored, **features})
    return Columns(table, []).fields()


def operand(kind: str, value: str) -> str:
    return {"value": value, "values": f"({value}, {value})", "text": '"word"', "pattern": "/w.rd/i", "nothing": ""}[
        kind
    ]


@pytest.mark.parametrize("field", VOCABULARY.fields, ids=lambda field: field.name)
def test_every_operator_offered_for_a_field_is_taken(field: VocabularyField) -> None:
    operands = {operator.word: operator.operand for operator in VOCABULARY.operators}
    for word in field.operators:
        source = f"{field.name} {word} {operand(operands[word], _VALUES[field.type])}"
        compile_filter(parse(source), fields())
        for joiner in VOCABULARY.joiners:
            compile_filter(parse(f"{VOCABULARY.negation} ({source}) {joiner} {source}"), fields())


def test_operators_that_are_not_offered_are_refused() -> None:
    operands = {operator.word: operator.operand for operator in VOCABULARY.operators}
    for field in VOCABULARY.fields:
        if not field.operators:
            continue
        for word in operands.keys() - set(field.operators):
            source = f"{field.name} {word} {operand(operands[word], _VALUES[field.type])}"
            with pytest.raises(Exception, match=r".") as refused:
                compile_filter(parse(source), fields())
            assert type(refused.value).__name__ == "FilterError", source


def test_fields_of_a_space_are_numbers() -> None:
    (metrics, *_) = VOCABULARY.spaces
    operands = {operator.word: operator.operand for operator in VOCABULARY.operators}
    for word in metrics.operators:
        compile_filter(parse(f"{metrics.prefix}correct {word} {operand(operands[word], '1')}"), fields())


def test_the_page_is_tested_with_this_vocabulary() -> None:
    assert EXAMPLE_VOCABULARY.read_text(encoding="utf-8") == example_vocabulary(), "run `make docs`"


def test_every_sort_key_is_taken() -> None:
    import pyarrow as pa

    table = pa.table({name: pa.nulls(0, column_type(name)) for name in (*SCHEMA, "index")})
    for key in VOCABULARY.sorts:
        assert order_by(Columns(table, []), f"-{key}").columns
