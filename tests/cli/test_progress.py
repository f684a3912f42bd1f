"""The progress line and the way numbers are written."""

from __future__ import annotations

import io
from itertools import count
from pathlib import Path

import pytest
from tests.runs import write_relax

from rollscope.cli.progress import CLEAR_LINE, ProgressLine, looking_for_runs
from rollscope.query.answers import Progress
from rollscope.settings import open_library, resolve


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


HALF = Progress(done=False, bytes_done=512_000_000, bytes_total=1_024_000_000, samples=12_400, seconds_left=8.2)


def drawn(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *seconds: float) -> str:
    """What is written when progress is told of at these seconds after the start."""
    clock = iter([0.0, *seconds])
    monkeypatch.setattr("rollscope.cli.progress.time.monotonic", lambda: next(clock))
    monkeypatch.setenv("COLUMNS", "120")
    with ProgressLine("indexing my-run", stream) as progress:
        for _ in seconds:
            progress.indexed(HALF, 2)
    return stream.getvalue()


def test_a_terminal_sees_bytes_samples_and_seconds_left_and_then_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    written = drawn(Terminal(), monkeypatch, 0.5)
    line = "indexing my-run  50%  512 MB of 1.0 GB  12,400 samples  62 MB/s  2 workers  8 s left"
    assert written == CLEAR_LINE + line + CLEAR_LINE


def test_a_pipe_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(io.StringIO(), monkeypatch, 0.5, 1.0, 5.0) == ""


def test_short_work_shows_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(Terminal(), monkeypatch, 0.0, 0.1, 0.2) == ""


def test_the_line_is_drawn_ten_times_a_second_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(Terminal(), monkeypatch, 0.5, 0.51, 0.55, 0.61).count("samples") == 2


def test_a_narrow_terminal_gets_a_line_that_does_not_wrap(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    clock = iter([0.0, 1.0])
    monkeypatch.setattr("rollscope.cli.progress.time.monotonic", lambda: next(clock))
    monkeypatch.setenv("COLUMNS", "30")
    with ProgressLine("indexing my-run", stream) as progress:
        progress.indexed(HALF, 2)
    assert len(stream.getvalue().split(CLEAR_LINE)[1]) == 29


def test_looking_for_runs_says_how_many_folders_were_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for number in range(3):
        write_relax(tmp_path / "runs" / f"run-{number}", steps=1)
    terminal, seconds = Terminal(), count()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("rollscope.cli.progress.time.monotonic", lambda: float(next(seconds)))
    with looking_for_runs() as tell:
        open_library([str(tmp_path)], resolve({}), tell=tell)
    lines = terminal.getvalue().split(CLEAR_LINE)
    assert lines[1] == "looking for runs  1 folder looked at"
    assert lines[-2] == "looking for runs  5 folders looked at"
    assert lines[-1] == ""
