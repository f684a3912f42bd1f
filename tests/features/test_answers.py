"""The golden answer in a text: quick looks against the patterns that say what is meant."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from rollscope.features.answers import _PLAIN_NUMBER, _digits_of, _stands_alone, answer, golden
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


def test_of_a_choice_the_letter_that_was_chosen_counts() -> None:
    for said in (
        "\\boxed{B}",
        "\\boxed{\\text{B}}",
        "\\boxed{\\textbf{(B)}}",
        "The answer is (B).",
        "<answer>B. Paris</answer>",
        "Answer: **B**",
    ):
        assert golden(SampleTexts("", f"A capital? A or C are not. {said}", ["B"])) == "equal", said
    assert golden(SampleTexts("", "A capital? (B) is not. \\boxed{C}", ["B"])) == "absent"
    assert golden(SampleTexts("", "It may be (B), who knows", ["B"])) == "contained"


def test_the_golden_answer_is_the_final_one_or_stands_somewhere_or_nowhere() -> None:
    text = "First 1,234 “of them”, then \\boxed{0.5}."
    found = [golden(SampleTexts("", text, [wanted])) for wanted in ("1/2", "1234", "23", "\\frac12", "of them")]
    assert found == ["equal", "contained", "absent", "equal", "contained"]
    assert golden(SampleTexts("", "It costs \\boxed{\\$19.50}.", ["19.5"])) == "equal"


def test_an_answer_behind_hashes_counts_within_a_line() -> None:
    assert answer(SampleTexts("q", "The result is 5 at first. Then we add 2. #### 7")) == "7"


def test_the_same_answer_in_other_notation_is_equal() -> None:
    for wanted, said in (
        ("-78", "−78"),
        ("6072314", "6{,}072{,}314"),
        ("45 km/h", "45"),
        ("120", "120\\,\\text{cm}^2"),
        ("7", "7 apples"),
        ("0.5", ".5"),
        ("\\frac{1}{2}", "½"),
        ("7/2", "3\\frac{1}{2}"),
        ("0.25", "25\\%"),
        ("600000", "6 \\times 10^{5}"),
        ("\\frac{\\sqrt{3}}{2}", "\\dfrac{\\sqrt3}{2}"),
        ("2\\pi", "2π"),
        ("\\{1, 2\\}", "{1,2}"),
        ("\\text{(B)}", "B"),
        ("x \\le 5", "x ≤ 5"),
    ):
        assert golden(SampleTexts("", f"So \\boxed{{{said}}}", [wanted])) == "equal", (wanted, said)
    for wanted, said in (
        ("5", ".5"),
        ("31/2", "3 1/2"),
        ("7", "7 million"),
        ("25", "0.5\\%"),
        ("2", "2x"),
        ("-3", "3"),
    ):
        assert golden(SampleTexts("", f"So \\boxed{{{said}}}", [wanted])) != "equal", (wanted, said)
    assert golden(SampleTexts("", "so we are left with $\\frac{3}{8}$ of it", ["3/8"])) == "contained"
    assert golden(SampleTexts("", "in all $4{,}210{,}879$ people", ["4210879"])) == "contained"
