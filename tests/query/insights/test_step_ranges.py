"""Ranges of steps, as people write them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from rollscope.errors import UsageError
from rollscope.query.insights.step_ranges import outer_windows, parse_steps, within_steps


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("10:20", 10, 20), ("90:", 90, None), (":10", None, 10), (":", None, None), (" 1 : 2 ", 1, 2)],
)
def test_a_range_is_read_as_python_counts(text: str, low: int | None, high: int | None) -> None:
    assert parse_steps(text) == (low, high)


@pytest.mark.parametrize("text", ["", "10", "20:10", "5:5", "a:b", "1:2:3", "1.5:2"])
def test_what_is_no_range_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="not a range of steps") as refused:
        parse_steps(text)
    assert "10:20" in refused.value.hint


def test_rows_within_a_range_keep_their_order() -> None:
    table = pa.table({"step": [3, 1, 2, 9]})
    assert within_steps(table, np.array([3, 2, 0]), "2:9").tolist() == [2, 0]
    assert within_steps(table, np.array([3, 2, 0]), None).tolist() == [3, 2, 0]


def test_the_outer_windows_are_tenths_of_the_steps_that_there_are() -> None:
    assert outer_windows(range(0, 200, 10), "run", "train") == ("0:11", "180:191")
    assert outer_windows([4, 7], "run", "train") == ("4:5", "7:8")


def test_one_step_cannot_have_changed() -> None:
    with pytest.raises(UsageError, match="run has 1 step in train"):
        outer_windows([4], "run", "train")
