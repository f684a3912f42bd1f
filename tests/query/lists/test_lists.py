"""Lists of samples and groups, filtered and sorted."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import DATA, write_jsonl
from tests.runs import all_records, append, relax_record

import rollscope
from rollscope.errors import FilterError, UsageError
from rollscope.query.library import Library
from rollscope.query.lists.several_runs import samples_of_runs
from rollscope.query.run import Run


def test_samples_are_sorted_filtered_and_cut(run: Run) -> None:
    page = run.samples(where='reward > 0.5 and status = "completed"', sort="-reward", limit=4, offset=1)
    wanted = [r for r in all_records() if r["reward"] > 0.5 and r["status"] == "completed"]
    wanted.sort(key=lambda record: -record["reward"])
    assert page.total == len(wanted)
    assert [row.reward for row in page.rows] == [record["reward"] for record in wanted[1:5]]


def test_rows_of_a_step_carry_addresses_and_groups(run: Run) -> None:
    rows = run.samples(split="train", step=2).rows
    assert [row.address for row in rows] == [f"train/2/{index}" for index in range(12)]
    assert [row.group for row in rows] == [index // 4 for index in range(12)]


def test_a_step_of_all_splits_is_listed_in_the_order_of_the_run() -> None:
    """Whatever order its files are read in: prime-rl's evaluations come before its training."""
    for run in Library([str(DATA)]).runs():
        rows = run.samples(discarded=None).rows
        for step in {row.step for row in rows}:
            found = [row.address for row in run.samples(step=step, discarded=None).rows]
            assert found == [row.address for row in rows if row.step == step], (run.id, step)


def test_sort_by_response_length_and_by_an_unknown_key(run: Run) -> None:
    lengths = [row.completion_tokens for row in run.samples(step=0, sort="response_length").rows]
    assert lengths == sorted(relax_record(0, index)["response_length"] for index in range(12))
    with pytest.raises(UsageError, match="cannot sort by 'rewrad'") as caught:
        run.samples(sort="rewrad")
    assert "reward" in caught.value.hint


def test_filters_reach_into_the_text(run: Run) -> None:
    assert run.samples(where='response contains "The answer is 3."').total == sum(
        "The answer is 3." in record["response"] for record in all_records()
    )
    assert run.samples(where='not response contains "答"').total == 36
    assert run.samples(where="prompt matches /what is [01] /i and step = 1").total == 8


def test_a_bad_filter_says_where_and_what_was_meant(run: Run) -> None:
    with pytest.raises(FilterError) as caught:
        run.samples(where="rewrd > 0.5")
    assert "did you mean reward" in caught.value.hint


def test_a_field_that_only_other_steps_have_is_missing_here(path: Path) -> None:
    append(path / "train" / "2.jsonl", relax_record(2, 12, acc=1.0))
    run = rollscope.open(path)
    run.refresh()
    assert run.samples(step=0, where="metrics.acc is missing").total == 12
    assert run.samples(where="metrics.acc = 1").total == 1


def test_groups_hold_their_samples_values(run: Run) -> None:
    page = run.groups(step=1, columns=["reward", "metrics.none"])
    assert (page.total_groups, page.total_samples) == (3, 12)
    assert page.rows[1].samples == [4, 5, 6, 7]
    assert page.rows[1].values["reward"] == [relax_record(1, index)["reward"] for index in range(4, 8)]
    assert page.rows[1].values["metrics.none"] == [None] * 4
    assert page.rows[1].prompt_start == "What is 1 + 1?"


def test_groups_sort_by_spread(run: Run) -> None:
    spreads = [row.reward_spread for row in run.groups(step=0, sort="-spread").rows]
    assert spreads == sorted(spreads, key=lambda value: -(value or 0))


def test_groups_sort_as_numbers_both_ways(run: Run) -> None:
    groups = [row.group for row in run.samples(step=0, sort="-group").rows]
    assert groups == sorted(groups, key=lambda group: -int(group or 0))


def test_discarded_samples_are_apart(tmp_path: Path) -> None:
    records = [
        {
            "prompt": "p",
            "response": "r",
            "reward": index / 10,
            "discard_reason": "zero_advantage" if index % 2 else None,
        }
        for index in range(6)
    ]
    write_jsonl(tmp_path / "any" / "3.jsonl", records)
    run = rollscope.open(tmp_path / "any")
    assert [row.index for row in run.samples().rows] == [0, 2, 4]
    assert [row.index for row in run.samples(discarded=True).rows] == [1, 3, 5]
    assert run.samples(discarded=None).total == 6
    row = run.steps("train").steps[0]
    assert (row.samples, row.discarded, row.discard_reasons) == (3, 3, {"zero_advantage": 3})
    assert row.reward.mean == pytest.approx(0.2)
    (percent,) = run.series(["discarded/zero_advantage/pct"])
    assert percent.points == [(3.0, 50.0)]


def test_a_field_that_is_never_a_finite_number_of_a_kept_sample_is_one_in_every_step(tmp_path: Path) -> None:
    odd: list[dict[str, Any]] = [{"kl": math.nan}, {"kl": math.inf}, {"lost": 4, "discard_reason": "stale"}]
    for step in range(3):
        records = [relax_record(step, number) | (odd[number] if step == 1 else {}) for number in range(3)]
        # Segments of their own, as large files have.
        write_jsonl(tmp_path / "run" / "train" / f"{step}.jsonl", records)
        rollscope.open(tmp_path / "run")
    run = rollscope.open(tmp_path / "run")
    assert "metrics.kl" not in run.fields()

    def matching(where: str, **asked: Any) -> list[str]:
        return [row.address for row in run.samples(where=where, discarded=None, **asked).rows]

    for asked in ({"step": 1}, {"steps": "1:2"}, {}):
        assert matching("metrics.kl is nan", **asked) == ["train/1/0"]
        assert matching("metrics.kl > 1", **asked) == ["train/1/1"]
        assert matching("metrics.lost = 4", **asked) == ["train/1/2"]
        assert matching("metrics.kl is not missing", sort="-metrics.kl", **asked) == ["train/1/1", "train/1/0"]
    assert matching("metrics.kl is nan", step=0) == matching("metrics.lost = 4", step=2) == []
    assert matching("metrics.kl is missing", step=0, sort="metrics.lost") == ["train/0/0", "train/0/1", "train/0/2"]
    with pytest.raises(FilterError, match=r"metrics\.lose"):
        matching("metrics.lose = 4", step=0)


def test_several_runs_have_the_odd_fields_of_each(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a" / "train" / "0.jsonl", [relax_record(0, 0)])
    write_jsonl(tmp_path / "b" / "train" / "0.jsonl", [relax_record(0, 0) | {"kl": math.nan}])
    runs = Library([str(tmp_path)]).runs()
    for run in runs:
        run.refresh()
    for step in (None, 0):
        total, rows = samples_of_runs(runs, where="metrics.kl is nan", sort="-metrics.kl", step=step)
        assert (total, [row.run for row in rows]) == (1, ["b"])
