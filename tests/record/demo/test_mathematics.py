"""The demo's problems: every worked solution is right, and slips lead elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from rollscope.record.demo.grading import grade_math, parse_number
from rollscope.record.demo.mathematics import KINDS, MathProblem, make_problem, number_latex


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_worked_solution_is_right(kind: Callable[[Random, str], MathProblem]) -> None:
    for seed in range(40):
        problem = kind(Random(seed), str(seed))
        assert parse_number(problem.latex) == problem.answer
        right = f"<think>\nx\n</think>\n$\\boxed{{{problem.latex}}}$"
        assert grade_math(right, problem.answer, 10).rewards["correct"] == 1.0
        assert problem.steps
        assert problem.check


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_slips_lead_to_another_answer_but_for_a_few_lucky_ones(kind: Callable[[Random, str], MathProblem]) -> None:
    problems = [kind(Random(seed), str(seed)) for seed in range(40)]
    slips = [(slip.answer, problem.answer) for problem in problems for slip in problem.slips]
    assert sum(given != answer for given, answer in slips) > 0.6 * len(slips)


def test_a_problem_is_the_same_for_everyone() -> None:
    assert make_problem("7") == make_problem("7")
    assert len({make_problem(str(seed)).topic for seed in range(60)}) >= 4


@pytest.mark.parametrize(
    ("value", "shown"), [(Fraction(3), "3"), (Fraction(-7, 3), "-\\frac{7}{3}"), (Fraction(1, 2), "\\frac{1}{2}")]
)
def test_numbers_are_written_as_tex_writes_them(value: Fraction, shown: str) -> None:
    assert number_latex(value) == shown
