"""Long texts cut to their ends."""

from __future__ import annotations

from rollscope.model import Message, Part, Sample
from rollscope.query.samples.shorten import shorten


def test_a_long_part_keeps_its_end_and_tells_its_length() -> None:
    thought = Part(type="thinking", text="<think>" + "x" * 20 + "</think>", lead=7, tail=8)
    sample = Sample(messages=[Message(role="assistant", parts=[thought, Part(text="short")])], record={"a": 1})
    first, second = shorten(sample, max_chars=10, record=True).messages[0].parts
    assert (first.text, first.lead, first.tail, first.chars) == ("xx</think>", 0, 8, 35)
    assert first.content == "xx"
    assert (second.text, second.chars) == ("short", 0)
    assert sample.messages[0].parts[0].text == thought.text, "the sample itself stays whole"


def test_of_a_delimiter_that_is_cut_no_content_is_left() -> None:
    thought = Part(type="thinking", text="x</think>", tail=8)
    (part,) = shorten(Sample(messages=[Message(role="a", parts=[thought])]), max_chars=3, record=True).messages[0].parts
    assert (part.text, part.tail, part.content) == ("nk>", 3, "")


def test_the_record_is_left_out_where_nobody_asks_for_it() -> None:
    sample = Sample(record={"a": 1})
    assert shorten(sample, max_chars=None, record=False).record is None
    assert shorten(sample, max_chars=None, record=True) is sample
