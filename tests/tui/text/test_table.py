"""A sample as a table of its fields."""

from __future__ import annotations

from itertools import pairwise

from rollscope.model import Message, Part, Sample
from rollscope.tui.text.table import MAX_LABEL, table
from rollscope.tui.text.transcript import ReadingOptions


def test_names_stand_at_the_left_and_texts_in_full_below() -> None:
    said = [Message(role="user", parts=[Part(text="q")]), Message(role="assistant", parts=[Part(text="a\x1b")], turn=0)]
    sample = Sample(reward=1.5, metrics={"m" * 40: 2.0}, messages=said, address="train/0/0")
    blocks = table(sample, ReadingOptions(shows=lambda _: True)).blocks
    labels = [block.label for block in blocks if block.label]
    assert len({len(label) for label in labels}) == 1
    assert max(len(label.rstrip()) for label in labels) <= MAX_LABEL
    values = {block.label.strip(): block.text for block in blocks if block.label}
    assert values["reward"] == "1.5"
    shown = {title.title: text.text for title, text in pairwise(blocks) if title.title}
    assert (shown["prompt"], shown["response"]) == ("q", "a␛")


def test_a_tool_call_beside_the_words_has_a_line_of_its_own() -> None:
    beside = Part(type="tool_call", text='grep({"x": 1})', name="grep")
    within = Part(type="tool_call", text="<tool_call>{}</tool_call>", lead=11, tail=12)
    said = Message(role="assistant", parts=[Part(text="I look."), beside, Part(text=" Then "), within], turn=0)
    blocks = table(Sample(messages=[said], address="train/0/0"), ReadingOptions(shows=lambda _: True)).blocks
    assert blocks[-1].text == 'I look.\ngrep({"x": 1}) Then <tool_call>{}</tool_call>'


def test_a_response_of_several_turns_has_each_under_its_number() -> None:
    said = [Message(role="user", parts=[Part(text="q")])]
    for turn in range(3):
        said.append(Message(role="assistant", parts=[Part(text=f"call {turn}")], turn=turn))
        said.append(Message(role="tool", parts=[Part(text=f"found {turn}")], turn=turn))
    document = table(Sample(messages=said, address="train/0/0"), ReadingOptions(shows=lambda _: True))
    assert [turn for _, turn in document.turn_starts()] == [0, 1, 2]
    titles = [block.title for block in document.blocks if block.title]
    assert titles == ["prompt", "response", "turn 1 of 3", "turn 2 of 3", "turn 3 of 3"]
    assert document.blocks[-1].text == "call 2\nfound 2"
