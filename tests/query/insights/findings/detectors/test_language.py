"""Garbled text and answers that leave the prompt's language: limits that are the run's own."""

from __future__ import annotations

import pytest
from tests.query.insights.findings.splits import split_data

from rollscope.query.insights.findings.detectors.language import garbled, language
from rollscope.query.insights.findings.model import CannotKnow

STEPS = [step for step in range(20) for _ in range(20)]


def test_answers_that_leave_the_language_are_those_above_the_limit() -> None:
    (item,) = language(split_data(STEPS, text__foreign=[0.0] * 300 + [0.9] * 100))
    assert (item.where, int(item.mask.sum())) == ("text.foreign > 0.05", 100)
    assert item.always < 1, "foreign letters that make up much of an answer need no rise"


def test_the_limit_is_above_what_is_usual_in_the_run() -> None:
    (item,) = language(split_data(STEPS, text__foreign=[0.1] * 300 + [0.19] * 100))
    assert (item.where, int(item.mask.sum())) == ("text.foreign > 0.15", 100)
    assert item.always == 1.0, "few foreign letters may be names"


def test_garbled_answers_are_those_with_more_than_the_first_steps_have() -> None:
    (item,) = garbled(split_data(STEPS, text__garbled=[0.0] * 390 + [0.01] * 10))
    assert (item.where, item.mask.nonzero()[0].tolist()) == ("text.garbled > 0.0005", list(range(390, 400)))
    (item,) = garbled(split_data(STEPS, text__garbled=[0.001] * 390 + [0.01] * 10))
    assert item.where == "text.garbled > 0.003"
    (item,) = garbled(split_data(STEPS, text__garbled=[0.3] * 400))
    assert (item.where, int(item.mask.sum())) == ("text.garbled > 0.05", 400), "broken from the first step on"


def test_without_letters_in_prompts_nothing_is_foreign() -> None:
    with pytest.raises(CannotKnow, match="no prompt contains letters"):
        list(language(split_data(STEPS)))
    with pytest.raises(CannotKnow):
        list(garbled(split_data(STEPS)))
