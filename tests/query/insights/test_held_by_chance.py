"""What chance makes of words that texts share equals what counting every way gives."""

from __future__ import annotations

from itertools import combinations
from math import comb, exp, log

import numpy as np
import pytest

from rollscope.query.insights.held_by_chance import chance_of, fewest_texts, most_by_chance, prompts_alike


@pytest.mark.parametrize(("before", "after"), [(0, 4), (1, 3), (2, 4), (3, 0), (4, 5)])
def test_the_chance_is_the_share_of_all_ways_to_deal_the_texts(before: int, after: int) -> None:
    n_before, n_after, held = 4, 6, before + after
    ways = list(combinations(range(n_before + n_after), held))
    as_few = sum(sum(place < n_before for place in way) <= before for way in ways)
    assert exp(chance_of(before, after, n_before, n_after)) == pytest.approx(as_few / len(ways))


def test_what_too_few_texts_have_may_be_late_by_chance() -> None:
    fewest = fewest_texts(30, 50, 0.02)
    assert comb(50, fewest) / comb(80, fewest) <= 0.02 < comb(50, fewest - 1) / comb(80, fewest - 1)


def test_only_what_could_be_told_from_chance_counts_as_a_test() -> None:
    rare, frequent = np.full(1000, 3), np.full(10, 40)
    assert most_by_chance(np.concatenate([rare, frequent]), 100, 100, 0.02) == pytest.approx(log(0.02 / 10))
    assert most_by_chance(np.full(1000, 40), 100, 100, 0.02) == pytest.approx(log(0.02 / 1000))


def test_texts_of_one_prompt_that_all_have_it_count_as_one() -> None:
    held = np.array([[prompt % 2 == 0, place == 0] for prompt in range(10) for place in range(4)])
    together, apart = prompts_alike(held, [prompt for prompt in range(10) for _ in range(4)])
    assert together == pytest.approx(4.0)
    assert apart == 1.0
    assert prompts_alike(held, []).tolist() == [1.0, 1.0]
