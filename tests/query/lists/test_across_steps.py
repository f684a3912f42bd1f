"""Lists over many steps say what the lists of the single steps say, put together by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.errors import UsageError
from rollscope.query.answers import SampleRow
from rollscope.query.run import Run

STEPS = (0, 3, 4, 9)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    for step in STEPS:
        # The same rewards in another order each step; groups of four, with the same names in every step.
        records = [relax_record(step, n, reward=(n * 7 + step) % 8 / 8) for n in range(12)]
        write_jsonl(tmp_path / "train" / f"{step}.jsonl", records)
    run = rollscope.open(tmp_path)
    run.refresh()
    return run


def by_hand(run: Run, steps: tuple[int, ...] = STEPS, **asked: Any) -> list[SampleRow]:
    return [row for step in steps for row in run.samples(split="train", step=step, **asked).rows]


def addresses(rows: list[SampleRow]) -> list[str]:
    return [row.address for row in rows]


def test_samples_of_a_range_are_those_of_its_steps_in_order(run: Run) -> None:
    found = run.samples(split="train", steps="3:9", where="reward < 0.5", sort="index").rows
    assert addresses(found) == addresses(by_hand(run, (3, 4), where="reward < 0.5"))
    assert (
        addresses(run.samples(split="train", steps="3:9", sort="-index").rows) == addresses(by_hand(run, (3, 4)))[::-1]
    )


def test_a_sort_over_all_steps_keeps_the_runs_order_among_equals(run: Run) -> None:
    found = run.samples(split="train", sort="-reward").rows
    assert addresses(found) == addresses(sorted(by_hand(run), key=lambda row: -(row.reward or 0)))


def test_groups_of_the_same_name_stay_apart_step_by_step(run: Run) -> None:
    page = run.groups(steps=":", columns=["reward"])
    single = [(step, row) for step in STEPS for row in run.groups(step=step, columns=["reward"]).rows]
    assert [(row.step, row.group, row.samples, row.values, row.reward_spread) for row in page.rows] == [
        (step, row.group, row.samples, row.values, row.reward_spread) for step, row in single
    ]
    assert (page.total_groups, page.total_samples, page.step) == (12, 48, None)
    assert [row.step for row in run.groups(steps="4:", limit=1).rows] == [4]


def test_the_curve_counts_what_matches_in_each_step(run: Run) -> None:
    counts = run.step_counts(where="reward > 0.6")
    matching = [run.samples(split="train", step=step, where="reward > 0.6").total for step in STEPS]
    assert (counts.steps, counts.samples, counts.matching) == (list(STEPS), [12] * 4, matching)
    assert (counts.total, counts.total_matching) == (48, sum(matching))
    assert run.step_counts(where="reward > 5").matching == [0] * 4


@pytest.mark.parametrize("asked", [{"sort": "index"}, {"sort": "-reward"}, {"sort": "step", "where": "reward >= 0.5"}])
def test_walking_from_neighbour_to_neighbour_reads_the_whole_list(run: Run, asked: dict[str, Any]) -> None:
    wanted = addresses(run.samples(split="train", **asked).rows)
    walked: list[str] = []
    here: str | None = wanted[0]
    while here is not None:
        around = run.neighbours(here, steps=":", **asked)
        assert (around.position, around.total) == (len(walked), len(wanted))
        assert around.previous == (walked[-1] if walked else None)
        walked.append(here)
        here = around.next
    assert walked == wanted


def test_in_a_list_of_groups_one_walks_group_by_group(run: Run) -> None:
    asked: dict[str, Any] = {"sort": "-spread", "where": "reward > 0.1"}
    groups = run.groups(steps=":", **asked).rows
    wanted = [[f"train/{row.step}/{sample}" for sample in row.samples] for row in groups]
    here: str | None = wanted[0][0]
    for place, group in enumerate(wanted):
        for nth, address in enumerate(group):
            assert here == address
            around = run.neighbours(address, steps=":", listed="groups", **asked)
            assert (around.group_place, around.place_in_group, around.group_samples) == (place, nth, len(group))
            assert around.next_group == (wanted[place + 1][0] if place + 1 < len(wanted) else None)
            assert around.previous_group == (wanted[place - 1][0] if place else None)
            here = around.next


def test_a_sample_that_the_filter_leaves_out_lies_before_the_first(run: Run) -> None:
    around = run.neighbours("train/3/1", steps=":", where="step = 4")
    assert (around.position, around.next, around.previous) == (None, "train/4/0", None)
    assert (around.previous_step, around.next_step) == (None, "train/4/0")


@pytest.mark.parametrize("steps", ["9", "5:5", "a:b", "7:2"])
def test_what_is_no_range_is_said(run: Run, steps: str) -> None:
    with pytest.raises(UsageError, match="not a range of steps"):
        run.samples(steps=steps)


def test_a_range_without_steps_is_empty(run: Run) -> None:
    assert run.samples(split="train", steps="5:8").total == 0
    assert run.groups(steps="5:8").rows == []
    assert run.neighbours("train/3/1", steps="5:8", listed="groups").total == 0


def test_new_steps_join_the_list(run: Run, tmp_path: Path) -> None:
    before = run.samples(split="train", sort="-step").total
    write_jsonl(tmp_path / "train" / "12.jsonl", [relax_record(12, n) for n in range(4)])
    run.refresh()
    assert run.samples(split="train", sort="-step").total == before + 4
    assert run.samples(split="train", sort="-step").rows[0].step == 12
