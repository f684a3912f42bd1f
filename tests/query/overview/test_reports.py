"""Reports of a run are read only if they are the run's, and what is half written is said to be so."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import fixture_path

import rollscope
from rollscope import record
from rollscope.errors import NotFoundError, UnreadableError
from rollscope.query.run import Run

REPORT = "train_iteration_000000_logtree.json"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    recorded = record.start(tmp_path / "run")
    with recorded.iteration(0) as iteration, iteration.group(prompt="2 + 2?") as group:
        group.add(response="four \ud83d", reward=1.0)
    recorded.close()
    return rollscope.open(tmp_path / "run")


def test_a_report_is_the_document_that_was_recorded(run: Run) -> None:
    assert run.details().reports == [REPORT]
    found = run.report(REPORT)
    assert "Training iteration 0" in str(found["title"])
    assert "2 + 2?" in str(found)


def test_whether_texts_are_escaped_is_the_formats_to_say(run: Run) -> None:
    assert not run.details().escaped_reports
    assert rollscope.open(fixture_path("tinker_flat")).details().escaped_reports


def test_other_files_are_no_reports(run: Run) -> None:
    for path in ("config.json", f"../run/{REPORT}", f"./{REPORT}", "/etc/passwd", ""):
        with pytest.raises(NotFoundError, match="has no report"):
            run.report(path)


def test_a_report_that_is_half_there_is_told(run: Run) -> None:
    file = Path(run.path) / REPORT
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(UnreadableError, match=REPORT) as error:
        run.report(REPORT)
    assert error.value.hint == "it may still be being written"
