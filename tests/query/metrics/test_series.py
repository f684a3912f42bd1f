"""Series and distributions that follow from the samples."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.errors import NotFoundError
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


def test_a_distribution_counts_every_sample(run: Run) -> None:
    found = run.distribution("reward")
    assert found.steps == [0, 1, 2]
    assert [sum(counts) for counts in found.counts] == pytest.approx([12, 12, 12])
    assert len(found.edges) == len(found.counts[0]) + 1
