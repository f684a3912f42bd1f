"""Where thoughts stand in a response: the quick looks against one walk over all delimiters."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from rollscope.features.base import _THINKING_CLOSER, SampleTexts
from rollscope.render.think_and_tool_blocks import THINKING_CLOSERS, THINKING_OPENERS

PIECES = st.sampled_from(
    [
        *THINKING_OPENERS,
        "</think>",
        "</thinking>",
        "[/THINK]",
        "<channel|>",
        "<|end|>",
        "think>",
        "THINK",
        " so ",
        "漢",
        "\n",
    ]
)


_AFTER = (" ", ",", ".", ")", ":")


def slow_thoughts(text: str) -> list[tuple[int, int, bool]]:
    openers = re.compile("|".join(map(re.escape, THINKING_OPENERS)))
    found: list[tuple[int, int, bool]] = []
    first, opened = THINKING_CLOSERS.search(text), openers.search(text)
    if first and first[0] != "<|end|>" and (opened is None or first.start() < opened.start()):
        found.append((0, first.start(), True))
        opened = openers.search(text, first.end())
    while opened is not None:
        closer = _THINKING_CLOSER[opened[0]]
        end = text.find(closer, opened.end())
        # A sentence speaks of the delimiter: "the <think> tag".
        if end < 0 and re.search(r"[^\W_] \Z|[,(] \Z", text[: opened.start()]) and text[opened.end() :][:1] in _AFTER:
            opened = openers.search(text, opened.end())
            continue
        if end < 0:
            return [*found, (opened.end(), len(text), False)]
        found.append((opened.end(), end, True))
        opened = openers.search(text, end + len(closer))
    return found


@given(st.lists(PIECES, max_size=8).map("".join))
def test_thoughts_are_what_stands_between_their_delimiters(text: str) -> None:
    assert SampleTexts("", text).thoughts == slow_thoughts(text)


@given(st.text(" \nab漢", max_size=30), st.text(" \nab", max_size=30), st.integers(1, 12))
def test_an_answer_opens_with_its_first_characters_but_white_space(thought: str, answer: str, count: int) -> None:
    texts = SampleTexts("", f"<think>{thought}</think>{' ' * 70}{answer}")
    assert texts.answer_opening(count) == answer.lstrip()[:count]
