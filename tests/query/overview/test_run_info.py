"""A run is live while its next step is not long overdue and its files do not say that it ended."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from tests.formats.data_tinker import answered, write_iteration
from tests.runs import write_relax

import rollscope
from rollscope import record
from rollscope.query.library import Library


def written(path: Path, *seconds_ago: float) -> Path:
    """A run of as many steps, each file written so long ago."""
    write_relax(path, steps=len(seconds_ago), samples=4)
    for step, ago in enumerate(seconds_ago):
        os.utime(path / "train" / f"{step}.jsonl", (time.time() - ago,) * 2)
    return path


@pytest.mark.parametrize(
    ("seconds_ago", "state"),
    [
        ((5000, 4000, 3000, 2000), "live"),
        ((9000, 8000, 7000, 3500), "finished"),
        ((45, 43, 41), "finished"),
        ((60,), "live"),
        ((200,), "finished"),
    ],
    ids=["slow steps", "overdue", "fast steps", "one step", "one old step"],
)
def test_patience_is_as_long_as_steps_take(tmp_path: Path, seconds_ago: tuple[float, ...], state: str) -> None:
    assert rollscope.open(written(tmp_path / "run", *seconds_ago)).info().state == state


def test_a_live_run_is_live_before_anybody_has_read_it(tmp_path: Path) -> None:
    run = Library([written(tmp_path / "run", 20, 10, 0)]).runs()[0]
    assert run.info(wait=False).state == "live"


def test_a_run_whose_files_say_that_it_ended_is_finished_at_once(tmp_path: Path) -> None:
    write_iteration(tmp_path, [answered(0, 0, 1.0)])
    assert rollscope.open(tmp_path).info().state == "live"
    (tmp_path / "checkpoints.jsonl").write_text(json.dumps({"name": "final", "batch": 1, "state_path": "x"}) + "\n")
    assert rollscope.open(tmp_path).info().state == "finished"


def test_a_recorded_run_is_live_until_its_recorder_is_closed(tmp_path: Path) -> None:
    for _attempt in range(2):  # what goes on after its end is live again
        with record.start(tmp_path) as recorder:
            with recorder.iteration(0) as iteration, iteration.group(prompt="1 + 1?") as group:
                group.add(response="2", reward=1.0)
            recorder.flush()
            assert rollscope.open(tmp_path).info().state == "live"
        assert rollscope.open(tmp_path).info().state == "finished"
