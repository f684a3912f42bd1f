"""The statistics of a contrast, against their formulas written out for one phrase at a time."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.query.insights.contrast.ranking import (
    design_effects,
    false_discovery_rates,
    least_testable,
    likelihood_ratio,
    log_odds,
    p_values,
)

SIZES = st.integers(1, 40)


@given(SIZES, SIZES)
def test_log_odds_are_those_of_monroe_with_the_prior_of_both_sides(a_texts: int, b_texts: int) -> None:
    pairs = list(product(range(a_texts + 1), range(b_texts + 1)))
    a, b = (np.array(column) for column in zip(*pairs))
    ratios, errors = log_odds(a, b, a_texts, b_texts)
    prior = min(a_texts, b_texts)
    for (one, other), ratio, error in zip(pairs, ratios, errors):
        share = (one / a_texts + other / b_texts) / 2
        if share in (0, 1):
            assert ratio == 0
            continue
        with_a, with_b = one + prior * share, other + prior * share
        odds = [with_a / (a_texts + prior - with_a), with_b / (b_texts + prior - with_b)]
        assert ratio == pytest.approx(math.log(odds[0]) - math.log(odds[1]), abs=1e-9)
        variance = 1 / with_a + 1 / (a_texts + prior - with_a) + 1 / with_b + 1 / (b_texts + prior - with_b)
        assert error == pytest.approx(math.sqrt(variance))


@given(SIZES, SIZES, st.data())
def test_the_likelihood_ratio_is_that_of_two_shares_against_one(
    a_texts: int, b_texts: int, data: st.DataObject
) -> None:
    a, b = data.draw(st.integers(0, a_texts)), data.draw(st.integers(0, b_texts))

    def likelihood(share_a: float, share_b: float) -> float:
        parts = ((a, share_a), (a_texts - a, 1 - share_a), (b, share_b), (b_texts - b, 1 - share_b))
        return sum(count * math.log(share) for count, share in parts if count)

    together = (a + b) / (a_texts + b_texts)
    expected = 2 * (likelihood(a / a_texts, b / b_texts) - likelihood(together, together))
    found = likelihood_ratio(np.array([a]), np.array([b]), a_texts, b_texts)
    assert found[0] == pytest.approx(max(expected, 0), abs=1e-9)


def test_p_values_are_those_of_the_tables() -> None:
    assert p_values(np.array([0.0, 3.841459, 6.634897, 10.827566])) == pytest.approx([1, 0.05, 0.01, 0.001], rel=1e-5)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 50))
def test_false_discovery_rates_are_benjamini_and_hochberg_s(p: list[float], more: int) -> None:
    tested = len(p) + more  # the others are larger than any of these
    found = false_discovery_rates(np.array(p), tested)
    for value, rate in zip(p, found):
        at_least = [other for other in p if other >= value]
        expected = min(*(other * tested / sum(one <= other for one in p) for other in at_least), 1.0)
        assert rate == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_the_design_effect_is_the_spread_of_prompts_against_that_of_samples(
    texts: list[tuple[int, bool, bool]],
) -> None:
    clusters, in_a, holds = (np.array(column) for column in zip(*texts))
    places = np.flatnonzero(holds)
    found = design_effects(np.zeros(len(places), dtype=np.int64), places, 1, clusters, in_a)
    sizes = [max(int(in_a.sum()), 1), max(int((~in_a).sum()), 1)]
    shares = [float(holds[in_a].sum()) / sizes[0], float(holds[~in_a].sum()) / sizes[1]]
    spread = 0.0
    for cluster in set(clusters.tolist()):
        own = clusters == cluster
        difference = sum((float(h) - shares[0]) / sizes[0] for h in holds[own & in_a])
        difference -= sum((float(h) - shares[1]) / sizes[1] for h in holds[own & ~in_a])
        spread += difference**2
    pooled = float(holds.sum()) / sum(sizes)
    alone = pooled * (1 - pooled) * (1 / sizes[0] + 1 / sizes[1])
    assert found[0] == pytest.approx(max(1.0, spread / alone) if alone > 1e-12 else 1.0, abs=1e-9)


@pytest.mark.parametrize(("a_texts", "b_texts"), [(8, 8), (3, 3), (50, 2000), (2000, 2000)])
def test_rarer_phrases_than_the_testable_ones_cannot_be_sure(a_texts: int, b_texts: int) -> None:
    least = least_testable(a_texts, b_texts, 1e-4)
    for count, texts, others in ((least[0], a_texts, b_texts), (least[1], b_texts, a_texts)):
        seen = np.arange(texts + 1)
        sure = p_values(likelihood_ratio(seen, np.zeros_like(seen), texts, others)) <= 1e-4
        assert np.flatnonzero(sure).min(initial=texts + 1) == count
