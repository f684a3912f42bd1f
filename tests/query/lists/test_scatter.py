"""Points of a scatter are the list's samples that have both numbers, as the list itself says them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.errors import UsageError
from rollscope.query.run import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    for step in range(4):
        records = [relax_record(step, n, reward=n / 8) for n in range(8)]
        records[3]["reward"] = None
        records[4]["reward"] = math.nan
        write_jsonl(tmp_path / "train" / f"{step}.jsonl", records)
    run = rollscope.open(tmp_path)
    run.refresh()
    return run


def test_points_are_the_samples_of_the_list_with_both_numbers(run: Run) -> None:
    asked: dict[str, Any] = {"split": "train", "steps": "1:3", "where": "reward > 0.2 or reward is missing"}
    points = run.scatter("response_bytes", "reward", **asked)
    rows = run.samples(**asked).rows
    having = [row for row in rows if row.reward is not None and math.isfinite(row.reward)]
    expected = run.table(**asked).to_pylist()
    lengths = {(row["step"], row["index"]): row["response_bytes"] for row in expected}
    assert list(zip(points.steps, points.indexes, points.ys)) == [(row.step, row.index, row.reward) for row in having]
    assert points.xs == [lengths[row.step, row.index] for row in having]
    assert [points.envs[code] for code in points.env_codes] == [row.env for row in having]
    assert (points.total, points.placed, points.without_x) == (len(rows), len(having), 0)
    assert points.without_y == len(rows) - len(having) > 0


def test_the_length_is_taken_where_no_field_is_named(run: Run) -> None:
    assert run.scatter().x in {"completion_tokens", "response_bytes"}


def test_of_too_many_points_some_of_every_step_are_given(run: Run) -> None:
    points = run.scatter("step", "reward", limit=8)
    assert len(points.xs) == len(points.ys) == 8 < points.placed
    assert set(points.steps) == {0, 1, 2, 3}


@pytest.mark.parametrize("field", ["rewrd", "status", "offset"])
def test_a_field_that_is_no_number_is_refused_with_a_hint(run: Run, field: str) -> None:
    with pytest.raises(UsageError, match=field) as told:
        run.scatter(field)
    assert told.value.hint


def test_integers_that_no_float_holds_are_exact(tmp_path: Path) -> None:
    large = 2**53 + 1
    records = [{**relax_record(0, n, reward=n / 8), "response_length": large + 2 * n} for n in range(4)]
    write_jsonl(tmp_path / "train" / "0.jsonl", records)
    points = rollscope.open(tmp_path).scatter("completion_tokens")
    assert points.xs == [large, large + 2, large + 4, large + 6]
