"""The table of delimiters, and what finds the next of them."""

from __future__ import annotations

import pytest

from rollscope.render.think_and_tool_blocks import ALL_KINDS, BLOCKS, CALL_ENDS, CHANNEL, MARKERS, opener_pattern


def test_every_opener_and_marker_is_found_whole_within_prose() -> None:
    pattern = opener_pattern(ALL_KINDS)
    for token in (*BLOCKS, *MARKERS, "<function=get_weather>"):
        found = pattern.search(f"a < b, x[0] <b>and</b> {token} more")
        assert found is not None, token
        # Of two that begin alike the longer one is meant where both are there.
        assert found[0] == token, token


def test_only_the_kinds_asked_for_and_markers_are_found() -> None:
    thoughts = opener_pattern(frozenset({"thinking"}))
    text = "<tool_call>{}</tool_call><function=f><answer>[THINK]x"
    found = thoughts.search(text)
    assert found is not None
    assert found[0] == "[THINK]"
    assert thoughts.search("<|im_end|>") is not None


def test_a_block_without_closer_ends_where_its_family_ends_it() -> None:
    open_ended = [block.opener for block in BLOCKS.values() if not block.closer]
    assert open_ended == ["<|python_tag|>", "[TOOL_CALLS]"]
    for end in ("<|eom_id|>", "<|eot_id|>", "</s>", "[TOOL_RESULTS]"):
        found = CALL_ENDS.search(f"[1, 2] </b> {end}")
        assert found is not None
        assert found[0] == end


@pytest.mark.parametrize(
    ("header", "channel"),
    [
        ("<|start|>assistant<|channel|>analysis<|message|>", "analysis"),
        ("<|channel|>final<|message|>", "final"),
        ("<|start|>assistant to=functions.f<|channel|>commentary json<|message|>", "commentary"),
        ("<|channel|>commentary to=functions.f <|constrain|>json<|message|>", "commentary"),
    ],
)
def test_the_channel_of_a_harmony_message_is_in_its_header(header: str, channel: str) -> None:
    found = CHANNEL.fullmatch(header)
    assert found is not None
    assert found["channel"] == channel
