"""What a run amounts to: totals from the manifest's parts are those of the rows, however many parts there are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

from rollscope.formats.relax import RelaxFormat
from rollscope.index.index import Index
from rollscope.index.manifest import parts
from rollscope.storage.open_store import open_store

STEPS = {"train": (0, 1, 2, 5, 10), "eval/beta": (0, 10), "eval/alpha": (5,)}


@pytest.fixture(params=[1, 2, 100], ids="parts of {} steps".format)
def index(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    monkeypatch.setattr(parts, "PART_SIZE", request.param)
    for step in STEPS["train"]:
        write_jsonl(tmp_path / "train" / f"{step}.jsonl", [relax_record(step, number) for number in range(step + 1)])
    for step in (0, 5, 10):
        names = [name for name in ("beta", "alpha") if step in STEPS[f"eval/{name}"]]
        records = [relax_record(step, number, dataset=name) for name in names for number in range(step + 2)]
        write_jsonl(tmp_path / "eval" / f"{step}.jsonl", records)
    index = Index(open_store(tmp_path), RelaxFormat())
    index.refresh()
    return index


def test_totals_are_those_of_the_rows(index: Index) -> None:
    totals = index.snapshot
    rows = totals.all_rows
    counted = Counter(rows["split"].to_pylist())
    assert totals.sample_count == rows.num_rows == sum(counted.values())
    assert {split: one.samples for split, one in totals.split_totals.items()} == counted
    assert totals.splits == {split: list(STEPS[split]) for split in totals.splits}
    assert {split: (one.first, one.last, one.steps) for split, one in totals.split_totals.items()} == {
        split: (steps[0], steps[-1], len(steps)) for split, steps in STEPS.items()
    }


def test_train_comes_first_and_eval_sets_by_name(index: Index) -> None:
    splits = ["train", "eval/alpha", "eval/beta"]
    assert list(index.snapshot.splits) == list(index.snapshot.split_totals) == splits
    assert index.snapshot.step_numbers.tolist() == [step for split in splits for step in STEPS[split]]
    assert [(one.split, one.step) for one in index.snapshot.steps] == [
        (split, step) for split in splits for step in STEPS[split]
    ]


def test_the_steps_of_a_split_are_a_range_among_all_steps(index: Index) -> None:
    numbers = index.snapshot.step_numbers
    for split, steps in STEPS.items():
        places = index.snapshot.places_of(split)
        assert tuple(numbers[places.start : places.stop].tolist()) == steps
    assert len(index.snapshot.places_of("eval/none")) == 0


def test_statistics_name_their_steps_by_position_among_all(index: Index) -> None:
    reward = index.snapshot.fields["reward"]
    rows = index.snapshot.all_rows
    means = {}
    for step in index.snapshot.steps:
        values = [
            row["reward"]
            for row in rows.select(["split", "step", "reward"]).to_pylist()
            if (row["split"], row["step"]) == (step.split, step.step)
        ]
        means[step.split, step.step] = sum(values) / len(values)
    found = {}
    for place, mean in zip(reward.step.tolist(), reward.mean.tolist()):
        step = index.snapshot.steps[place]
        found[step.split, step.step] = mean
    assert found == pytest.approx(means)


def test_steps_of_files_that_were_only_listed_are_known_but_have_no_totals(index: Index, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train" / "3.jsonl", [relax_record(3, 0)])
    index.list_files()
    assert index.snapshot.promised == [("train", 3)]
    assert index.snapshot.known_steps == {"train": [0, 1, 2, 3, 5, 10], "eval/alpha": [5], "eval/beta": [0, 10]}
    assert index.snapshot.splits["train"] == list(STEPS["train"])
    index.refresh()
    assert index.snapshot.promised == []
    assert index.snapshot.splits["train"] == [0, 1, 2, 3, 5, 10]
