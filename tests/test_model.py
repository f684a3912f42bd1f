"""What the source wrote as a number, and what names a sample."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rollscope.model import Message, Sample, as_integer, as_number, parse_address


@pytest.mark.parametrize(
    ("value", "number", "integer"),
    [
        (2**53, 2.0**53, 2**53),
        (2**53 + 1, None, 2**53 + 1),
        (str(2**53), 2.0**53, 2**53),
        (str(2**53 + 1), None, 2**53 + 1),
        (str(-(2**53) - 1), None, -(2**53) - 1),
        (str(2**63), 2.0**63, None),
        ("0" * 5000 + "1", 1.0, 1),
        ("9" * 5000, None, None),
        ("1e200", 1e200, None),
        ("7.0", 7.0, 7),
        ("7.5", 7.5, None),
        (math.inf, math.inf, None),
        (True, 1.0, 1),
    ],
)
def test_a_number_is_the_one_that_was_written_or_none(value: Any, number: float | None, integer: int | None) -> None:
    assert (as_number(value), as_integer(value)) == (number, integer)


@pytest.mark.parametrize(
    "text", ["train/1_2/0", "train/0/1_2", "train/ 1/0", "train/+1/0", "train/１/0", "train/1/" + "9" * 21]
)
def test_a_sample_has_one_address(text: str) -> None:
    with pytest.raises(ValueError, match="is no sample address"):
        parse_address(text)
    assert parse_address("eval/a/b/-1/12") == ("eval/a/b", -1, 12)


def test_a_sample_at_a_prompt_is_one_line_and_sends_nothing_to_the_terminal() -> None:
    sample = Sample(address="train/0/1", reward=0.5, discard_reason="\x1b]0;hello", messages=[Message(role="user")])
    assert repr(sample) == "<Sample 'train/0/1' reward=0.5 discard_reason='\\x1b]0;hello' messages=1>"
