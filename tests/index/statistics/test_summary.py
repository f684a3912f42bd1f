"""Per-step statistics against plain Python over the same rows."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.index.rows.numbering import arrange
from rollscope.index.segments.rows import ALWAYS, column_type
from rollscope.index.statistics import summary as statistics
from rollscope.index.statistics.merging import merge, only


def table(rows: list[dict[str, object]]) -> pa.Table:
    names = {*ALWAYS, *(name for row in rows for name in row)}
    columns = {name: pa.array([row.get(name) for row in rows], column_type(name)) for name in sorted(names)}
    return arrange(pa.table(columns), None, "recorded")


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "split": st.sampled_from(["train", "eval/a"]),
                "step": st.integers(0, 3),
                "group": st.sampled_from(["0", "1", "x"]),
                "reward": st.one_of(st.none(), st.floats(-5, 5), st.just(math.nan)),
                "discard_reason": st.sampled_from([None, None, "zero_advantage"]),
                "status": st.sampled_from([None, "completed", "truncated"]),
            }
        ),
        min_size=1,
        max_size=60,
    )
)
def test_every_number_equals_the_naive_one(rows: list[dict[str, object]]) -> None:
    found = statistics.summarise(table(rows))
    rewards = {field.name: statistics.decode_field(field) for field in found.fields}.get("reward")
    for position, item in enumerate(found.steps):
        here = [row for row in rows if (row["split"], row["step"]) == (item.split, item.step)]
        kept = [row for row in here if row["discard_reason"] is None]
        assert (item.samples, item.discarded) == (len(kept), len(here) - len(kept))
        assert item.groups == len({row["group"] for row in here})
        statuses = [row["status"] for row in kept if row["status"] is not None]
        assert (item.truncated, item.stated) == (statuses.count("truncated"), len(statuses))
        values = [row["reward"] for row in kept]
        finite = [value for value in values if isinstance(value, float) and math.isfinite(value)]
        if not finite:
            assert rewards is None or position not in rewards.step.tolist()
            continue
        assert rewards is not None
        at = rewards.step.tolist().index(position)
        assert rewards.mean[at] == pytest.approx(np.mean(finite), abs=1e-9)
        assert rewards.std[at] == pytest.approx(np.std(finite), abs=1e-9)
        assert (rewards.low[at], rewards.high[at]) == (min(finite), max(finite))
        assert rewards.histogram[at].sum() == len(finite)


def test_zero_variance_groups_and_spread() -> None:
    rewards = {"0": [1.0, 1.0], "1": [0.0, 1.0], "2": [0.5]}
    rows: list[dict[str, object]] = [
        {"split": "train", "step": 0, "group": group, "reward": value}
        for group, values in rewards.items()
        for value in values
    ]
    (step,) = statistics.summarise(table(rows)).steps
    assert (step.zero_variance, step.rewarded_groups) == (1, 2)
    assert step.spread == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("rewards", "equal"),
    [([1e-12, 2e-12], 0), ([0.1 + 0.2, 0.3], 1), ([0.0, 0.0], 1), ([1e15, 1e15 + 1], 1), ([-1e308, 1e308], 0)],
)
def test_rewards_are_equal_relative_to_their_size(rewards: list[float], equal: int) -> None:
    rows: list[dict[str, object]] = [{"split": "train", "step": 0, "group": "0", "reward": value} for value in rewards]
    assert statistics.summarise(table(rows)).steps[0].zero_variance == equal


@pytest.mark.parametrize("size", [1e200, 1e308, -1.7e308])
def test_huge_rewards_have_finite_statistics(size: float) -> None:
    rows: list[dict[str, object]] = [
        {"split": "train", "step": 0, "group": "0", "reward": value} for value in (size, -size, size, -size)
    ]
    found = statistics.summarise(table(rows))
    reward = {field.name: statistics.decode_field(field) for field in found.fields}["reward"]
    assert (reward.mean[0], reward.std[0]) == (0.0, abs(size))
    assert (reward.low[0], reward.high[0]) == (-abs(size), abs(size))
    assert reward.histogram[0].sum() == 4
    assert found.steps[0].spread == abs(size)


def test_a_merge_replaces_steps_and_keeps_the_rest() -> None:
    old = statistics.summarise(table([{"split": "train", "step": step, "reward": float(step)} for step in range(4)]))
    new = statistics.summarise(
        table([{"split": "train", "step": 2, "reward": 20.0}, {"split": "eval/a", "step": 0, "reward": 7.0}])
    )
    merged = merge(old, new)
    assert [(item.split, item.step) for item in merged.steps] == [*(("train", s) for s in range(4)), ("eval/a", 0)]
    (field,) = [statistics.decode_field(item) for item in merged.fields if item.name == "reward"]
    assert field.mean.tolist() == [0.0, 1.0, 20.0, 3.0, 7.0]
    fewer = only(merged, {("train", 1), ("eval/a", 0)})
    (field,) = [statistics.decode_field(item) for item in fewer.fields if item.name == "reward"]
    assert field.mean.tolist() == [1.0, 7.0]


@pytest.mark.parametrize(("samples", "width"), [(3, 1), (300, 2), (70_000, 4)])
def test_counts_of_a_histogram_take_as_few_bytes_as_they_need(samples: int, width: int) -> None:
    rows = pa.table({"step": np.zeros(samples + 1, np.int64), "reward": np.array([*[0.5] * samples, 1.0])})
    whole = {name: pa.nulls(samples + 1, column_type(name)) for name in ALWAYS} | {"split": ["train"] * (samples + 1)}
    (field,) = statistics.summarise(
        arrange(pa.table({**whole, **{name: rows[name] for name in rows.column_names}}), None, "recorded")
    ).fields
    assert len(field.histogram) == width * statistics.BINS
    decoded = statistics.decode_field(field)
    assert decoded.histogram[0].tolist() == [samples, *[0] * (statistics.BINS - 2), 1]
    more = statistics.encode_field("reward", decoded)
    assert statistics.decode_field(more).histogram.tolist() == decoded.histogram.tolist()
