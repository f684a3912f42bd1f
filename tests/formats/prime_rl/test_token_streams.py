"""Streams of values per token are taken where they cover a message whole, and are left out where they do not."""

from __future__ import annotations

from typing import Any

import pytest

from rollscope.formats.prime_rl.token_streams import add_streams
from rollscope.model import Sample, TokenArrays

#: A prompt of two tokens, an answer of two, a tool's result of one, another answer of two.
MASKS = [[False, False], [True, True], [False], [True, True]]


def trace(masks: list[list[bool]] = MASKS) -> dict[str, Any]:
    nodes = [
        {"parent": number - 1 if number else None, "sampled": any(mask), "mask": mask}
        for number, mask in enumerate(masks)
    ]
    return {"nodes": nodes, "calls": []}


def sample() -> Sample:
    return Sample(tokens=TokenArrays(ids=[3, 4, 5, 6, 7], mask=[1, 1, 0, 1, 1]))


def added(*annotations: dict[str, Any], record: dict[str, Any] | None = None) -> TokenArrays:
    found = sample()
    add_streams(found, record or trace(), "", list(annotations))
    assert found.tokens is not None
    return found.tokens


def branch(index: int = 0, **streams: Any) -> dict[str, Any]:
    return {"branches": [{"index": index, **streams}]}


def test_a_stream_is_cut_to_the_response_and_has_nothing_where_nothing_was_sampled() -> None:
    tokens = added(branch(trainer_logprobs=[None, None, -1.0, -2.0, -9.0, -3.0, -4.0]))
    assert tokens.trainer_logprobs == [-1.0, -2.0, None, -3.0, -4.0]


def test_a_message_that_is_covered_in_part_has_no_values() -> None:
    tokens = added(branch(entropies=[0.0, 0.0, 0.1, 0.2, 0.0, 0.3]))
    assert tokens.entropy == [0.1, 0.2, None, None, None], "the last message has one value of two"
    tokens = added(branch(entropies=[0.0, 0.0, 0.1, None, 0.0, 0.3, 0.4]))
    assert tokens.entropy == [None, None, None, 0.3, 0.4]


def test_later_annotations_replace_earlier_ones_and_empty_ones_do_not() -> None:
    first, second = branch(advantages=[0.0] * 7), branch(advantages=[1.0] * 7)
    assert added(first, second).advantage == [1.0, 1.0, None, 1.0, 1.0]
    assert added(first, branch(advantages=[None] * 7)).advantage == [0.0, 0.0, None, 0.0, 0.0]


def test_tokens_that_the_trainer_left_out_are_those_of_the_mask() -> None:
    assert added(branch(is_masked=[False, False, True, False, True, False, True])).masked == [1, 0, 0, 0, 1]


def test_of_several_branches_the_one_that_is_shown_counts() -> None:
    record = trace()
    record["nodes"].append({"parent": 1, "sampled": True, "mask": [True]})
    record["calls"] = [{"node": 3}]
    other = {"index": 1, "advantages": [9.0] * 7}
    shown = {"index": 0, "advantages": [1.0] * 7}
    assert added({"branches": [other, shown]}, record=record).advantage == [1.0, 1.0, None, 1.0, 1.0]
    assert added({"branches": [other, {**other, "index": 2}]}, record=record).advantage == []


@pytest.mark.parametrize("item", [{}, {"branches": None}, {"branches": ["torn"]}, branch(advantages="torn")])
def test_annotations_of_another_shape_say_nothing(item: dict[str, Any]) -> None:
    assert added(item).advantage == []


def test_a_sample_without_tokens_stays_without() -> None:
    found = Sample()
    add_streams(found, trace(), "", [branch(advantages=[1.0] * 7)])
    assert found.tokens is None
