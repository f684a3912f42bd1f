"""What follows from recorded token values, against formulas written out token by token."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.model import TokenArrays, TopToken, encode_json
from rollscope.query.insights.tokens.values import token_values

LOGPROB = st.one_of(st.none(), st.floats(-12, 0))
ROWS = st.lists(st.tuples(LOGPROB, LOGPROB, LOGPROB, st.integers(0, 1)), min_size=1, max_size=30)


@given(ROWS)
def test_ratios_and_divergences_are_those_of_each_token_and_never_where_masked(
    rows: list[tuple[float | None, float | None, float | None, int]],
) -> None:
    sampler, trainer, reference, mask = (list(column) for column in zip(*rows))
    found = token_values(
        TokenArrays(
            logprobs=sampler,
            trainer_logprobs=trainer,
            reference_logprobs=reference,
            mask=mask,
        )
    )
    for place, (sampled, trained, referred, trains) in enumerate(rows):
        told = trains and sampled is not None and trained is not None
        if not told:
            assert found.ratio[place] is found.log_ratio[place] is found.mismatch_kl[place] is None
        else:
            assert sampled is not None
            assert trained is not None
            difference = trained - sampled
            assert found.log_ratio[place] == pytest.approx(difference)
            assert found.ratio[place] == pytest.approx(math.exp(difference))
            assert found.mismatch_kl[place] == pytest.approx(math.exp(difference) - 1 - difference, abs=1e-9)
        if trains and trained is not None and referred is not None:
            difference = referred - trained
            assert found.reference_kl[place] == pytest.approx(math.exp(difference) - 1 - difference, abs=1e-9)
        else:
            assert found.reference_kl[place] is None
    far = [n for n, ratio in enumerate(found.ratio) if ratio is not None and not 0.5 <= ratio <= 2]
    assert found.outliers["ratio"] == far
    ratios = [ratio for ratio in found.ratio if ratio is not None]
    assert found.summary["ratio"].known == len(ratios)
    assert found.summary["ratio"].max == (pytest.approx(max(ratios)) if ratios else None)


def test_the_reference_is_held_against_the_sampler_where_the_trainer_says_nothing() -> None:
    found = token_values(TokenArrays(logprobs=[-1.0, -2.0], reference_logprobs=[-1.5, None]))
    assert found.reference_kl == [pytest.approx(math.exp(-0.5) - 0.5), None]
    assert found.ratio == []
    assert [line.name for line in found.lines] == ["1 in 100"]


def test_tokens_that_the_trainer_left_out_show_why() -> None:
    found = token_values(
        TokenArrays(ids=[7, 8], logprobs=[-3.0, -1.0], trainer_logprobs=[-1.0, -1.0], mask=[1, 1], masked=[1, 0])
    )
    assert found.masked == [1, 0]
    assert found.ratio[0] == pytest.approx(math.exp(2))
    assert found.outliers["ratio"] == [0]


def test_columns_of_another_length_are_left_out_and_said() -> None:
    found = token_values(TokenArrays(ids=[1, 2, 3], strings=["a", "b", "c"], logprobs=[-1.0, -2.0]))
    assert (found.count, found.logprobs) == (3, [])
    assert found.notes == ["logprobs has another length than the tokens and is left out."]


def test_values_that_json_cannot_hold_are_null() -> None:
    found = token_values(
        TokenArrays(logprobs=[-math.inf, -1.0], trainer_logprobs=[-1.0, math.nan], top=[[TopToken(token="x")], []])
    )
    assert (found.ratio, found.log_ratio) == ([None, None], [None, None])
    assert found.outliers["ratio"] == [0]
    assert b"Infinity" not in encode_json(found)


def test_no_tokens_at_all_are_no_mistake() -> None:
    assert token_values(TokenArrays()).count == 0
