"""Samples of several runs in one list."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

from rollscope.errors import FilterError
from rollscope.query.library import Library
from rollscope.query.samples.several_runs import samples_of_runs


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Rewards 0.0, 0.2, 0.4 … in the one, 0.1, 0.3, 0.5 … in the other, which alone has `kl`."""
    for number, name in enumerate(("a", "b")):
        extra = {"kl": 2.0} if name == "b" else {}
        records = [relax_record(0, i, reward=(2 * i + number) / 10, **extra) for i in range(4)]
        write_jsonl(tmp_path / name / "train" / "0.jsonl", records)
    library = Library([tmp_path])
    for run in library.runs():
        run.refresh()
    return library


def test_runs_are_sorted_together(library: Library) -> None:
    total, rows = samples_of_runs(library.runs(), sort="-reward", limit=3)
    assert total == 8
    assert [(row.run, row.reward) for row in rows] == [("b", 0.7), ("a", 0.6), ("b", 0.5)]
    _, rows = samples_of_runs(library.runs(), sort="reward")
    assert [row.reward for row in rows] == [number / 10 for number in range(8)]


def test_without_an_order_they_come_run_after_run(library: Library) -> None:
    _, rows = samples_of_runs(library.runs(), limit=5)
    assert [row.run for row in rows] == ["a", "a", "a", "a", "b"]


def test_a_filter_may_name_what_only_one_run_has(library: Library) -> None:
    total, rows = samples_of_runs(library.runs(), where="metrics.kl > 1", sort="-metrics.kl")
    assert total == 4
    assert {row.run for row in rows} == {"b"}
    assert samples_of_runs(library.runs(), where="metrics.kl is missing")[0] == 4


def test_what_no_run_has_is_a_mistake(library: Library) -> None:
    with pytest.raises(FilterError, match=r"metrics\.nobody"):
        samples_of_runs(library.runs(), where="metrics.nobody = 1")
