"""What a record of no known trainer says of its tokens and its errors."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rollscope.formats.fallback.values import errors, token_arrays


def test_values_per_token_are_those_of_one_length() -> None:
    record = {"token_ids": [5, 6.0], "logprobs": [-0.5, None], "loss_mask": [1, 0], "adv": [0.5, 0.5]}
    found = token_arrays(record, "adv")
    assert found is not None
    assert (found.ids, found.logprobs, found.mask, found.advantage) == ([5, 6], [-0.5, None], [1, 0], [0.5, 0.5])
    assert token_arrays({**record, "logprobs": [-0.5]}, None) is None
    shorter = token_arrays({**record, "adv": [0.5]}, "adv")
    assert shorter is not None
    assert shorter.advantage == []


@pytest.mark.parametrize("ids", [[5, None], [5, math.nan], [5, math.inf]])
def test_ids_that_are_none_take_no_other_tokens_values(ids: list[Any]) -> None:
    assert token_arrays({"token_ids": ids}, None) is None
    found = token_arrays({"token_ids": ids, "logprobs": [-0.5, -1.0]}, None)
    assert found is not None
    assert (found.ids, found.logprobs) == ([], [-0.5, -1.0])


def test_lists_of_other_things_are_no_tokens() -> None:
    assert token_arrays({"token_ids": ["a"], "logprobs": [], "loss_mask": [1]}, None) is None


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"error": " no tool "}, ["Error: no tool"]),
        ({"error": {"type": "Timeout", "message": ""}}, ["Error: Timeout"]),
        ({"error": None, "exception": "boom"}, ["Error: boom"]),
        ({"error": " ", "error_message": 3}, []),
        ({}, []),
    ],
)
def test_what_went_wrong_is_a_sentence(record: dict[str, Any], told: list[str]) -> None:
    assert errors(record) == told
