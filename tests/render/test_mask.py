"""Pad tokens by another pattern than the usual one, also on parts that the usual one has folded already."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.errors import UsageError
from rollscope.render import parse_mask, refold_pads, split_parts

PAD = "<|image_pad|>"
PIECES = st.sampled_from(
    [PAD, PAD * 3, "a", "XX", "<think>", "</think>", "<answer>", "</answer>", "\n", "<tool_response>"]
)


@pytest.mark.parametrize(
    "text",
    [
        "no pads at all",
        f"see {PAD * 5} this XX",
        f"{PAD}{PAD}",
        f"<think>look {PAD * 4} here</think>done XXX {PAD}",
        f"<think>look {PAD * 4} and {PAD * 2} here",
        f"<tool_response>{PAD * 3}</tool_response>ok",
    ],
)
def test_another_mask_gives_what_it_would_have_given_at_first(text: str) -> None:
    for mask in (None, re.compile("X"), re.compile(r"<\|image_pad\|>|X")):
        assert refold_pads(split_parts(text), mask) == split_parts(text, mask=mask)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_without_a_mask_there_are_no_pads(text: str) -> None:
    assert all(part.type != "pad" for part in refold_pads(split_parts(text), None))


@given(st.lists(PIECES, max_size=12).map("".join))
def test_no_character_is_lost(text: str) -> None:
    assert "".join(part.text for part in refold_pads(split_parts(text), re.compile("a|X"))) == text


def test_the_mask_is_the_usual_one_unless_told() -> None:
    usual = parse_mask(None)
    assert usual is not None
    assert usual.fullmatch("<|image_pad|>")
    assert parse_mask("") is None
    own = parse_mask("x+")
    assert own is not None
    assert own.pattern == "x+"
    with pytest.raises(UsageError, match="not a regular expression"):
        parse_mask("(")
