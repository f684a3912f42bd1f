"""What goes wrong while recording is counted, and told once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from rollscope import record
from rollscope.record.output.problems import WARNING_INTERVAL, Problems, RecordError


def test_a_warning_of_one_kind_is_given_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with record.start(tmp_path) as run:
        for step in range(20):
            run.log_metrics({"x": object()}, step=step)
    assert run.errors == 20
    assert len(caplog.records) == 1


def test_a_later_warning_says_how_many_were_not_given(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    problems = Problems()
    for _ in range(4):
        problems.report("value", "It is no number.", hint="Give one.")
    problems.defer("write 28", "The disk is full.")
    now[0] = WARNING_INTERVAL
    problems.report("value", "It is no number.")
    assert [entry.getMessage() for entry in caplog.records] == [
        "It is no number. Give one.",
        "The disk is full.",
        "It is no number. (3 more of this kind since the last warning)",
    ]
    assert (problems.count, problems.last) == (6, "It is no number.")


def test_a_strict_run_raises_what_the_writer_met_at_the_next_call(caplog: pytest.LogCaptureFixture) -> None:
    problems = Problems(strict=True)
    problems.raise_deferred()
    problems.defer("write 28", "The disk is full.")
    problems.defer("write 13", "Nobody may write here.")
    with pytest.raises(RecordError, match="The disk is full"):
        problems.raise_deferred()
    problems.raise_deferred()
    with pytest.raises(RecordError, match="no number"):
        problems.report("value", "It is no number.")
    assert problems.count == 3
    assert not caplog.records
