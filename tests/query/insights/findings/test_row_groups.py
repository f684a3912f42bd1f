"""Groups within their steps, and the windows at either end of a run."""

from __future__ import annotations

import pytest
from tests.query.insights.findings.splits import split_data

from rollscope.query.insights.findings import row_groups
from rollscope.query.insights.findings.model import CannotKnow
from rollscope.query.insights.findings.row_groups import blocks_of_steps, groups_of_rows, windows


def test_a_group_of_another_step_is_another_group_and_a_row_without_one_is_alone() -> None:
    data = split_data([1, 1, 1, 2, 2, 2], group=["a", "a", None, "a", "b", None])
    numbers, sizes = groups_of_rows(data)
    assert sizes[numbers].tolist() == [2, 2, 1, 1, 1, 1]
    assert numbers[0] == numbers[1]
    assert len(set(numbers.tolist())) == 5


def test_the_groups_of_one_split_are_found_once() -> None:
    data = split_data([1], group=["a"])
    assert groups_of_rows(data) is groups_of_rows(data)


def test_the_windows_are_a_fifth_of_the_steps_at_either_end() -> None:
    first, last = windows(split_data(list(range(20))))
    assert (first.nonzero()[0].tolist(), last.nonzero()[0].tolist()) == ([0, 1, 2, 3], [16, 17, 18, 19])


def test_a_run_of_few_steps_has_no_windows() -> None:
    with pytest.raises(CannotKnow, match="fewer than 10 steps"):
        windows(split_data(list(range(9))))


def test_blocks_of_a_large_run_hold_whole_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [1, 1, 1, 2, 3, 3, 3, 3, 4]
    groups = ["a", "b", "a", "a", None, "b", "b", None, "b"]
    whole = [numbers.tolist() for numbers in groups_of_rows(split_data(steps, group=groups))]
    monkeypatch.setattr(row_groups, "MEMORY_ROWS", 4)
    monkeypatch.setattr(row_groups, "PART_ROWS", 2)
    data = split_data(steps, group=groups)
    assert [(rows.start, rows.stop) for rows in blocks_of_steps(data)] == [(0, 3), (3, 8), (8, 9)]
    assert [numbers.tolist() for numbers in groups_of_rows(data)] == whole
    unordered = split_data([2, 1, 2, 1, 2, 1], group=["a"] * 6)
    assert [(rows.start, rows.stop) for rows in blocks_of_steps(unordered)] == [(0, 6)]
