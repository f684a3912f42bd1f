"""Numbers as people read them."""

from __future__ import annotations

import pytest

from rollscope.cli.numbers import byte_count, duration, number, percent, plural


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0.0, "0"),
        (-0.0, "-0"),
        (-12.0, "-12"),
        (1.0, "1"),
        (0.123456, "0.1235"),
        (-2.5, "-2.5"),
        (12345678, "12345678"),
        (1e30, "1e+30"),
    ],
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


def test_a_value_without_a_word_in_json_is_named() -> None:
    assert number(None, "NaN") == "NaN"
    assert [number(float(word)) for word in ("nan", "inf", "-inf")] == ["NaN", "Infinity", "-Infinity"]


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_999, "1.0 MB"),
        (3_400_000, "3.4 MB"),
        (41_000_000_000, "41 GB"),
    ],
)
def test_bytes(count: int, text: str) -> None:
    assert byte_count(count) == text


def test_durations_and_counts() -> None:
    assert [duration(seconds) for seconds in (0.4, 89, 90, 7500)] == ["0 s", "89 s", "2 min", "2 h 5 min"]
    assert [plural(1, "run"), plural(12_000, "run")] == ["1 run", "12,000 runs"]


def test_a_share_is_never_all_where_something_is_missing() -> None:
    shares = [0.0, 0.0035, 0.12, 0.994, 0.9999, 1.0]
    assert [percent(share) for share in shares] == ["0%", "0.35%", "12%", "99%", "> 99%", "100%"]
