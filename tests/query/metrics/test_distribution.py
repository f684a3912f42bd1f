"""How a field is spread in each step: a cell has the samples that its filter lists."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.query.metrics import distribution
from rollscope.query.run import Run

REWARDS = {
    0: [0, 0.5, 0.5, 0.25],
    1: [0.5, 1e-12, 0.5, 0.5],
    7: [1, 0.5, 0.31, float("nan")],
    9: [0.75, 0.75, 0.75, 0.75],
}


@pytest.fixture
def odd_run(tmp_path: Path) -> Run:
    for step, rewards in REWARDS.items():
        records = [{**relax_record(step, place), "reward": reward} for place, reward in enumerate(rewards)]
        write_jsonl(tmp_path / "run" / "train" / f"{step}.jsonl", records)
    return rollscope.open(tmp_path / "run", index_dir=str(tmp_path / "index"))


def test_a_cell_has_the_samples_that_its_filter_lists(odd_run: Run) -> None:
    """The half that is a step's greatest value was counted below it, where no filter finds it."""
    found = odd_run.distribution("reward")
    assert (found.exact, found.steps) == (True, [0, 1, 7, 9])
    for step, counts in zip(found.steps, found.counts):
        for place, (low, high) in enumerate(zip(found.edges, found.edges[1:])):
            sign = "<=" if place == len(counts) - 1 else "<"
            listed = odd_run.samples(step=step, where=f"reward >= {low!r} and reward {sign} {high!r}").total
            assert counts[place] == listed, (step, low, high)


def test_a_distribution_counts_every_sample(run: Run) -> None:
    found = run.distribution("reward")
    assert found.steps == [0, 1, 2]
    assert [sum(counts) for counts in found.counts] == [12, 12, 12]
    assert len(found.edges) == len(found.counts[0]) + 1


def test_of_a_large_run_it_is_about_right_and_says_so(odd_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distribution, "LARGE_ROWS", 3)
    found = odd_run.distribution("reward")
    assert (found.exact, found.steps) == (False, [0, 1, 7, 9])
    assert [sum(counts) for counts in found.counts] == pytest.approx([4, 4, 3, 4])


@pytest.mark.parametrize("value", [0.5, 1.0, 0.0, -3.0, 4e-5, 1e30])
def test_what_never_changes_is_in_the_middle(tmp_path: Path, value: float) -> None:
    records = [{**relax_record(0, place), "reward": value} for place in range(4)]
    write_jsonl(tmp_path / "run" / "train" / "0.jsonl", records)
    found = rollscope.open(tmp_path / "run", index_dir=str(tmp_path / "index")).distribution("reward")
    assert (found.edges[0] + found.edges[-1]) / 2 == pytest.approx(value)
    (counts,) = found.counts
    assert counts.index(4) == len(counts) // 2
