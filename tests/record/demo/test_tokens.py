"""The demo's stand-in for a tokenizer, and the values of its tokens."""

from __future__ import annotations

import math
from random import Random

import pytest

from rollscope.record.demo.tokens import count_tokens, pieces, sigmoid, token_arrays


def test_tokens_join_to_the_text() -> None:
    text = "Let x = 12345.\n\n$$\\frac{a}{b}$$  größer 数"
    assert "".join(pieces(text)) == text


def test_every_token_has_every_value() -> None:
    text = "Let x = 12.\nThen y."
    arrays = token_arrays(text, 0.25, 0.6, Random(1))
    count = count_tokens(text)
    for values in (arrays.ids, arrays.logprobs, arrays.entropy, arrays.trainer_logprobs, arrays.reference_logprobs):
        assert len(values) == count
    assert arrays.strings == pieces(text)
    assert (set(arrays.advantage), set(arrays.mask)) == ({0.25}, {1})
    assert all(value is not None and value < 0 and math.isfinite(value) for value in arrays.logprobs)
    assert arrays.logprobs == token_arrays(text, 0.25, 0.6, Random(1)).logprobs


def test_a_policy_hesitates_at_numbers() -> None:
    arrays = token_arrays("word 7 " * 400, 0.0, 0.6, Random(2))
    means = {}
    for digit in (True, False):
        values = [
            value
            for value, piece in zip(arrays.entropy, arrays.strings)
            if value is not None and piece.strip() and piece.strip().isdigit() == digit
        ]
        means[digit] = sum(values) / len(values)
    assert means[True] > 2 * means[False]


@pytest.mark.parametrize(("x", "y"), [(0, 0.5), (40, 1.0), (-40, 0.0)])
def test_the_sigmoid(x: float, y: float) -> None:
    assert sigmoid(x) == pytest.approx(y)
