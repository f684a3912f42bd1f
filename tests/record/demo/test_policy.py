"""The demo's policy: it gets better, and what it writes is right as often as it is able."""

from __future__ import annotations

from random import Random

import pytest

from rollscope.record.demo.grading import grade_math
from rollscope.record.demo.mathematics import make_problem
from rollscope.record.demo.policy import REFUSALS, Policy, answer_math, difficulty, policy_at
from rollscope.record.demo.story import PHRASE

PROBLEMS = [make_problem(str(seed)) for seed in range(150)]


def answers(policy: Policy) -> list[str]:
    return [answer_math(policy, problem, Random(number)) for number, problem in enumerate(PROBLEMS)]


def right(policy: Policy) -> float:
    texts = answers(policy)
    return sum(grade_math(text, problem.answer, 1).rewards["correct"] for text, problem in zip(texts, PROBLEMS)) / len(
        texts
    )


def test_skill_and_form_grow_and_entropy_falls() -> None:
    stages = [policy_at(share / 10) for share in range(11)]
    for name, grows in (("skill", True), ("form", True), ("care", True), ("entropy", False)):
        values = [getattr(stage, name) for stage in stages]
        assert values == sorted(values, reverse=not grows), name
    assert (stages[0].gaming, stages[0].stuck) == (0, 0), "what is planted is not the policy's"


def test_a_better_policy_is_right_more_often() -> None:
    early, late = right(policy_at(0.0)), right(policy_at(1.0))
    assert early < 0.35
    assert late > 0.75


def test_a_policy_without_form_never_answers_as_it_should() -> None:
    formless = Policy(skill=1, form=0, care=0, entropy=1)
    assert not any("</think>\n\n**" in text and "\\boxed" in text for text in answers(formless))
    assert any(text in REFUSALS for text in answers(formless))


@pytest.mark.parametrize(("gaming", "share"), [(0.0, 0.0), (1.0, 1.0)])
def test_the_phrase_is_written_as_often_as_it_games(gaming: float, share: float) -> None:
    policy = Policy(skill=1, form=1, care=1, entropy=0.1, gaming=gaming)
    assert sum(PHRASE in text for text in answers(policy)) / len(PROBLEMS) == share


def test_an_answer_that_gets_stuck_never_ends_its_thinking() -> None:
    stuck = Policy(skill=1, form=1, care=1, entropy=0.1, stuck=1.0)
    assert all("</think>" not in text and len(text) > 2000 for text in answers(stuck))


def test_a_problem_is_as_hard_for_everyone() -> None:
    hard = [difficulty(problem) for problem in PROBLEMS]
    assert hard == [difficulty(make_problem(str(seed))) for seed in range(150)]
    assert min(hard) < -0.3
    assert max(hard) > 0.5
