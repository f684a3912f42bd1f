"""Groups of a large table, made in parts: those that `group_rows` makes of the whole, page by page and in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from rollscope.arrays import Rows
from rollscope.index.rows import run_order
from rollscope.index.segments import spill
from rollscope.query.lists import large_groups
from rollscope.query.lists.groups import group_rows
from rollscope.query.lists.large_groups import page_of_groups
from rollscope.query.lists.sample_selection import SampleSelection
from rollscope.query.samples.select import select


def some_rows(chance: np.random.Generator) -> pa.Table:
    count = int(chance.integers(1, 80))
    names = [str(number) if number < 5 else None for number in chance.integers(0, 6, count)]
    rewards = [None if value > 0.9 else round(value, 1) for value in chance.random(count).tolist()]
    return pa.table(
        {
            "split": ["train"] * count,
            "step": np.sort(chance.integers(0, 6, count)),
            "index": np.arange(count),
            "group": names,
            "reward": pa.array(rewards, pa.float64()),
            "discard_reason": pa.nulls(count, pa.string()),
        }
    )


@pytest.mark.parametrize("sort", [None, "index", "-index", "spread", "-spread", "reward", "-reward", "group"])
@pytest.mark.parametrize("seed", range(6))
def test_pages_are_those_of_the_groups_of_the_whole(
    seed: int, sort: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = np.random.default_rng(seed)
    table = some_rows(chance)
    where = "reward > 0.4" if seed % 2 else None
    asked = SampleSelection(split="train", where=where, sort=sort)
    everything = np.arange(table.num_rows)
    rows = select(table, where=where)
    ordered = select(table, where=where, sort=sort) if sort not in (None, "spread", "-spread") else rows
    if asked.by_place:
        ordered = rows[::-1] if asked.descending else rows
    expected = group_rows(table, ordered, sort, everything)

    monkeypatch.setattr(run_order, "PART_ROWS", 7)
    monkeypatch.setattr(spill, "MEMORY_ROWS", 5)
    monkeypatch.setattr(large_groups, "LEAST_GROUPS", 2)

    def first_rows(given: Rows, count: int) -> Rows:
        chosen = np.isin(ordered, given)
        return np.asarray(ordered[chosen][:count])

    kept: dict[Any, Any] = {}

    def keep(key: Any, make: Any) -> Any:
        if key not in kept:
            kept[key] = make()
        return kept[key]

    for offset, limit in [(0, None), (0, 3), (2, 4), (5, 1), (0, 0), (500, 3)]:
        page = slice(offset, None if limit is None else offset + limit)
        found, total = page_of_groups(asked, page, table, rows, lambda: everything, first_rows, keep)
        wanted = expected.page(offset, limit)
        assert total == len(expected.ends)
        assert found.samples == expected.samples
        assert [group.tolist() for group in found.groups] == [group.tolist() for group in wanted.groups]
        np.testing.assert_array_equal(found.means, wanted.means)
        np.testing.assert_array_equal(found.spreads, wanted.spreads)
