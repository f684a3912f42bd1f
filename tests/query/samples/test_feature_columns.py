"""Features in filters, orders, lists, SQL, exports and charts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record, settle

import rollscope
from rollscope.errors import FilterError, UsageError
from rollscope.query.library import Library
from rollscope.query.lists.several_runs import samples_of_runs
from rollscope.query.run import Run

LOOP = "and again " * 60


@pytest.fixture
def run(tmp_path: Path) -> Run:
    rows = [relax_record(0, index) for index in range(6)]
    rows[2]["response"] = "Hm. " + LOOP
    rows[5]["response"] = "No: " + LOOP * 2
    write_jsonl(tmp_path / "run" / "train" / "0.jsonl", rows)
    return rollscope.open(settle(tmp_path / "run"))


def test_a_filter_by_a_feature_finds_its_samples(run: Run) -> None:
    assert [row.index for row in run.samples(where="text.loop > 0")] == [2, 5]
    assert [row.index for row in run.samples(where='text.loop > 0 and response contains "No:"')] == [5]
    assert [row.index for row in run.samples(where="not (text.loop > 0) and index < 2")] == [0, 1]
    assert run.samples(where='text.script = "Latin"').total == 6
    assert run.samples(where="text.repetition is missing or text.loop > 0").total >= 2


def test_an_order_by_a_feature(run: Run) -> None:
    rows = run.samples(sort="-text.loop", limit=2).rows
    assert [row.index for row in rows] == [5, 2]
    assert rows[0].features["text.loop"] > rows[1].features["text.loop"]


def test_unknown_features_are_named_with_the_nearest(run: Run) -> None:
    with pytest.raises(FilterError) as wrong:
        run.samples(where="text.lop > 0")
    assert "text.loop" in (wrong.value.hint or "")
    with pytest.raises(UsageError):
        run.samples(features=["text.nothing"])


def test_sql_reads_features_as_filters_do(run: Run) -> None:
    assert run.sql("SELECT count(*) FROM samples WHERE text.loop > 0").rows == [[2]]
    assert "text" not in run.sql("SELECT * FROM samples").columns


def test_tables_and_exports_have_features_when_asked(run: Run, tmp_path: Path) -> None:
    assert run.table(features=["text.loop"])["text.loop"].to_pylist()[2] > 0
    run.export(str(tmp_path / "out.jsonl"), features=True)
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["index"] for row in rows if row["text.loop"]] == [2, 5]
    run.export(str(tmp_path / "out.csv"), features=True, where="text.loop > 0")
    assert "text.loop" in (tmp_path / "out.csv").read_text().splitlines()[0]


def test_charts_and_dots_show_what_is_stored(run: Run) -> None:
    assert not [item for item in run.catalog() if item.field == "text.loop"]
    run.compute_features()
    (mean,) = run.series(["rollouts/text.loop/mean"])
    found = [row.features["text.loop"] for row in run.samples(features=["text.loop"])]
    assert [value for _, value in mean.points] == pytest.approx([sum(found) / 6])
    assert sum(run.distribution("text.words").counts[0]) == pytest.approx(6)
    (group,) = [row for row in run.groups(step=0, columns=("text.loop",)).rows if 2 in row.samples]
    assert max(value or 0 for value in group.values["text.loop"]) > 0


def test_samples_of_several_runs_are_sorted_by_a_feature_together(run: Run, tmp_path: Path) -> None:
    rows = [relax_record(0, 0, response="x " * 300)]
    write_jsonl(tmp_path / "other" / "train" / "0.jsonl", rows)
    library = Library([tmp_path / "run", tmp_path / "other"])
    _, found = samples_of_runs(library.runs(), sort="-text.words", limit=2)
    assert found[0].run == "other"
