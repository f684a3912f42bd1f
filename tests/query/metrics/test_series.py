"""Series and distributions that follow from the samples."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.errors import NotFoundError
from rollscope.formats.base import MetricRow
from rollscope.query.metrics.series import logged_curves
from rollscope.query.run import Run


def test_curves_follow_from_the_samples(run: Run) -> None:
    (mean,) = run.series(["rollouts/reward/mean"])
    expected = [sum(relax_record(step, i)["reward"] for i in range(12)) / 12 for step in range(3)]
    assert [value for _, value in mean.points] == pytest.approx(expected)
    truncated = {item.name: item for item in run.metrics("rollouts/samples/*")}["rollouts/samples/truncated_pct"]
    counts = [sum(relax_record(step, i)["status"] == "truncated" for i in range(12)) for step in range(3)]
    assert [value for _, value in truncated.points] == pytest.approx([100 * count / 12 for count in counts])
    with pytest.raises(NotFoundError, match="no metric 'rollouts/rewad/mean'") as caught:
        run.series(["rollouts/rewad/mean"])
    assert "rollouts/reward/mean" in caught.value.hint


def test_what_a_trainer_does_not_write_is_no_curve(tmp_path: Path) -> None:
    records = [{name: value for name, value in relax_record(0, i).items() if name != "status"} for i in range(4)]
    write_jsonl(tmp_path / "train" / "0.jsonl", records)
    assert [item.name for item in rollscope.open(tmp_path).metrics("rollouts/samples/*")] == ["rollouts/samples/count"]


def test_a_step_that_no_column_holds_hides_no_other_row() -> None:
    rows = [MetricRow(step=step, time=None, values={"loss": loss}) for step, loss in ((3, 1.0), (2**64, 2.0), (1, 3.0))]
    curve = logged_curves(rows)["loss"]
    assert (curve.steps.tolist(), curve.values.tolist()) == ([1, 3], [3.0, 1.0])


def test_of_a_step_that_was_logged_twice_the_last_values_count() -> None:
    first, again = {"loss": 1.0, "lr": 0.1}, {"loss": 2.0, "kl": math.nan}
    curves = logged_curves([MetricRow(step=4, time=9.0, values=first), MetricRow(step=4, time=None, values=again)])
    assert {name: curve.values.tolist() for name, curve in curves.items() if name != "kl"} == {
        "loss": [2.0],
        "lr": [0.1],
    }
    assert curves["lr"].times.tolist() == [9.0]
    assert math.isnan(curves["loss"].times[0])
