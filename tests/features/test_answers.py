"""The golden answer in a text: quick looks against the patterns that say what is meant."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from rollscope.features.answers import _PLAIN_NUMBER, _digits_of, _stands_alone, golden
from rollscope.features.base import SampleTexts

SIGNS = ["0", "1", "2", "9", ".", ",", "-", "_", "a", "B", "é", "漢", "٣", "²", "\n", "/", "+", "\ud800", " "]
TEXTS = st.lists(st.sampled_from(SIGNS), max_size=40).map("".join)


@given(st.text("12.a_", min_size=1, max_size=3), TEXTS)
def test_a_word_stands_alone_where_no_letter_digit_or_point_touches_it(wanted: str, text: str) -> None:
    expected = re.search(rf"(?<![\w.]){re.escape(wanted)}(?!\w|\.\d)", text)
    assert _stands_alone(wanted, text) == (expected is not None)


@given(TEXTS)
def test_what_is_left_of_a_text_has_all_of_its_numbers(text: str) -> None:
    assert _PLAIN_NUMBER.findall(_digits_of(text)) == _PLAIN_NUMBER.findall(text.replace(",", ""))


def test_the_golden_answer_is_the_final_one_or_stands_somewhere_or_nowhere() -> None:
    text = "First 1,234 “of them”, then \\boxed{0.5}."
    found = [golden(SampleTexts("", text, [wanted])) for wanted in ("1/2", "1234", "23", "\\frac12", "of them")]
    assert found == ["equal", "contained", "absent", "equal", "contained"]
