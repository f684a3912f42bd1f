"""Two short answers that differ only in notation are the same; two that differ otherwise are not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rollscope.features.notation import normal, number, same, with_fractions


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x \\le 5", "x ≤ 5"),
        ("2\\pi", "2π"),
        ("3\\frac{1}{2}", "7/2"),
        ("\\frac12", "1/2"),
        ("x=4", "4"),
        ("1,234", "1234"),
        ("1.234.567", "1234567"),
        ("12 km/h", "12"),
        ("007", "7"),
        ("25\\%", "0.25"),
        ("6 \\times 10^{5}", "600000"),
        ("10^{-2}", "0.01"),
        ("31861.25", "31861.3"),
        ("7 apples", "7"),
        ("**B**", "b."),
    ],
)
def test_notation_is_forgiven(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("", ""), ("x+1", "1+x"), ("31/2", "3 1/2"), ("7 million", "7"), ("12.5", "13"), ("1/3", "0.3"), ("25", "0.25")],
)
def test_another_value_is_not(one: str, other: str) -> None:
    assert not same(one, other)


def test_a_number_is_exact_and_what_is_none_is_said() -> None:
    assert number("0.1") == Fraction(1, 10)
    assert number("10^3") == 1000
    assert number("2*10^(-3)") == Fraction(1, 500)
    assert number("1/0") is None
    assert number("x") is None
    assert number("9" * 61) is None, "no time is spent on a number of many digits"


def test_fractions_of_tex_are_written_with_a_slash() -> None:
    assert with_fractions("a \\dfrac{3}{8} of \\frac12") == "a 3/8 of 1/2"
    assert normal("\\frac{\\sqrt{3}}{2}") == normal("\\dfrac{\\sqrt3}{2}")
