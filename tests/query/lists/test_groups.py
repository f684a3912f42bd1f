"""A step as groups: what belongs to the group stays the group's, whatever a filter leaves of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.query.lists.groups import group_rows
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


@pytest.mark.parametrize("rewards", [[0.5], [0.5, None, None], [1e30, float("nan"), float("inf")]])
def test_one_known_reward_has_no_spread(tmp_path: Path, rewards: list[float | None]) -> None:
    records = [relax_record(0, place, reward=reward, group_index=0) for place, reward in enumerate(rewards)]
    write_jsonl(tmp_path / "train" / "0.jsonl", records)
    (row,) = rollscope.open(tmp_path).groups(step=0).rows
    assert (row.reward_mean, row.reward_spread) == (rewards[0], None)


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


@pytest.mark.parametrize("seed", range(20))
def test_groups_and_their_pages_are_those_of_a_plain_reading(seed: int) -> None:
    chance = np.random.default_rng(seed)
    count = int(chance.integers(1, 60))
    names = [str(number) if number < 5 else None for number in chance.integers(0, 6, count)]
    steps = np.sort(chance.integers(0, 3, count))
    table = pa.table({"group": names, "step": steps, "reward": chance.random(count)})
    rows = chance.permutation(count)[: int(chance.integers(0, count + 1))]
    grouped = group_rows(table, rows, None, np.arange(count))
    plain: dict[tuple[int, str | None], list[int]] = {}
    for row in rows.tolist():
        plain.setdefault((int(steps[row]), names[row]), []).append(row)
    wanted = list(plain.values())
    assert [group.tolist() for group in grouped.groups] == wanted
    for offset, limit in ((0, None), (1, 2), (2, 0), (99, 3)):
        page = grouped.page(offset, limit)
        assert [group.tolist() for group in page.groups] == wanted[offset : None if limit is None else offset + limit]
        assert len(page.means) == len(page.groups)


def test_dots_are_the_lists_numbers_to_the_last_digit(tmp_path: Path) -> None:
    given = [2**60 + 1, None, 2**53 + 1, -(2**63)]
    records = [relax_record(0, place, group_index=0, response_length=tokens) for place, tokens in enumerate(given)]
    write_jsonl(tmp_path / "train" / "0.jsonl", records)
    run = rollscope.open(tmp_path)
    (row,) = run.groups(step=0, columns=["completion_tokens", "reward"]).rows
    assert row.values["completion_tokens"] == [row.completion_tokens for row in run.samples(step=0)] == given
