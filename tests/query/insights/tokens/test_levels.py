"""How unusual a token's value is."""

from __future__ import annotations

import math

import pytest

from rollscope.query.insights.tokens.levels import BOUNDS, COLUMNS, level


@pytest.mark.parametrize(
    ("column", "values", "levels"),
    [
        ("ratio", [1.0, 1.1, 1 / 1.1, 1.3, 1.6, 2.5, 0.3, 0.0], [0, 1, 1, 2, 3, 4, 4, 4]),
        ("logprobs", [0.0, -0.7, -2.0, -4.0, -9.0], [0, 1, 2, 3, 4]),
        ("entropy", [0.0, 0.6, 1.2, 2.0, 3.0], [0, 1, 2, 3, 4]),
        ("advantage", [2.0, 0.0, -1.0], [1, 0, -1]),
        ("mask", [1, 0], [0, -1]),
    ],
)
def test_a_value_has_the_level_that_it_means(column: str, values: list[float], levels: list[int]) -> None:
    assert [level(column, value) for value in values] == levels
    assert level(column, None) == 0


def test_a_ratio_is_as_unusual_as_its_inverse() -> None:
    for bound in BOUNDS["ratio"]:
        for ratio in (math.exp(bound + 0.01), math.exp(bound - 0.01)):
            assert level("ratio", ratio) == level("ratio", 1 / ratio)


def test_every_column_has_levels() -> None:
    assert {*BOUNDS, "advantage", "mask"} == set(COLUMNS)
