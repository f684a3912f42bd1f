"""Per-step statistics against plain Python over the same rows."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.index import statistics
from rollscope.index.numbering import arrange
from rollscope.index.segment import ALWAYS, column_type


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
        assert item.truncated == (statuses.count("truncated") if statuses else None)
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


@pytest.mark.parametrize(("n", "c"), [(1, 0), (4, 1), (8, 3), (8, 8), (5, 5)])
def test_pass_at_k_is_the_share_of_draws_with_a_pass(n: int, c: int) -> None:
    outcomes = [True] * c + [False] * (n - c)
    for k in range(1, n + 1):
        draws = list(combinations(outcomes, k))
        expected = sum(any(draw) for draw in draws) / len(draws)
        assert statistics.pass_at_k(np.array([n]), np.array([c]), k)[0] == pytest.approx(expected)


def test_a_verdict_decides_over_a_reward_for_the_format() -> None:
    rows: list[dict[str, object]] = [
        {"split": "eval/a", "step": 0, "group": "0", "reward": 0.1, "metrics.correct": verdict}
        for verdict in (1.0, 0.0)
    ]
    assert statistics.summarise(table(rows)).steps[0].pass_at == {1: 0.5, 2: 1.0}


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


def test_a_merge_replaces_steps_and_keeps_the_rest() -> None:
    old = statistics.summarise(table([{"split": "train", "step": step, "reward": float(step)} for step in range(4)]))
    new = statistics.summarise(
        table([{"split": "train", "step": 2, "reward": 20.0}, {"split": "eval/a", "step": 0, "reward": 7.0}])
    )
    merged = statistics.merge(old, new)
    assert [(item.split, item.step) for item in merged.steps] == [*(("train", s) for s in range(4)), ("eval/a", 0)]
    (field,) = [statistics.decode_field(item) for item in merged.fields if item.name == "reward"]
    assert field.mean.tolist() == [0.0, 1.0, 20.0, 3.0, 7.0]
    fewer = statistics.without(merged, {("train", 1), ("eval/a", 0)})
    (field,) = [statistics.decode_field(item) for item in fewer.fields if item.name == "reward"]
    assert field.mean.tolist() == [1.0, 7.0]
