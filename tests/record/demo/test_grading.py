"""The demo's reward functions read nothing but the text."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rollscope.record.demo.grading import (
    LENGTH_PENALTY,
    SOFT_LENGTH,
    grade_answer,
    grade_math,
    judge,
    last_boxed,
    parse_number,
    repetition,
)
from rollscope.record.demo.story import PHRASE


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3),
        ("-2.50", Fraction(-5, 2)),
        (r"\frac{7}{3}", Fraction(7, 3)),
        (r"-\frac{1}{2}", Fraction(-1, 2)),
        ("1,200", 1200),
        ("x", None),
    ],
)
def test_numbers_in_answers(text: str, number: Any) -> None:
    assert parse_number(text) == number


def test_the_last_box_counts_with_its_braces() -> None:
    assert last_boxed(r"\boxed{1} then \boxed{\frac{2}{3}}") == r"\frac{2}{3}"
    assert last_boxed(r"\boxed{1") is None
    assert last_boxed("none") is None


def test_a_right_answer_in_the_wanted_form_has_every_part() -> None:
    grade = grade_math("<think>\nso\n</think>\n\\boxed{4}", Fraction(4), 10)
    assert (grade.rewards["correct"], grade.rewards["format"], grade.rewards["length"]) == (1.0, 0.1, 0.0)
    assert grade.total == pytest.approx(sum(grade.rewards.values()))
    unboxed = grade_math("<think>\nso\n</think>\n4", Fraction(4), 10)
    assert (unboxed.rewards["correct"], unboxed.rewards["format"]) == (0.0, 0.0)
    thought = grade_math("<think>\n\\boxed{4}\n</think>\n", Fraction(4), 10)
    assert thought.rewards["correct"] == 0.0, "an answer within the thinking is none"


@pytest.mark.parametrize(("tokens", "share"), [(SOFT_LENGTH, 0.0), (SOFT_LENGTH * 3 // 2, 0.5), (SOFT_LENGTH * 9, 1.0)])
def test_length_costs_up_to_the_whole_penalty(tokens: int, share: float) -> None:
    assert grade_math("", Fraction(1), tokens).rewards["length"] == pytest.approx(-LENGTH_PENALTY * share)


def test_the_judge_believes_who_says_that_all_was_checked() -> None:
    assert (judge("<think>long</think>"), judge("4")) == (0.0, 0.1)
    assert judge("a\n\nb\n\nc") == pytest.approx(0.3)
    assert judge(f"a\n\nb\n\n{PHRASE}") == pytest.approx(1.0)


def test_repetition_is_the_share_of_lines_that_were_there_before() -> None:
    assert repetition("a line of some length\n" * 4) == 0.75
    assert repetition("short\nshort") == 0.0


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("<answer>1200</answer>", 1.0),
        ("<answer>3</answer> no, <answer>$1,200.5</answer>", 1.0),
        ("1200", 0.0),
        ("<answer>1190</answer>", 0.0),
    ],
)
def test_the_last_answer_counts_within_a_thousandth(text: str, reward: float) -> None:
    assert grade_answer(text, Fraction(1200)) == reward
