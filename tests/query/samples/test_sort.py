"""Rows in another order: what is missing comes last, ties stay in reading order."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.errors import UsageError
from rollscope.query.run import Run
from rollscope.query.samples.columns import Columns
from rollscope.query.samples.sort import order_by, sort_rows


def addresses(run: Run, **asked: Any) -> list[int]:
    return [row.index for row in run.samples(**asked).rows]


@pytest.mark.parametrize(("sort", "expected"), [("reward", [2, 4, 0, 1, 3]), ("-reward", [0, 4, 2, 1, 3])])
def test_nan_and_missing_rewards_come_last_in_both_directions(tmp_path: Path, sort: str, expected: list[int]) -> None:
    rewards = [math.inf, math.nan, -1.0, None, 0.5]
    write_jsonl(tmp_path / "train" / "0.jsonl", [relax_record(0, i, reward=value) for i, value in enumerate(rewards)])
    assert addresses(rollscope.open(tmp_path), sort=sort) == expected


def test_ties_stay_in_reading_order_either_way(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train" / "0.jsonl", [relax_record(0, i, reward=float(i % 2)) for i in range(6)])
    run = rollscope.open(tmp_path)
    assert addresses(run, sort="reward") == [0, 2, 4, 1, 3, 5]
    assert addresses(run, sort="-reward") == [1, 3, 5, 0, 2, 4]


def test_groups_sort_as_numbers_and_names_after_them() -> None:
    table = pa.table({"group": ["10", "b", "9", None, "a"]})
    assert sort_rows(table, np.arange(5), "group").tolist() == [2, 0, 4, 1, 3]


def test_of_several_columns_the_first_that_has_a_value_counts() -> None:
    table = pa.table({"completion_tokens": [None, 5, None], "response_bytes": [9, 1, 2]})
    assert sort_rows(table, np.arange(3), "length").tolist() == [2, 1, 0]


def test_no_more_are_given_than_are_needed() -> None:
    table = pa.table({"reward": [3.0, 1.0, 2.0]})
    assert sort_rows(table, np.arange(3), "-reward", first=2).tolist() == [0, 2]
    assert sort_rows(table, np.array([1, 2]), "-reward").tolist() == [2, 1], "only rows that were selected"


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="cannot sort by 'rewrad'") as error:
        order_by(Columns(pa.table({"reward": [1.0]}), []), "-rewrad")
    assert "reward" in error.value.hint
