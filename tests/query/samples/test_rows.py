"""Index rows as answers: what a row of Arrow becomes for JSON, and what JSON has no word for."""

from __future__ import annotations

import math

import msgspec
import pyarrow as pa
import pytest

from rollscope.query.samples.rows import MAX_DIGITS, group_name, sample_rows


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("7", 7),
        ("-3", -3),
        ("0", 0),
        (str(2**70), 2**70),
        # Written back as numbers these would be other texts.
        ("007", "007"),
        ("+7", "+7"),
        ("-0", "-0"),
        ("1_000", "1_000"),
        ("٣", "٣"),
        (" 7", " 7"),
        ("7\n", "7\n"),
        ("", ""),
        (None, None),
        ("9" * (MAX_DIGITS + 1), "9" * (MAX_DIGITS + 1)),
    ],
)
def test_a_group_is_an_integer_only_if_nothing_of_its_name_is_lost(text: str | None, group: int | str | None) -> None:
    assert group_name(text) == group
    assert type(group_name(text)) is type(group)


def test_a_row_has_the_values_of_its_columns() -> None:
    table = pa.table(
        {
            "split": ["train", "eval/a"],
            "step": [3, 4],
            "index": [0, 12],
            "reward": [0.5, None],
            "group": ["5", None],
            "tags": [["x"], None],
            "attempt": [None, 2],
            "metrics.correct": [1.0, None],
            "rewards.format": [None, 0.25],
            "offset": [0, 10],
        }
    )
    first, second = sample_rows(table, "run-1")
    assert (first.address, first.group, first.reward, first.tags, first.attempt) == ("train/3/0", 5, 0.5, ["x"], 0)
    assert (second.address, second.group, second.reward, second.tags, second.attempt) == (
        "eval/a/4/12",
        None,
        None,
        [],
        2,
    )
    assert (first.metrics, first.rewards) == ({"correct": 1.0}, {})
    assert (second.metrics, second.rewards) == ({}, {"format": 0.25})
    assert {first.run, second.run} == {"run-1"}


def test_numbers_without_a_word_in_json_are_null_and_named() -> None:
    table = pa.table(
        {
            "split": ["train"] * 3,
            "step": [0] * 3,
            "index": [0, 1, 2],
            "reward": [math.nan, math.inf, 1.0],
            "metrics.kl": [None, -math.inf, math.nan],
        }
    )
    rows = sample_rows(table, "run")
    assert [row.nonfinite for row in rows] == [
        {"reward": "NaN"},
        {"reward": "Infinity", "metrics.kl": "-Infinity"},
        {"metrics.kl": "NaN"},
    ]
    assert [row.reward for row in rows] == [None, None, 1.0]
    # A metric that is not finite is there, with its name noted; one that is missing is not there.
    assert [row.metrics for row in rows] == [{}, {"kl": None}, {"kl": None}]
    assert b"NaN" not in msgspec.json.encode(rows[1]).replace(b'"NaN"', b"")


def test_no_rows_are_no_answers() -> None:
    table = pa.table(
        {"split": pa.array([], pa.string()), "step": pa.array([], pa.int64()), "index": pa.array([], pa.int64())}
    )
    assert sample_rows(table, "run") == []
