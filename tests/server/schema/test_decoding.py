"""Query strings: what is taken, and what is said about the rest."""

from __future__ import annotations

import msgspec
import pytest

from rollscope.errors import UsageError
from rollscope.server.schema.decoding import decode_body, decode_query, names
from rollscope.server.schema.parameters import GroupsQuery, Query, SampleQuery, SamplesQuery, SeriesQuery


def test_values_become_numbers_and_switches() -> None:
    query = decode_query([("step", "12"), ("limit", "5"), ("preview", "1"), ("wait", "0.5")], SamplesQuery)
    assert (query.step, query.limit, query.preview, query.wait) == (12, 5, True, 0.5)
    assert decode_query([("address", "train/1/2"), ("record", "false")], SampleQuery).record is False


def test_a_parameter_without_a_value_is_not_given() -> None:
    assert decode_query([("step", ""), ("where", "")], SamplesQuery) == SamplesQuery()


def test_text_that_looks_like_a_number_stays_text() -> None:
    assert decode_query([("where", "1"), ("sort", "true")], SamplesQuery).where == "1"


def test_names_may_be_repeated_or_have_commas() -> None:
    repeated = decode_query([("step", "1"), ("columns", "reward"), ("columns", "metrics.a,b")], GroupsQuery)
    assert names(repeated.columns) == ("reward", "metrics.a,b")
    assert names(decode_query([("step", "1"), ("columns", "reward,advantage")], GroupsQuery).columns) == (
        "reward",
        "advantage",
    )
    assert decode_query([("name", "a,b")], SeriesQuery).name == ("a,b",)


@pytest.mark.parametrize(
    ("pairs", "kind", "said"),
    [
        ([("stpe", "1")], SamplesQuery, "unknown query parameter 'stpe'"),
        ([("x", "1")], Query, "unknown query parameter 'x'"),
        ([("step", "twelve")], SamplesQuery, "query parameter 'step': expected a whole number, not 'twelve'"),
        ([("limit", "many")], SamplesQuery, "query parameter 'limit': expected a whole number, not 'many'"),
        ([("wait", "long")], SamplesQuery, "query parameter 'wait': expected a number, not 'long'"),
        ([("preview", "2")], SamplesQuery, "query parameter 'preview': expected true or false, not '2'"),
        (
            [("discarded", "yes")],
            SamplesQuery,
            "query parameter 'discarded': expected one of 0, 1, all, false, true, not 'yes'",
        ),
        ([("step", "1.5")], SamplesQuery, "query parameter 'step'"),
        ([("step", "1"), ("step", "2")], SamplesQuery, "query parameter 'step' is given twice"),
        ([], SampleQuery, "missing query parameter 'address'"),
        ([("address", "")], SampleQuery, "missing query parameter 'address'"),
    ],
)
def test_what_is_wrong_is_said_with_what_is_known(pairs: list[tuple[str, str]], kind: type[Query], said: str) -> None:
    with pytest.raises(UsageError) as error:
        decode_query(pairs, kind)
    assert str(error.value).startswith(said)
    assert error.value.hint


class _Colour(msgspec.Struct):
    red: int


def test_a_body_that_is_something_else_is_refused_with_an_example_of_a_right_one() -> None:
    assert decode_body(b'{"red": 3}', _Colour, '{"red": 1}').red == 3
    for body in (b"", b"[3]", b'{"red": "3"}', b'{"red": 3', b"\xff"):
        with pytest.raises(UsageError) as error:
            decode_body(body, _Colour, '{"red": 1}')
        assert str(error.value).startswith("the body is not what is wanted here: ")
        assert error.value.hint is not None
        assert '{"red": 1}' in error.value.hint
