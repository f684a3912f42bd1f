"""Samples of several runs in one list."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

from rollscope.errors import FilterError
from rollscope.query.library import Library
from rollscope.query.lists.several_runs import samples_of_runs
from rollscope.userdata.notes import NewNote


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Rewards 0.0, 0.2, 0.4 … in the one, 0.1, 0.3, 0.5 … in the other, which alone has `kl`."""
    for number, name in enumerate(("a", "b")):
        extra = {"kl": 2.0} if name == "b" else {}
        records = [relax_record(0, i, reward=(2 * i + number) / 10, response=f"{name} {i}", **extra) for i in range(4)]
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


def test_by_what_no_row_says_they_are_sorted_together_too(library: Library, tmp_path: Path) -> None:
    """A rating is joined to the rows of its run, and a spread is of all samples of a group, not of those listed."""
    a, b = library.runs()
    b.write_note(NewNote(address="train/0/2", rating=5))
    a.write_note(NewNote(address="train/0/1", rating=3))
    _, rows = samples_of_runs([a, b], sort="-rating", limit=2)
    assert [(row.run, row.address) for row in rows] == [("b", "train/0/2"), ("a", "train/0/1")]
    rewards = [0.0, 1.0, 0.5, 0.5]  # two groups; the least of the one is listed, the greatest is not
    records = [relax_record(0, i, reward=reward, group_index=i // 2) for i, reward in enumerate(rewards)]
    write_jsonl(tmp_path / "c" / "train" / "0.jsonl", records)
    runs = Library([tmp_path]).runs()
    _, rows = samples_of_runs(runs, sort="-reward_spread", where="reward < 0.1", limit=1)
    assert [row.run for row in rows] == ["c"]


def test_by_its_number_a_list_keeps_the_order_of_runs_and_steps(library: Library, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a" / "train" / "1.jsonl", [relax_record(1, i) for i in range(2)])
    runs = library.runs()
    runs[0].refresh()
    in_order = [(row.run, row.address) for row in samples_of_runs(runs)[1]]
    runs[0].write_note(NewNote(address="train/0/1", rating=3))
    runs[0].write_note(NewNote(address="train/1/0", rating=3))
    for name in ("index", "n", "address"):
        assert [(row.run, row.address) for row in samples_of_runs(runs, sort=name)[1]] == in_order
        assert [(row.run, row.address) for row in samples_of_runs(runs, sort=f"-{name}")[1]] == in_order[::-1]
        noted = runs[0].samples(where="noted", sort=name)
        assert [row.address for row in noted] == ["train/0/1", "train/1/0"]


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
