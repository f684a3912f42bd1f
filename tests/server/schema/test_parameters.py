"""The bounds of what a request may ask."""

from __future__ import annotations

import pytest

from rollscope.errors import UsageError
from rollscope.server.schema.decoding import decode_query
from rollscope.server.schema.parameters import MAX_NAMES, MAX_ROWS, Query, SamplesQuery, SeriesQuery


@pytest.mark.parametrize(
    ("pairs", "kind", "said"),
    [
        ([("limit", "0")], SamplesQuery, "query parameter 'limit': expected a whole number >= 1"),
        ([("limit", "10001")], SamplesQuery, "query parameter 'limit': expected a whole number <= 10000"),
        ([("offset", "-1")], SamplesQuery, "query parameter 'offset': expected a whole number >= 0"),
        ([("discarded", "maybe")], SamplesQuery, "query parameter 'discarded': expected one of"),
        ([("wait", "nan")], SamplesQuery, "query parameter 'wait'"),
        ([("name", str(n)) for n in range(501)], SeriesQuery, "query parameter 'name'"),
    ],
)
def test_a_value_out_of_bounds_is_refused(pairs: list[tuple[str, str]], kind: type[Query], said: str) -> None:
    with pytest.raises(UsageError) as error:
        decode_query(pairs, kind)
    assert str(error.value).startswith(said)


def test_the_bounds_themselves_are_taken() -> None:
    assert decode_query([("limit", str(MAX_ROWS))], SamplesQuery).limit == MAX_ROWS
    assert len(decode_query([("name", str(n)) for n in range(MAX_NAMES)], SeriesQuery).name) == MAX_NAMES
