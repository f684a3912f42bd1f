"""A step as groups: what belongs to the group stays the group's, whatever a filter leaves of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.query.run import Run

REWARDS = {0: [0.0, 1.0, 1.0, 1.0], 1: [0.1, 0.1, 0.1, 0.1], 2: [0.2, 0.4, 0.9, 0.7]}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    records = [
        relax_record(0, group * 4 + place, reward=reward)
        for group, rewards in REWARDS.items()
        for place, reward in enumerate(rewards)
    ]
    write_jsonl(tmp_path / "train" / "0.jsonl", records)
    return rollscope.open(tmp_path)


def test_mean_and_spread_are_those_of_the_whole_group(run: Run) -> None:
    rows = run.groups(step=0).rows
    assert [row.reward_mean for row in rows] == pytest.approx([np.mean(rewards) for rewards in REWARDS.values()])
    assert [row.reward_spread for row in rows] == pytest.approx([np.std(rewards) for rewards in REWARDS.values()])


def test_equal_rewards_have_no_spread_to_the_last_bit(run: Run) -> None:
    assert run.groups(step=0).rows[1].reward_spread == 0.0


def test_a_filter_leaves_the_groups_spread_alone(run: Run) -> None:
    rows = run.groups(step=0, where="reward = 1").rows
    assert [len(row.samples) for row in rows] == [3]
    assert rows[0].reward_spread == pytest.approx(np.std(REWARDS[0]))
    assert rows[0].reward_mean == pytest.approx(0.75)


def test_groups_sort_by_their_own_spread_under_a_filter_too(run: Run) -> None:
    rows = run.groups(step=0, where="reward > 0.05", sort="-spread").rows
    assert [row.samples[0] // 4 for row in rows] == [0, 2, 1]


def test_pages_of_groups_carry_their_own_numbers(run: Run) -> None:
    page = run.groups(step=0, offset=2, limit=1)
    assert page.total_groups == 3
    assert [row.reward_spread for row in page.rows] == pytest.approx([np.std(REWARDS[2])])


def test_groups_without_rewards_have_none(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train" / "0.jsonl", [relax_record(0, index, reward=None) for index in range(4)])
    (row,) = rollscope.open(tmp_path).groups(step=0).rows
    assert (row.reward_mean, row.reward_spread) == (None, None)
