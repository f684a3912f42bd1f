"""Values of a training loop become JSON values, whatever their type, and nothing raises."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.record.samples.values import (
    ABSENT,
    as_count,
    as_number,
    as_scalar,
    flat,
    numbers,
    plain,
    valid_text,
    valid_tree,
)


class Tensor:
    """A torch scalar, as far as one can tell without torch: ``size`` is a method there."""

    def __init__(self, value: float, count: int = 1) -> None:
        self._value, self._count = value, count

    def size(self) -> tuple[int, ...]:
        return (self._count,)

    def numel(self) -> int:
        return self._count

    def item(self) -> float:
        return self._value

    def tolist(self) -> list[float]:
        return [self._value] * self._count


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3.0),
        (True, 1.0),
        (np.float32(0.5), 0.5),
        (np.int64(7), 7.0),
        (np.bool_(True), 1.0),
        (np.array(2.0), 2.0),
        (np.array([2.0]), 2.0),
        (Tensor(1.5), 1.5),
        (Decimal("0.25"), 0.25),
        (Fraction(1, 4), 0.25),
        (10**400, math.inf),
        (-(10**400), -math.inf),
        (None, None),
    ],
)
def test_every_numeric_type_is_a_number(value: Any, expected: float | None) -> None:
    assert as_number(value) == expected


@pytest.mark.parametrize("value", ["0.5", [1.0], {"a": 1}, np.array([1.0, 2.0]), Tensor(1.0, 2), object(), b"1", float])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        as_number(value)


def test_a_count_must_be_whole() -> None:
    assert as_count(np.float64(4.0)) == 4
    with pytest.raises(TypeError):
        as_count(4.5)
    with pytest.raises(TypeError):
        as_count(math.nan)


def test_containers_are_no_scalars() -> None:
    assert as_scalar([1]) is ABSENT
    assert as_scalar(np.arange(3)) is ABSENT


def test_nested_names_are_joined() -> None:
    assert dict(flat({"a": {"b": {"c": 1}, 2: 3}, "d": 4})) == {"a/b/c": 1, "a/2": 3, "d": 4}


def test_a_non_finite_number_is_named_and_left_out() -> None:
    nonfinite: dict[str, str] = {}
    kept = numbers({"good": 1.0, "bad": math.nan, "worse": -math.inf, "none": None}, "metrics", nonfinite, pytest.fail)
    assert kept == {"good": 1.0}
    assert nonfinite == {"metrics/bad": "NaN", "metrics/worse": "-Infinity"}


def test_text_among_numbers_is_reported() -> None:
    said: list[str] = []
    assert numbers({"a": "high", "b": 1.0}, "rewards", {}, said.append) == {"b": 1.0}
    assert len(said) == 1
    assert "rewards/a" in said[0]


def test_a_copy_does_not_follow_its_source() -> None:
    source = {"list": [1, {"deep": [2]}]}
    copy = plain(source, pytest.fail)
    source["list"].append(3)
    source["list"][1]["deep"].append(4)  # type: ignore[index]
    assert copy == {"list": [1, {"deep": [2]}]}


def test_foreign_values_become_text_and_are_reported() -> None:
    class Broken:
        def __str__(self) -> str:
            raise RuntimeError("no")

    said: list[str] = []
    assert plain({"x": Broken()}, said.append) == {"x": "<Broken that cannot be shown>"}
    assert len(said) == 1


def test_a_value_that_contains_itself_ends() -> None:
    loop: list[Any] = []
    loop.append(loop)
    said: list[str] = []
    plain(loop, said.append)
    assert "deep" in said[0]


def test_arrays_sets_and_bytes_have_a_json_form() -> None:
    value = {"array": np.arange(3), "set": {2, 1}, "bytes": b"\x00\x01", "tuple": (1, 2)}
    assert plain(value, pytest.fail) == {"array": [0, 1, 2], "set": [1, 2], "bytes": "AAE=", "tuple": [1, 2]}


def test_lone_surrogates_are_spelled_out_and_pairs_joined() -> None:
    assert valid_text("a\ud800b") == "a\\ud800b"
    assert valid_text("\ud83d\ude00") == "\U0001f600"
    assert valid_tree({"k\udfff": ["x\ud800", 1]}) == {"k\\udfff": ["x\\ud800", 1]}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_whatever_comes_in_valid_json_comes_out(value: Any) -> None:
    encoded = msgspec.json.encode(valid_tree(plain(value, lambda _: None)))
    msgspec.json.decode(encoded)


@given(st.dictionaries(st.text(), st.floats() | st.integers() | st.booleans() | st.none(), max_size=8))
def test_no_number_is_lost(values: Mapping[str, Any]) -> None:
    nonfinite: dict[str, str] = {}
    kept = numbers(values, "m", nonfinite, pytest.fail)
    assert len(kept) + len(nonfinite) == sum(value is not None for value in values.values())
