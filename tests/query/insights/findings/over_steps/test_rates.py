"""Since when something happens more often: an interval that holds the step, for sudden and for slow rises."""

from __future__ import annotations

import numpy as np
import pytest

from rollscope.query.insights.findings.over_steps.rates import first_seen, onset

TRIALS = 64


def held(begins: int, *, rate: float, base: float, rise: int, steps: int = 40, runs: int = 40) -> tuple[float, float]:
    """(share of runs whose interval holds the step, mean length of the intervals)."""
    rng = np.random.default_rng(begins)
    share = np.clip((np.arange(steps) - begins + 1) / rise, 0.0, 1.0)
    found = []
    for _ in range(runs):
        hits = rng.binomial(TRIALS, base + (rate - base) * share).astype(float)
        interval = onset(np.arange(steps), hits, np.full(steps, float(TRIALS)))
        assert interval is not None
        found.append(interval)
    return (
        float(np.mean([low <= begins <= high for low, high in found])),
        float(np.mean([high - low + 1 for low, high in found])),
    )


@pytest.mark.parametrize("begins", [8, 22, 30])
@pytest.mark.parametrize("base", [0.0, 0.02, 0.1])
def test_a_sudden_rise_is_dated_to_a_few_steps(begins: int, base: float) -> None:
    share, length = held(begins, rate=0.3, base=base, rise=1)
    assert share >= 0.95
    assert length <= 3


@pytest.mark.parametrize("begins", [8, 15, 22])
def test_a_slow_rise_is_dated_to_where_it_begins_not_to_where_it_is_plain(begins: int) -> None:
    share, _ = held(begins, rate=0.15, base=0.0, rise=12)
    assert share >= 0.8


def test_an_even_rate_has_no_beginning() -> None:
    rng = np.random.default_rng(0)
    found = [onset(np.arange(40), rng.binomial(TRIALS, 0.1, 40).astype(float), np.full(40, 64.0)) for _ in range(200)]
    assert sum(interval is not None for interval in found) <= 8


def test_what_stops_has_no_beginning() -> None:
    hits = np.where(np.arange(40) < 20, 30.0, 0.0)
    assert onset(np.arange(40), hits, np.full(40, 64.0)) is None


def test_a_run_of_many_steps_is_dated_too() -> None:
    rng = np.random.default_rng(1)
    steps = np.arange(0, 10_000, 2)
    hits = rng.binomial(8, np.where(steps >= 6000, 0.3, 0.01)).astype(float)
    interval = onset(steps, hits, np.full(len(steps), 8.0))
    assert interval is not None
    assert interval[0] <= 6000 <= interval[1]
    assert interval[1] - interval[0] < 300


def test_what_may_have_been_missing_from_the_first_steps_by_chance_may_have_begun_there() -> None:
    steps, trials = np.arange(20), np.full(20, 16.0)
    hits = np.array([0.0, 2.0] + [1.0] * 18)
    assert first_seen(steps, hits, trials) == (0, 1)
    late = np.array([0.0] * 8 + [1.0] * 12)
    found = first_seen(steps, late, trials)
    assert found is not None
    assert 0 < found[0] <= 8
