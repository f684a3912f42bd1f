"""Loops at the end of a text against an obvious slow reader, and how much of a text is said twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.features.base import SampleTexts
from rollscope.features.repetition import compression, loop, loop_length, loop_span, repetition, repetition_apart


def slow_loop(text: str) -> int:
    """The definition of docs/insights.md, by trying every period on the last 4,096 characters."""
    text = text.rstrip()
    tail = text[-4096:]
    for period in range(1, 1025):
        needed = min(max(180, 4 * period), max(1024, 3 * period))
        if len(tail) >= needed and all(tail[-i] == tail[-i - period] for i in range(1, needed - period + 1)):
            length = period
            while length < len(text) and text[-length - 1] == text[-length - 1 + period]:
                length += 1
            return length
    return 0


@given(
    st.text("ab c.", max_size=60),
    st.text("abé ", min_size=1, max_size=90),
    st.integers(1, 40),
    st.integers(0, 89),
)
def test_a_loop_is_found_where_trying_every_period_finds_one(before: str, unit: str, times: int, cut: int) -> None:
    text = before + unit * times + unit[:cut]
    assert loop_length(text)[0] == slow_loop(text)


def test_a_loop_of_a_long_unit_needs_three_repeats_and_1024_characters() -> None:
    unit = "".join(f"step {i * i} follows; " for i in range(40))
    assert loop_length(unit * 2)[0] == 0
    assert loop_length("So: " + unit * 3)[0] >= 3 * len(unit)


@pytest.mark.parametrize("said", ["{}, ", "{}\n", "Step {}: try again.\n", "{}. The answer is 42.\n", "{} of 400\n"])
def test_a_count_that_goes_on_to_the_end_is_a_loop(said: str) -> None:
    counted = "".join(said.format(number) for number in range(1, 300))
    texts = SampleTexts("q", "There were 17 of them, then 3. " + counted)
    assert loop(texts) is not None
    assert abs((loop(texts) or 0) - min(4096, len(counted))) < 40
    span = loop_span(texts)
    assert span is not None
    assert span.value.startswith("a counting pattern")


@pytest.mark.parametrize(
    "text",
    [
        ", ".join(map(str, range(1, 101))),
        ", ".join(str(number**3 % 9973) for number in range(300)),
        "".join(f"{number}. Item {'abcdefg'[number % 7] * (number % 5)} is next.\n" for number in range(80)),
        "".join(f"{number}, " for number in range(300)) + "so the answer is 42.",
    ],
)
def test_lists_and_tables_of_numbers_are_no_loop(text: str) -> None:
    assert loop_length(text) == (0, 0)


def test_white_space_without_end_is_a_loop() -> None:
    text = "The sum is 14." + "\n" * 300
    assert loop(SampleTexts("q", text)) == 300
    assert loop(SampleTexts("q", text[:100])) == 0
    span = loop_span(SampleTexts("q", text))
    assert span is not None
    assert (span.start, span.end) == (14, 314)


def test_closing_marks_of_a_template_do_not_hide_a_loop() -> None:
    texts = SampleTexts("q", "Hm: " + "wait, no. " * 40 + "<|im_end|>\n")
    length = loop(texts)
    assert length is not None
    assert length >= 390
    span = loop_span(texts)
    assert span is not None
    assert texts.response_text[span.start : span.end].strip() == ("wait, no. " * 40).strip()


def test_repetition_is_one_minus_the_share_of_distinct_word_3_grams() -> None:
    words = [
        "the",
        "cat",
        "sat",
        "on",
        "the",
        "mat",
        "and",
        "the",
        "cat",
        "sat",
        "on",
        "the",
        "hat",
        "while",
        "a",
        "dog",
        "lay",
        "by",
        "the",
        "door",
        "of",
        "that",
        "old",
        "house",
        "in",
        "rain",
        "it",
        "is",
    ]
    text = " ".join([*words, *words])
    grams = list(zip(text.split(), text.split()[1:], text.split()[2:]))
    assert repetition(SampleTexts("", text)) == 1 - len(set(grams)) / len(grams)
    assert repetition(SampleTexts("", " ".join(words[:20]))) is None


def test_signs_of_scripts_without_spaces_count_as_words() -> None:
    assert repetition(SampleTexts("", "我们先看第一个条件。" * 10)) > 0.8  # type: ignore[operator]


def test_a_text_without_a_response_has_no_value_and_an_empty_one_has() -> None:
    assert loop(SampleTexts("q", None)) is None
    assert loop(SampleTexts("q", "")) == 0
    assert compression(SampleTexts("q", "")) is None
    assert compression(SampleTexts("q", "ab" * 5000)) > 10  # type: ignore[operator]
    assert compression(SampleTexts("q", "\ud800 lone")) is not None


def test_an_answer_that_says_its_thinking_once_more_repeats_nothing() -> None:
    thought = " ".join(f"first{i} then{i * 7} and{i * 3}" for i in range(40))
    said_once_more = SampleTexts(response=f"<think>\n{thought}\n</think>\n{thought}")
    assert (repetition(said_once_more) or 0) > 0.45
    assert (repetition_apart(said_once_more) or 0) < 0.05


def test_thinking_that_repeats_itself_does_so_whatever_the_answer_says() -> None:
    thought = " ".join(f"first{i} then{i * 7} and{i * 3}" for i in range(40))
    repeated = SampleTexts(response=f"<think>\n{thought}\n{thought}\n{thought}\n</think>\nSo it is 7.")
    assert (repetition_apart(repeated) or 0) > 0.6
    without = SampleTexts(response=f"{thought}\n{thought}")
    assert repetition_apart(without) == repetition(without)


def test_texts_that_repeat_little_are_not_asked_apart() -> None:
    assert repetition_apart(SampleTexts(response=" ".join(f"word{i}" for i in range(100)))) is None
    assert repetition_apart(SampleTexts(response="too short")) is None
    assert repetition_apart(SampleTexts()) is None
