"""Values of a record by the type that is wanted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rollscope.formats.json_values import count, decoded, items, mapping, number, numbers_of, text


def test_values_are_what_they_are_and_not_what_they_look_like() -> None:
    assert [number(value) for value in (1, True, 0.5, "1", None, [1])] == [1.0, 1.0, 0.5, None, None, None]
    assert [count(value) for value in (1, True, 1.0, "1", 10**30)] == [1, None, None, None, None]
    assert [text(value) for value in ("x", "", 1, None)] == ["x", None, None, None]
    assert numbers_of({"a": 1, "b": "2", 3: False}) == {"a": 1.0, "3": 0.0}
    assert (numbers_of([1]), mapping([1]), items({"a": 1})) == ({}, {}, [])


@pytest.mark.parametrize("value", ["{", "", b'"\xff"', '"\ud800"', "[" * 10_000, 12, None])
def test_a_text_that_is_no_json_stays_as_it_is(value: Any) -> None:
    assert decoded(value) == value


def test_a_column_of_json_texts_is_what_they_say() -> None:
    assert decoded(json.dumps({"a": [1, "ü"]})) == decoded(json.dumps({"a": [1, "ü"]}).encode()) == {"a": [1, "ü"]}
