"""What a run says about a view: its steps, its samples a page at a time, and where one is in them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import rollscope
from rollscope.query.run import Run
from rollscope.tui.session.listing import Goal, read_listing, read_page
from rollscope.tui.session.view import View


@pytest.fixture
def run(run_path: Path) -> Run:
    opened = rollscope.open(run_path)
    opened.refresh()
    return opened


@pytest.mark.parametrize(
    ("step", "goal", "expected"), [(None, "same", 0), (3, "same", 3), (3, "first", 0), (3, "last", 5), (99, "same", 5)]
)
def test_the_step_is_the_one_asked_for_or_the_nearest(run: Run, step: int | None, goal: str, expected: int) -> None:
    found = read_listing(run, View(step=step), Goal(step=goal))  # type: ignore[arg-type]
    assert found.view.step == expected
    assert [row.step for row in found.steps] == list(range(6))


def test_a_split_that_is_not_there_becomes_the_first(run: Run) -> None:
    found = read_listing(run, View(split="eval/unheard", step=9), Goal())
    assert (found.view.split, found.view.step) == ("train", 0)


def test_the_sample_one_was_at_is_found_again_in_another_order(run: Run) -> None:
    view = View(step=2, sort="-reward")
    rows = read_page(run, view, 0).rows
    found = read_listing(run, view, Goal(address=rows[4].address))
    assert found.position == 4
    assert read_listing(run, view, Goal(address="train/2/999")).position == 0


def test_a_filter_and_discarded_samples_are_the_view_s(run: Run) -> None:
    view = View(step=2)
    assert read_page(run, view, 0).total == 8
    assert read_page(run, replace(view, discarded=True), 0).total == 4
    assert read_page(run, replace(view, where="metrics.correct = 1"), 0).total == 2
    assert read_page(run, View(step=None), 0).rows == []


def test_datasets_of_an_evaluation_are_the_run_s_evaluations(run: Run) -> None:
    found = read_listing(run, View(split="eval/gsm8k"), Goal())
    assert found.datasets == ["aime24", "gsm8k"]
    assert read_listing(run, View(), Goal()).datasets == []
