"""The bounds of what a request about insights may ask."""

from __future__ import annotations

import pytest

from rollscope.errors import UsageError
from rollscope.query.insights.tokens.quantiles import VALUES
from rollscope.server.schema.decoding import decode_query
from rollscope.server.schema.insight_parameters import (
    ChangesQuery,
    CompareQuery,
    ContrastQuery,
    DiffQuery,
    FindingDetailQuery,
    FindingMarksQuery,
    InsightCommandQuery,
    PromptQuery,
    TokenStepsQuery,
)
from rollscope.server.schema.parameters import Query


@pytest.mark.parametrize(
    ("pairs", "kind", "said"),
    [
        ([("a", "train/0/0")], DiffQuery, "missing query parameter 'b'"),
        ([("split", "train"), ("kind", "loop")], FindingDetailQuery, "missing query parameter 'where'"),
        ([("step", str(n)) for n in range(501)], FindingMarksQuery, "query parameter 'step'"),
        ([("name", "drop")], InsightCommandQuery, "query parameter 'name': expected one of"),
        ([], CompareQuery, "missing query parameter 'other'"),
        ([("limit", "0")], ContrastQuery, "query parameter 'limit': expected a whole number >= 1"),
        ([("field", "reward")], ChangesQuery, "query parameter 'field': expected one of"),
        ([("address", "train/0/0"), ("all", "maybe")], PromptQuery, "query parameter 'all'"),
        ([("value", "loss")], TokenStepsQuery, "query parameter 'value': expected one of"),
    ],
)
def test_what_is_missing_or_out_of_bounds_is_refused(
    pairs: list[tuple[str, str]], kind: type[Query], said: str
) -> None:
    with pytest.raises(UsageError) as error:
        decode_query(pairs, kind)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize("value", VALUES)
def test_every_value_of_tokens_can_be_asked_for(value: str) -> None:
    assert decode_query([("value", value)], TokenStepsQuery).value == value


def test_what_is_not_asked_is_the_usual() -> None:
    assert decode_query([], ContrastQuery) == ContrastQuery(a=None, b=None, field="response", limit=30)
    assert decode_query([("step", "3"), ("step", "4")], FindingMarksQuery).step == (3, 4)
