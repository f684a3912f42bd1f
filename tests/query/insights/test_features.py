"""What a run knows of its features: which there are, how far they are, and their statistics."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.runs import all_records, settle, write_relax

import rollscope
from rollscope.errors import UnreadableError, UsageError
from rollscope.query.insights.features import read_patterns
from rollscope.query.run import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return rollscope.open(settle(write_relax(tmp_path / "run")), index_dir=str(tmp_path / "index"))


def test_the_report_says_how_far_they_are(run: Run) -> None:
    before = run.feature_report()
    assert (before.samples_done, before.samples_total, before.problems) == (0, 24, [])
    assert {feature.name for feature in before.features} == set(run.feature_names())
    told: list[tuple[int, int]] = []
    run.compute_features(lambda done, total: told.append((done, total)))
    assert told[-1] == (24, 24)
    assert run.feature_report().samples_done == 24


def test_rows_have_the_features_that_are_asked_for(run: Run) -> None:
    rows = run.samples(features=["text.words", "text.golden"]).rows
    expected = [record["response"] for record in all_records(3, 8)]
    assert len(rows) == len(expected)
    assert all(row.features["text.words"] > 0 for row in rows)
    assert {row.features["text.golden"] for row in rows} <= {"equal", "contained", "absent"}
    assert run.samples().rows[0].features == {}


def test_stored_features_become_curves(run: Run) -> None:
    assert not [series for series in run.metrics() if "text.words" in series.name]
    run.compute_features()
    names = [series.name for series in run.metrics() if "text.words" in series.name]
    assert names


def test_a_file_of_patterns_is_read_or_said_to_be_unusable(tmp_path: Path) -> None:
    assert read_patterns(None) == ""
    own = tmp_path / "own.toml"
    own.write_text('[hesitates]\npattern = "hm+"\nreason = "It hesitates."\n')
    assert read_patterns(str(own)) == own.read_text()
    with pytest.raises(UnreadableError, match="No such file"):
        read_patterns(str(tmp_path / "unheard.toml"))
    own.write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableError, match="it is not UTF-8"):
        read_patterns(str(own))
    own.write_text('[hesitates]\npattern = "("\n')
    with pytest.raises(UsageError, match="not a valid RE2"):
        read_patterns(str(own))
