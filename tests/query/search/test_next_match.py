"""Find goes on to other samples: which one comes next, how progress is reported, and how it is stopped."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from tests.tui.runs import write_run

from rollscope.query.library import open_run
from rollscope.query.run import Run
from rollscope.query.search.next_match import NextMatch, SampleList
from rollscope.query.search.scan import Pattern

STEPS = list(range(6))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    path = write_run(tmp_path_factory.mktemp("runs") / "arithmetic")
    return open_run(str(path), index_dir=str(tmp_path_factory.mktemp("index")))


def search(run: Run, text: str, cancel: threading.Event | None = None, reports: list[str] | None = None) -> NextMatch:
    return NextMatch(run, Pattern(text), cancel or threading.Event(), (reports if reports is not None else []).append)


def step(number: int, **others: Any) -> SampleList:
    return SampleList("train", number, **others)


def test_the_next_match_of_the_step_comes_first_then_later_steps_then_earlier_ones(run: Run) -> None:
    assert search(run, "zebra").find(step(0), STEPS, "train/0/0", 0) == "train/0/6"
    assert search(run, "zebra").find(step(0), STEPS, "train/0/6", 6) == "train/3/3"
    assert search(run, "zebra").find(step(3), STEPS, "train/3/3", 3) == "train/0/6"


def test_a_sample_alone_with_its_match_is_not_its_own_successor(run: Run) -> None:
    view = step(3, where="step = 3")
    assert search(run, "zebra").find(view, STEPS, "train/3/3", 3) is None


def test_the_order_of_the_list_is_kept(run: Run) -> None:
    view = step(0, sort="-reward")
    assert search(run, "answer is").find(view, STEPS, "train/0/3", 0) == "train/0/7"


def test_discarded_samples_are_found_where_they_are_shown(run: Run) -> None:
    assert search(run, "group 2").find(step(0), STEPS, "train/0/0", 0) is None
    assert search(run, "group 2").find(step(0, discarded=None), STEPS, "train/0/0", 0) == "train/0/8"


def test_it_tells_which_step_it_is_at(run: Run) -> None:
    reports: list[str] = []
    search(run, "nowhere to be found", reports=reports).find(step(2), STEPS, "train/2/0", 0)
    assert reports[0] == "step 2"
    assert "step 3, 3 to go" in reports
    assert "step 0, 2 to go" in reports


def test_a_stopped_search_finds_nothing_and_asks_no_further(run: Run) -> None:
    reports: list[str] = []
    cancel = threading.Event()
    cancel.set()
    assert search(run, "zebra", cancel, reports).find(step(1), STEPS, "train/1/0", 0) is None
    assert len(reports) <= 2
