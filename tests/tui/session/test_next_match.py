"""Find beyond the open sample: which sample comes next, how it is told, and how it is stopped."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from rollscope.query.library import open_run
from rollscope.query.run import Run
from rollscope.tui.session.next_match import Search
from rollscope.tui.session.view import View
from rollscope.tui.text.matches import parse_wanted

STEPS = list(range(6))


@pytest.fixture
def run(run_path: Path) -> Run:
    return open_run(str(run_path))


def search(run: Run, typed: str, cancel: threading.Event | None = None, told: list[str] | None = None) -> Search:
    return Search(run, parse_wanted(typed), cancel or threading.Event(), (told if told is not None else []).append)


def test_the_next_match_of_the_step_comes_first_then_later_steps_then_earlier_ones(run: Run) -> None:
    assert search(run, "zebra").next_sample(View(step=0), STEPS, "train/0/0", 0) == "train/0/6"
    assert search(run, "zebra").next_sample(View(step=0), STEPS, "train/0/6", 6) == "train/3/3"
    assert search(run, "zebra").next_sample(View(step=3), STEPS, "train/3/3", 3) == "train/0/6"


def test_a_sample_alone_with_its_match_is_not_its_own_successor(run: Run) -> None:
    view = View(step=3, where="step = 3")
    assert search(run, "zebra").next_sample(view, STEPS, "train/3/3", 3) is None


def test_the_order_of_the_list_is_kept(run: Run) -> None:
    view = View(step=0, sort="-reward")
    assert search(run, "answer is").next_sample(view, STEPS, "train/0/3", 0) == "train/0/7"


def test_discarded_samples_are_found_where_they_are_shown(run: Run) -> None:
    assert search(run, "group 2").next_sample(View(step=0), STEPS, "train/0/0", 0) is None
    assert search(run, "group 2").next_sample(View(step=0, discarded=None), STEPS, "train/0/0", 0) == "train/0/8"


def test_it_tells_which_step_it_is_at(run: Run) -> None:
    told: list[str] = []
    search(run, "nowhere to be found", told=told).next_sample(View(step=2), STEPS, "train/2/0", 0)
    assert told[0] == "step 2"
    assert "step 3, 3 to go" in told
    assert "step 0, 2 to go" in told


def test_a_stopped_search_finds_nothing_and_asks_no_further(run: Run) -> None:
    told: list[str] = []
    cancel = threading.Event()
    cancel.set()
    assert search(run, "zebra", cancel, told).next_sample(View(step=1), STEPS, "train/1/0", 0) is None
    assert len(told) <= 2
